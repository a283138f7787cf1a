package pools

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
)

// Block is what any of the pools hands out.
type Block struct {
	Addr  cuda.DevicePtr
	Bytes int64
	own   any // as the pool knows it
}

// Subject is a pool under test.
type Subject struct {
	Name    string
	Largest int                                       // bytes of the largest block worth asking for
	AllocOn func(n int, s cuda.Stream) (Block, error) // nil: blocks are not allocated on streams
	Alloc   func(n int) (Block, error)
	FreeOn  func(b Block, s cuda.Stream) error
	Free    func(b Block) error
	Pool    Whole
}

// Whole is what all pools have.
type Whole interface {
	Stats() runtime.Stats
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

// device makes a Subject of a pool of spans; without alloc on streams, plain ones are used.
func device[S span](name string, largest int, p interface {
	Whole
	Alloc(int) (S, error)
	Free(S) error
	FreeAsync(S, cuda.Stream) error
}) Subject {
	wrap := func(s S, err error) (Block, error) {
		if err != nil {
			return Block{}, err
		}
		return Block{s.Addr(), s.Bytes(), s}, nil
	}
	c := Subject{Name: name, Largest: largest, Pool: p,
		Alloc:  func(n int) (Block, error) { return wrap(p.Alloc(n)) },
		Free:   func(b Block) error { return p.Free(b.own.(S)) },
		FreeOn: func(b Block, s cuda.Stream) error { return p.FreeAsync(b.own.(S), s) },
	}
	if on, ok := p.(interface {
		AllocOn(int, cuda.Stream) (S, error)
	}); ok {
		c.AllocOn = func(n int, s cuda.Stream) (Block, error) { return wrap(on.AllocOn(n, s)) }
	}
	return c
}

// cells makes a Subject of a pool of single items.
func cells[C interface{ Addr() cuda.DevicePtr }](name string, p interface {
	Whole
	Alloc() (C, error)
	AllocOn(cuda.Stream) (C, error)
	Free(C) error
	FreeOn(C, cuda.Stream) error
}) Subject {
	wrap := func(c C, err error) (Block, error) { return Block{c.Addr(), 256, c}, err }
	return Subject{Name: name, Largest: 1, Pool: p,
		Alloc:   func(int) (Block, error) { return wrap(p.Alloc()) },
		AllocOn: func(_ int, s cuda.Stream) (Block, error) { return wrap(p.AllocOn(s)) },
		Free:    func(b Block) error { return p.Free(b.own.(C)) },
		FreeOn:  func(b Block, s cuda.Stream) error { return p.FreeOn(b.own.(C), s) },
	}
}

// staged is the pool of page-locked memory.
func staged() Subject {
	p := new(StagePool)
	wrap := func(s []byte, err error) (Block, error) {
		if err != nil {
			return Block{}, err
		}
		return Block{cuda.AddressOf(s), int64(len(s)), s}, nil
	}
	return Subject{Name: "stage", Largest: 16 << 10, Pool: p,
		Alloc:   func(n int) (Block, error) { return wrap(p.Alloc(n)) },
		AllocOn: func(n int, s cuda.Stream) (Block, error) { return wrap(p.AllocOn(n, s)) },
		Free:    func(b Block) error { return p.Free(b.own.([]byte)) },
		FreeOn:  func(b Block, s cuda.Stream) error { return p.FreeOn(b.own.([]byte), s) },
	}
}

// Subjects are fresh pools of every kind.
func Subjects() []Subject {
	return []Subject{
		cells("cell", new(CellPool)),
		device("heap", 48<<10, new(HeapPool)),
		device("best", 48<<10, new(BestPool)),
		device("binned", 16<<10, new(BinnedPool)),
		device("classes", 16<<10, new(ClassesPool)),
		device("ring", 16<<10, new(RingPool)),
		device("direct", 48<<10, new(DirectPool)),
		device("own", 48<<10, new(OwnPool)),
		device("late", 48<<10, new(LatePool)),
		device("async", 48<<10, new(AsyncPool)),
		device("custom", 48<<10, new(CustomPool)),
		device("virtual", 1<<20, new(VirtualPool)),
		device("idle", 48<<10, new(IdlePool)),
		staged(),
		cells("cell sharded", new(CellShardPool)),
		cells("cell with magazines", new(CellKeptPool)),
		device("heap sharded", 48<<10, new(HeapShardPool)),
		device("classes sharded", 16<<10, new(ClassShardPool)),
		device("idle sharded", 16<<10, new(IdleShardPool)),
		device("late sharded", 48<<10, new(LateShardPool)),
	}
}
