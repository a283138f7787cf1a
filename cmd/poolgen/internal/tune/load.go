package tune

import (
	"math/bits"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/spec"
)

// Load summarises the requests of the traces. Sizes are in bytes.
type Load struct {
	Largest int64 // request of all traces
	OneSize bool  // all requests are that large
	Peak    int64 // of live bytes, in the trace where it is smallest
}

// LoadOf returns the load of all traces together.
func LoadOf(traces []*replay.Trace) (l Load) {
	l.OneSize = true
	for _, t := range traces {
		l.Largest = max(l.Largest, int64(slices.Max(t.Sizes)))
		if peak := slices.Max(t.Live(1)); l.Peak == 0 || peak < l.Peak {
			l.Peak = peak
		}
	}
	for _, t := range traces {
		for _, n := range t.Sizes { // 0 of a free
			l.OneSize = l.OneSize && (n == 0 || int64(n) == l.Largest)
		}
	}
	return l
}

// Bounds of the chunk sizes that are tried: none smaller than a slab, none that only the largest machines could supply.
const (
	leastChunk = 64 << 10
	mostChunk  = 256 << 20
	usualChunk = 8 << 20 // the default of a pool
)

// chunks lists chunk sizes beside the usual one, coarse ones first: common ones as far as the load is not far below them, and a part of the load.
func (l Load) chunks() (list []string) {
	seen := map[int64]bool{}
	for _, n := range []int64{2 << 20, l.Peak / 64, 32 << 20, l.Peak / 16, 1 << 20, l.Peak / 256, 128 << 20, 256 << 10} {
		n = powerOfTwo(n)
		if n >= leastChunk && n <= mostChunk && n <= 2*l.Peak && n != usualChunk && !seen[n] {
			seen[n] = true
			list = append(list, spec.FormatSize(n))
		}
	}
	if len(list) == 0 {
		list = []string{spec.FormatSize(leastChunk)}
	}
	return list
}

// powerOfTwo returns the least power of two that is not below n.
func powerOfTwo(n int64) int64 {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len64(uint64(n-1))
}

// values lists the values of a setting that are tried with the allocator and the suballocator of a candidate, including the default, "".
func (l Load) values(key int, c Candidate) []string {
	top := spec.FormatSize(max(powerOfTwo(l.Largest), 1<<10))
	switch key {
	case Fit:
		return []string{"", "best", "first"}
	case ChunkSize:
		return append([]string{""}, l.chunks()...)
	case Growth:
		return []string{"", "double"}
	case Trim:
		other := "{when: growth}"
		if pool := (&spec.Pool{Allocator: spec.Allocator(c[Allocator]), Suballocator: spec.Suballocator(c[Suballocator])}); pool.Paged() { // where that is the default
			other = "none"
		}
		return []string{"", "{keep: 0B}", other, "{keep: " + spec.FormatSize(powerOfTwo(l.Peak/2)) + "}", "{keep: " + spec.FormatSize(powerOfTwo(l.Peak/8)) + "}"}
	case MinSplit:
		return []string{"", "512B", "4KiB", "64KiB"}
	case Bins:
		if bins := spec.Suballocator(c[Suballocator]).Info().Bins; bins != nil && bins.InChunks {
			return []string{"", "{min: 16B, max: 64KiB, growth: pow2}", "{min: 16B, max: 4KiB, per_doubling: 4}", "{min: 512B, max: 1MiB, growth: pow2}", "{min: 512B, max: 64KiB, per_doubling: 4}"}
		}
		return []string{"{min: 512B, max: " + top + ", per_doubling: 4}", "{min: 512B, max: " + top + ", per_doubling: 2}", ""}
	case Cache:
		return []string{"", "{per_bin: 64, bytes: " + spec.FormatSize(max(powerOfTwo(l.Peak/32), 1<<20)) + "}", "{per_bin: 4}", "{bytes: 0B}"}
	}
	return []string{""}
}
