//go:build cudasim

package streams

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
)

// block is what any of the pools hands out.
type block struct {
	addr  cuda.DevicePtr
	bytes int64
	own   any // as the pool knows it
}

// subject is a pool under test.
type subject struct {
	name    string
	largest int // bytes of the largest block worth asking for
	allocOn func(n int, s cuda.Stream) (block, error)
	alloc   func(n int) (block, error)
	freeOn  func(b block, s cuda.Stream) error
	free    func(b block) error
	pool    whole
}

// whole is what all pools have.
type whole interface {
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

// device makes a subject of a pool of spans; without alloc on streams, plain ones are used.
func device[S span](name string, largest int, p interface {
	whole
	Alloc(int) (S, error)
	Free(S) error
	FreeAsync(S, cuda.Stream) error
}) subject {
	wrap := func(s S, err error) (block, error) {
		if err != nil {
			return block{}, err
		}
		return block{s.Addr(), s.Bytes(), s}, nil
	}
	c := subject{name: name, largest: largest, pool: p,
		alloc:  func(n int) (block, error) { return wrap(p.Alloc(n)) },
		free:   func(b block) error { return p.Free(b.own.(S)) },
		freeOn: func(b block, s cuda.Stream) error { return p.FreeAsync(b.own.(S), s) },
	}
	if on, ok := p.(interface {
		AllocOn(int, cuda.Stream) (S, error)
	}); ok {
		c.allocOn = func(n int, s cuda.Stream) (block, error) { return wrap(on.AllocOn(n, s)) }
	}
	return c
}

// cells is the pool of single items.
func cells() subject {
	p := new(CellPool)
	wrap := func(c CellPtr, err error) (block, error) { return block{c.Addr(), 256, c}, err }
	return subject{name: "cell", largest: 1, pool: p,
		alloc:   func(int) (block, error) { return wrap(p.Alloc()) },
		allocOn: func(_ int, s cuda.Stream) (block, error) { return wrap(p.AllocOn(s)) },
		free:    func(b block) error { return p.Free(b.own.(CellPtr)) },
		freeOn:  func(b block, s cuda.Stream) error { return p.FreeOn(b.own.(CellPtr), s) },
	}
}

// staged is the pool of page-locked memory.
func staged() subject {
	p := new(StagePool)
	wrap := func(s []byte, err error) (block, error) {
		if err != nil {
			return block{}, err
		}
		return block{cuda.AddressOf(s), int64(len(s)), s}, nil
	}
	return subject{name: "stage", largest: 16 << 10, pool: p,
		alloc:   func(n int) (block, error) { return wrap(p.Alloc(n)) },
		allocOn: func(n int, s cuda.Stream) (block, error) { return wrap(p.AllocOn(n, s)) },
		free:    func(b block) error { return p.Free(b.own.([]byte)) },
		freeOn:  func(b block, s cuda.Stream) error { return p.FreeOn(b.own.([]byte), s) },
	}
}

// subjects are fresh pools of every kind.
func subjects() []subject {
	return []subject{
		cells(),
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
	}
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
