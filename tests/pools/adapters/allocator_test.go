package adapters

import (
	"errors"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func wantZero(t *testing.T, b []byte) {
	t.Helper()
	for i := range b {
		if b[i] != 0 {
			t.Fatalf("byte %d of %d is not 0", i, len(b))
		}
	}
}

// Memory is zero and aligned, also where another block was before, and reallocation keeps the content.
func TestAllocator(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		a := k.allocator
		for _, n := range []int{1, 64, 100, 1000, 5000} {
			dirty := a.Allocate(2 * n)
			fill(dirty, 1)
			a.Free(dirty)
			b := a.Allocate(n)
			if len(b) != n || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 != 0 {
				t.Errorf("Allocate(%d) has length %d and begins at %p", n, len(b), unsafe.SliceData(b))
			}
			wantZero(t, b)
			fill(b, 2)
			half := a.Reallocate(n/2, b)
			if unsafe.SliceData(half) != unsafe.SliceData(b) || len(half) != n/2 || cap(half) != n {
				t.Errorf("Reallocate(%d) of %d has moved", n/2, n)
			}
			larger := a.Reallocate(2*n, half)
			wantFilled(t, larger[:n/2], 2)
			wantZero(t, larger[n/2:])
			k.wantLive(t, 1)
			a.Free(larger[:n/2])
			k.wantLive(t, 0)
		}
		a.Free(a.Reallocate(100, nil))
		a.Free(a.Reallocate(100, a.Allocate(0)))
		a.Free(a.Allocate(0))
		a.Free(nil)
		k.wantLive(t, 0)
		wantStats(t, a, poolrt.AdapterStats{})
	})
}

// A request that the pool refuses is a panic with the error of the pool, and changes nothing.
func TestAllocatorAtTheLimit(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		a := k.allocator
		b := a.Allocate(1000)
		fill(b, 1)
		for n, want := range map[int]error{1 << 20: poolrt.ErrTooLarge, -1: poolrt.ErrBadSize} {
			for _, request := range []func(){func() { a.Allocate(n) }, func() { a.Reallocate(n, b) }} {
				err := panicOf(request)
				if !errors.Is(err, want) || !errors.As(err, new(*poolrt.PoolError)) {
					t.Errorf("%d bytes: %v, want %v", n, err, want)
				}
			}
		}
		k.wantLive(t, 1)
		wantFilled(t, b, 1)
		a.Free(b)
	})
}

func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// A free of what is no whole block changes nothing, and is counted.
func TestAllocatorRefuses(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		a := k.allocator
		b := a.Allocate(1000)
		a.Free(b[64:])
		a.Free(make([]byte, 100))
		wantStats(t, a, poolrt.AdapterStats{Refused: 1, Foreign: 1})
		k.wantLive(t, 1)
		a.Free(b)
	})
}
