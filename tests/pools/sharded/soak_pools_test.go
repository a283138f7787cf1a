package sharded

import (
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// soakPool has the methods that a soak needs of a pool.
type soakPool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Stats() poolrt.Stats
	Trim(keep int64) (int64, error)
	SetLimit(int64) error
	Close() error
}

type aligner interface {
	AllocAligned(n, align int) ([]byte, error)
}

// resetting is a pool whose blocks are freed all at once.
type resetting interface {
	soakPool
	Reset() error
}

// subject is a kind of pool, with its players and its checks.
type subject struct {
	name    string
	weight  int   // its share of the operations: less if they take longer
	most    int   // size of the largest block, in bytes
	window  int   // a free picks one of this many oldest blocks
	parts   int64 // of the limit; the goroutines hold one to six of them
	make    func() soakPool
	players func(soakPool, seating) []player
	judge   func(soakPool, []player) error
}

// freely makes a subject whose blocks are freed one by one, in any order.
func freely(name string, weight int, make func() soakPool) subject {
	return subject{name, weight, 1 << 20, 1 << 20, 4, make, hands, judgeHands}
}

// soaked lists the sharded pools of host memory.
func soaked() []subject {
	return []subject{
		freely("fixed", 10, func() soakPool { return single[[8]uint64]{new(pools.CellPool)} }),
		freely("fixed, trimmed", 10, func() soakPool { return single[[100]byte]{new(pools.DrainedPool)} }),
		freely("heap", 10, func() soakPool { return new(pools.HeapPool) }),
		freely("heap, best fit, trimmed", 4, func() soakPool { return new(pools.BestPool) }),
		freely("binned", 10, func() soakPool { return new(pools.BinnedPool) }),
		freely("classes", 10, func() soakPool { return new(pools.ClassedPool) }),
		// One live block keeps the memory of all later blocks from being reused.
		{"ring", 2, 4 << 10, 16, 32, func() soakPool { return new(pools.RingPool) }, hands, judgeHands},
		{"bump", 10, 0, 0, 1, func() soakPool { return bump{new(pools.BumpPool)} }, bumpers, judgeBumpers},
	}
}

// single presents a pool of blocks of one size as a pool of bytes. It allocates and frees some blocks in batches.
type single[T any] struct{ itemPool[*T] }

func (p single[T]) Alloc(n int) ([]byte, error) {
	one := [1]*T{}
	var err error
	if n%2 == 0 {
		one[0], err = p.itemPool.Alloc()
	} else {
		_, err = p.AllocBatch(one[:])
	}
	if err != nil {
		return nil, err
	}
	return rig.BytesOf(one[0]), nil
}

func (p single[T]) Free(b []byte) error {
	one := [1]*T{rig.ItemOf[T](b)}
	if uintptr(unsafe.Pointer(one[0]))/unsafe.Sizeof(*one[0])%2 == 0 {
		return p.itemPool.Free(one[0])
	}
	return p.FreeBatch(one[:])
}

// bump has no free of single blocks.
type bump struct{ *pools.BumpPool }

func (bump) Free([]byte) error { panic("never called") }
