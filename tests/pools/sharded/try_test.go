package sharded

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// TryAlloc finds memory wherever it is: two goroutines that run at the same time are on two processors, and one processor has all the memory.
func TestTryAllocOnAnyProcessor(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("there is one processor")
	}
	limit := poolrt.WithLimit(4 << 20)
	t.Run("heap", func(t *testing.T) { tryOnTwo(t, must(pools.NewHeapPool(limit))) })
	t.Run("binned", func(t *testing.T) { tryOnTwo(t, must(pools.NewBinnedPool(limit))) })
	t.Run("classes", func(t *testing.T) { tryOnTwo(t, must(pools.NewClassedPool(limit))) })
}

func must[P any](p P, err error) P {
	if err != nil {
		panic(err)
	}
	return p
}

func tryOnTwo(t *testing.T, p interface {
	Alloc(n int) ([]byte, error)
	TryAlloc(n int) ([]byte, bool)
	Free([]byte) error
	CloseForce() error
}) {
	defer func() {
		if err := p.CloseForce(); err != nil {
			t.Error(err)
		}
	}()
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{64, 4 << 10} {
		var all [][]byte
		for b, err := p.Alloc(n); err == nil; b, err = p.Alloc(n) {
			all = append(all, b)
		}
		for _, b := range all {
			fatal.If(t, p.Free(b))
		}
		runtime.GOMAXPROCS(2)
		var here atomic.Int32
		var done sync.WaitGroup
		for range 2 {
			done.Go(func() {
				for here.Add(1); here.Load() < 2; { // until both run
				}
				b, ok := p.TryAlloc(n)
				if !ok {
					t.Errorf("no block of %d bytes, and all memory is free", n)
					return
				}
				if err := p.Free(b); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		runtime.GOMAXPROCS(1)
	}
}
