//go:build cudasim && !pooltrace

package devices

import (
	"context"
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// size is the length of a block: so large that all blocks are sampled.
const size = 16 << 20

// form is a pool of any kind.
type form struct {
	rig.Streamed
	name  string
	pool  whole
	batch func(t *testing.T, s cuda.Stream) // allocates and frees six blocks on a stream, in batches; nil if the pool has none
}

type whole interface {
	poolrt.Watched
	Poll() int
	Close() error
}

// cellPool is a pool of blocks of one size.
type cellPool[P interface{ Addr() cuda.DevicePtr }] interface {
	whole
	Alloc() (P, error)
	AllocOn(cuda.Stream) (P, error)
	Free(P) error
	FreeOn(P, cuda.Stream) error
	AllocBatchOn([]P, cuda.Stream) (int, error)
	FreeBatchOn([]P, cuda.Stream) error
}

func cells[P interface{ Addr() cuda.DevicePtr }](name string, p cellPool[P]) form {
	at := func(b P) (cuda.DevicePtr, int64) { return b.Addr(), size }
	batch := func(t *testing.T, s cuda.Stream) {
		blocks := make([]P, 6)
		_, err := p.AllocBatchOn(blocks, s)
		rig.Check(t, "AllocBatchOn", err)
		rig.Check(t, "FreeBatchOn", p.FreeBatchOn(blocks[2:], s))
		rig.Check(t, "FreeBatchOn", p.FreeBatchOn(blocks[:2], s))
	}
	return form{rig.StreamedOf(at, rig.Single(p.Alloc), rig.SingleOn(p.AllocOn), p.Free, p.FreeOn), name, p, batch}
}

// rowPool is a pool of rows of type B.
type rowPool[B any] interface {
	whole
	Alloc(int) (B, error)
	Free(B) error
}

// onStreams has the calls on streams of such a pool.
type onStreams[B any] interface {
	AllocOn(int, cuda.Stream) (B, error)
	AllocAlignedOn(n, align int, s cuda.Stream) (B, error)
	AllocContextOn(context.Context, int, cuda.Stream) (B, error)
}

func rows[B any](name string, at func(B) (cuda.DevicePtr, int64), p rowPool[B]) form {
	freeOn := func(b B, _ cuda.Stream) error { return p.Free(b) }
	if p, ok := p.(interface{ FreeAsync(B, cuda.Stream) error }); ok {
		freeOn = p.FreeAsync
	}
	var allocOn func(int, cuda.Stream) (B, error)
	if p, ok := p.(onStreams[B]); ok {
		turn := 0
		allocOn = func(n int, s cuda.Stream) (B, error) {
			switch turn++; turn % 3 {
			case 1:
				return p.AllocAlignedOn(n, 4096, s)
			case 2:
				return p.AllocContextOn(context.Background(), n, s)
			}
			return p.AllocOn(n, s)
		}
	}
	return form{rig.StreamedOf(at, p.Alloc, allocOn, p.Free, freeOn), name, p, nil}
}

func all() []form {
	return []form{
		cells("Cell", new(CellPool)), cells("CellNone", new(CellNonePool)), cells("CellShard", new(CellShardPool)), cells("CellClear", new(CellClearPool)),
		rows("Heap", rig.SpanAt[HeapSpan], new(HeapPool)), rows("HeapNone", rig.SpanAt[HeapNoneSpan], new(HeapNonePool)),
		rows("HeapShard", rig.SpanAt[HeapShardSpan], new(HeapShardPool)), rows("HeapSync", rig.SpanAt[HeapSyncSpan], new(HeapSyncPool)),
		rows("HeapLate", rig.SpanAt[HeapLateSpan], new(HeapLatePool)), rows("ClassShard", rig.SpanAt[ClassShardSpan], new(ClassShardPool)),
		rows("Ring", rig.SpanAt[RingSpan], new(RingPool)), rows("Virtual", rig.SpanAt[VirtualSpan], new(VirtualPool)),
		rows("Stage", rig.BytesAt, new(StagePool)), rows("Direct", rig.SpanAt[DirectSpan], new(DirectPool)), rows("Driver", rig.SpanAt[DriverSpan], new(DriverPool)),
	}
}

// samples fails the test unless exactly so many blocks are sampled and live.
func (f form) samples(t *testing.T, when string, want int64) {
	t.Helper()
	var blocks, bytes int64
	for _, l := range f.pool.Leaks() {
		blocks, bytes = blocks+l.Count, bytes+l.Bytes
	}
	if live := f.pool.Stats().Live; blocks != want || bytes != want*size || live != want {
		t.Errorf("%s: %d blocks of %d bytes are sampled, and %d are live, not %d", when, blocks, bytes, live, want)
	}
}

// A block of a device is sampled until it is freed, at once or on a stream. If the stream gets it again, it is sampled again.
func TestExactOnStreams(t *testing.T) {
	rig.Machine(t, sim.Config{})
	for _, f := range all() {
		t.Run(f.name, func(t *testing.T) {
			s := rig.Stream(t, 0)
			var held []rig.Block
			for i := range 6 {
				b, err := f.Alloc(size)
				rig.Check(t, "Alloc", err)
				f.samples(t, "Alloc", int64(i)+1)
				held = append(held, b)
			}
			rig.Check(t, "Free", f.Free(held[0]))
			f.samples(t, "Free", 5)
			for _, b := range held[1:] {
				rig.Check(t, "FreeOn", f.FreeOn(b, s))
			}
			f.samples(t, "FreeOn", 0)
			if err := f.FreeOn(held[5], s); !errors.Is(err, poolrt.ErrInvalidFree) {
				t.Errorf("second free: %v", err)
			}
			for round := int64(1); f.AllocOn != nil && round <= 6; round++ { // of what was freed on the stream, which has not got so far
				b, err := f.AllocOn(size, s)
				rig.Check(t, "AllocOn", err)
				f.samples(t, "AllocOn", 1)
				rig.Check(t, "FreeOn", f.FreeOn(b, s))
				f.samples(t, "FreeOn", 0)
			}
			if f.batch != nil {
				f.batch(t, s)
				f.samples(t, "batches", 0)
			}
			rig.Check(t, "stream", s.Synchronize())
			f.pool.Poll()
			rig.Check(t, "Close", f.pool.Close())
		})
	}
}
