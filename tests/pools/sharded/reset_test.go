package sharded

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// resetter is such a pool with Reset.
type resetter interface {
	pool
	Reset() error
}

// resettable lists the pools whose live blocks Reset frees, with slabs and without.
var resettable = map[string]func() resetter{
	"heap":    func() resetter { return new(pools.HeapPool) },
	"best":    func() resetter { return new(pools.BestPool) },
	"binned":  func() resetter { return new(pools.BinnedPool) },
	"classed": func() resetter { return new(pools.ClassedPool) },
	"small":   func() resetter { return new(pools.SmallPool) },
}

// Reset frees what all goroutines hold. Each then frees single blocks again, and the blocks from before are refused.
func TestResetBetweenPhases(t *testing.T) {
	for name, fresh := range resettable {
		t.Run(name, func(t *testing.T) {
			p := fresh()
			for range 10 {
				var held [4][][]byte
				var workers sync.WaitGroup
				for id := range held {
					workers.Go(func() {
						r := rand.New(rand.NewPCG(uint64(id), 3))
						for range 60 {
							b, err := p.Alloc(1 + r.IntN(600))
							if !report(t, "alloc", err) {
								return
							}
							b[0], b[len(b)-1] = byte(id), byte(id)
							held[id] = append(held[id], b)
							if r.IntN(3) == 0 {
								k := r.IntN(len(held[id]))
								report(t, "free", p.Free(held[id][k]))
								held[id] = append(held[id][:k], held[id][k+1:]...)
							}
						}
						for _, b := range held[id] {
							if b[0] != byte(id) || b[len(b)-1] != byte(id) {
								t.Errorf("a block of goroutine %d was overwritten", id)
							}
						}
					})
				}
				workers.Wait()
				check(t, "reset", p.Reset())
				if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Cached != 0 || s.Frees != s.Allocs {
					t.Errorf("after Reset: %+v", s)
				}
				for _, list := range held {
					for _, b := range list {
						if err := p.Free(b); !errors.Is(err, poolrt.ErrInvalidFree) {
							t.Errorf("free after Reset: %v", err)
						}
					}
				}
			}
			check(t, "close", p.Close())
		})
	}
}

// While the pool is reset, other goroutines allocate and free. The pool is whole afterwards.
func TestResetMeanwhile(t *testing.T) {
	for name, fresh := range resettable {
		t.Run(name, func(t *testing.T) {
			p := fresh()
			stop := make(chan struct{})
			var workers sync.WaitGroup
			for id := range 4 {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(uint64(id), 5))
					for {
						select {
						case <-stop:
							return
						default:
						}
						b, err := p.Alloc(1 + r.IntN(3000))
						if !report(t, "alloc", err) {
							return
						}
						if err := p.Free(b); err != nil && !errors.Is(err, poolrt.ErrInvalidFree) { // Reset may have freed it
							t.Errorf("free: %v", err)
						}
					}
				})
			}
			for range 200 {
				check(t, "reset", p.Reset())
			}
			close(stop)
			workers.Wait()
			check(t, "reset", p.Reset())
			if _, err := p.Trim(0); err != nil {
				t.Error(err)
			}
			if s := p.Stats(); s.Live != 0 || s.Reserved != 0 {
				t.Errorf("afterwards: %+v", s)
			}
			check(t, "close", p.Close())
		})
	}
}
