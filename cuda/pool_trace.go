package cuda

import (
	"strconv"

	"github.com/poolgen/poolgen/cuda/nvtx"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// traced reports the driver's work for a pool to a profiler, as ranges such as "scene.Vertex grow 8 MiB". If no profiler started the program, a pool
// is bound without it, at no cost.
func traced(b poolimpl.Bound, pool string) poolimpl.Bound {
	if !nvtx.Enabled() {
		return b
	}
	b.Source = tracedSource{b.Source, pool}
	if behind := b.Behind; behind != nil {
		b.Behind = func(end uint64, size int64) (poolimpl.Chunk, error) {
			nvtx.RangePush(pool + " grow " + inUnits(size))
			defer nvtx.RangePop()
			return behind(end, size)
		}
	}
	if b.Timeline != nil {
		b.Timeline = tracedTimeline{b.Timeline, pool}
	}
	if zero, zeroed := b.Zero, b.Zeroed; zero != nil {
		b.Zero = func(c poolimpl.Chunk) error {
			nvtx.RangePush(pool + " zero " + inUnits(c.Size))
			defer nvtx.RangePop()
			return zero(c)
		}
		b.Zeroed = func() error {
			nvtx.RangePush(pool + " wait")
			defer nvtx.RangePop()
			return zeroed()
		}
	}
	if b.Pages != nil {
		b.Pages = b.Pages.Around(func(parts []poolimpl.Extent, fill func([]poolimpl.Extent) error) error {
			var bytes uint64
			for _, x := range parts {
				bytes += x.Size
			}
			nvtx.RangePush(pool + " grow " + inUnits(int64(bytes)))
			defer nvtx.RangePop()
			return fill(parts)
		})
	}
	return b
}

// tracedSource reports the allocation and return of chunks.
type tracedSource struct {
	poolimpl.Source
	pool string
}

func (s tracedSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	nvtx.RangePush(s.pool + " grow " + inUnits(size))
	defer nvtx.RangePop()
	return s.Source.Alloc(size, align)
}

func (s tracedSource) Free(c poolimpl.Chunk) error {
	nvtx.RangePush(s.pool + " release " + inUnits(c.Size))
	defer nvtx.RangePop()
	return s.Source.Free(c)
}

// tracedTimeline reports waits of the program for a stream.
type tracedTimeline struct {
	poolimpl.Timeline
	pool string
}

func (t tracedTimeline) Sync(fence poolimpl.Fence) error {
	nvtx.RangePush(t.pool + " wait")
	defer nvtx.RangePop()
	return t.Timeline.Sync(fence)
}

// inUnits formats a number of bytes with four digits.
func inUnits(bytes int64) string {
	units := []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"}
	n, u := float64(bytes), 0
	for n >= 1024 {
		n, u = n/1024, u+1
	}
	return strconv.FormatFloat(n, 'g', 4, 64) + units[u]
}
