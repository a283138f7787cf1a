package streams

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// Block is a block of any of the pools.
type Block = rig.Block

// Subject presents a pool of any type.
type Subject struct {
	rig.Streamed
	Name    string
	Largest int // size of the largest block, in bytes
	Pool    Whole
}

// Whole has the methods that all pools have.
type Whole interface {
	Stats() poolrt.Stats
	Poll() int
	Trim(int64) (int64, error)
	Close() error
	CloseForce() error
}

// span is a block of the pools of device memory.
type span interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// device makes a Subject of a pool of spans; without allocOn, blocks are allocated without a stream.
func device[S span](name string, largest int, p interface {
	Whole
	Alloc(int) (S, error)
	Free(S) error
	FreeAsync(S, cuda.Stream) error
}) Subject {
	var allocOn func(int, cuda.Stream) (S, error)
	if on, ok := p.(spansOn[S]); ok {
		aligned := func(n int, s cuda.Stream) (S, error) { return on.AllocAlignedOn(n, 64, s) }
		context := func(n int, s cuda.Stream) (S, error) { return on.AllocContextOn(patience(), n, s) }
		allocOn = inTurn(on.AllocOn, aligned, context)
	}
	return Subject{rig.StreamedOf(rig.SpanAt[S], p.Alloc, allocOn, p.Free, p.FreeAsync), name, largest, p}
}

// spansOn has the ways to allocate a span on a stream.
type spansOn[S span] interface {
	AllocOn(int, cuda.Stream) (S, error)
	AllocAlignedOn(n, align int, s cuda.Stream) (S, error)
	AllocContextOn(context.Context, int, cuda.Stream) (S, error)
}

// inTurn returns a function that calls the given ones in turn.
func inTurn[S any](ways ...func(int, cuda.Stream) (S, error)) func(int, cuda.Stream) (S, error) {
	var calls atomic.Uint32
	return func(n int, s cuda.Stream) (S, error) { return ways[calls.Add(1)%uint32(len(ways))](n, s) }
}

// patience returns a context that ends soon.
func patience() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	return ctx
}

// cells makes a Subject of a pool of single items.
func cells[C interface{ Addr() cuda.DevicePtr }](name string, p interface {
	Whole
	Alloc() (C, error)
	AllocOn(cuda.Stream) (C, error)
	AllocContextOn(context.Context, cuda.Stream) (C, error)
	AllocBatchOn([]C, cuda.Stream) (int, error)
	Free(C) error
	FreeBatchOn([]C, cuda.Stream) error
}) Subject {
	context := func(_ int, s cuda.Stream) (C, error) { return p.AllocContextOn(patience(), s) }
	batch := func(_ int, s cuda.Stream) (C, error) {
		var one [1]C
		_, err := p.AllocBatchOn(one[:], s)
		return one[0], err
	}
	freeOn := func(c C, s cuda.Stream) error { return p.FreeBatchOn([]C{c}, s) }
	at := func(c C) (cuda.DevicePtr, int64) { return c.Addr(), 256 }
	return Subject{rig.StreamedOf(at, rig.Single(p.Alloc), inTurn(rig.SingleOn(p.AllocOn), context, batch), p.Free, freeOn), name, 1, p}
}

// staged is the pool of page-locked memory.
func staged() Subject {
	p := new(pools.StagePool)
	return Subject{rig.StreamedOf(rig.BytesAt, p.Alloc, p.AllocOn, p.Free, p.FreeOn), "stage", 16 << 10, p}
}

// Subjects returns new pools of every kind.
func Subjects() []Subject {
	return []Subject{
		cells("cell", new(pools.CellPool)),
		device("heap", 48<<10, new(pools.HeapPool)),
		device("best", 48<<10, new(pools.BestPool)),
		device("binned", 16<<10, new(pools.BinnedPool)),
		device("classes", 16<<10, new(pools.ClassesPool)),
		device("ring", 16<<10, new(pools.RingPool)),
		device("direct", 48<<10, new(pools.DirectPool)),
		device("driver", 48<<10, new(pools.DriverPool)),
		device("driver sharded", 48<<10, new(pools.DriverShardPool)),
		device("driver alone", 48<<10, new(pools.DriverOwnPool)),
		device("own", 48<<10, new(pools.OwnPool)),
		device("late", 48<<10, new(pools.LatePool)),
		device("async", 48<<10, new(pools.AsyncPool)),
		device("custom", 48<<10, new(pools.CustomPool)),
		device("virtual", 1<<20, new(pools.VirtualPool)),
		device("idle", 48<<10, new(pools.IdlePool)),
		device("peak", 48<<10, new(pools.PeakPool)),
		device("apart", 48<<10, new(pools.ApartPool)),
		device("grow", 48<<10, new(pools.GrowPool)),
		device("peak of pages", 3<<20, new(pools.PeakPagesPool)),
		device("growth of pages", 1<<20, new(pools.GrowPagesPool)),
		device("peak of pages sharded", 3<<20, new(pools.PeakPagesShardPool)),
		device("growth of pages sharded", 1<<20, new(pools.GrowPagesShardPool)),
		device("idle pages sharded", 1<<20, new(pools.IdlePagesShardPool)),
		staged(),
		cells("cell sharded", new(pools.CellShardPool)),
		cells("cell with magazines", new(pools.CellKeptPool)),
		device("heap sharded", 48<<10, new(pools.HeapShardPool)),
		device("classes sharded", 16<<10, new(pools.ClassShardPool)),
		device("idle sharded", 16<<10, new(pools.IdleShardPool)),
		device("peak sharded", 16<<10, new(pools.PeakShardPool)),
		device("late sharded", 48<<10, new(pools.LateShardPool)),
		device("slabs and heaps", 48<<10, new(pools.HeapSlabsPool)),
		device("slabs and bins", 16<<10, new(pools.BinSlabsPool)),
		device("slabs and classes", 16<<10, new(pools.ClassSlabsPool)),
		device("slabs that grow late", 48<<10, new(pools.GrowSlabsPool)),
		device("late slabs", 48<<10, new(pools.LateSlabsPool)),
	}
}
