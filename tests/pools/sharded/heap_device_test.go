//go:build cudasim

package sharded

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Goroutines allocate rows in device memory until the pool is full, and free them; rows are aligned and do not overlap, and at the end all of
// the memory is one free range per chunk again.
func TestGrid(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	p := new(pools.GridPool)
	rig.Closing(t, p)
	for round := range uint64(3) {
		var mu sync.Mutex
		var all []pools.GridSpan
		var wg sync.WaitGroup
		for id := range uint64(4) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(round, id))
				var held []pools.GridSpan
				for {
					n := 1 + r.IntN([]int{20, 500, 10000}[r.IntN(3)])
					b, err := p.Alloc(n)
					if err != nil {
						if !errors.Is(err, poolrt.ErrLimit) {
							t.Error(err)
						}
						break
					}
					if b.Len() != n || uint64(b.Addr())%256 != 0 {
						t.Errorf("%v for %d", b, n)
					}
					if held = append(held, b); r.IntN(3) == 0 {
						k := r.IntN(len(held))
						if err := p.Free(held[k]); err != nil {
							t.Error(err)
						}
						held[k] = held[len(held)-1]
						held = held[:len(held)-1]
					}
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, held...)
			})
		}
		wg.Wait()
		var places []extent
		for _, b := range all {
			places = append(places, extent{uintptr(b.Addr()), uintptr(b.Bytes())})
		}
		disjoint(t, places)
		s := p.Stats()
		if s.Live != int64(len(all)) || s.Reserved != s.Limit || s.LiveBytes < s.Limit/2 {
			t.Errorf("%d rows, %+v", len(all), s)
		}
		for _, b := range all {
			rig.Check(t, "free", p.Free(b))
			if err := p.Free(b); !errors.Is(err, poolrt.ErrInvalidFree) {
				t.Errorf("second free: %v", err)
			}
		}
		var chunks []pools.GridSpan
		for range s.Chunks {
			b, err := p.Alloc(256 << 10 / 4)
			rig.Check(t, "alloc of a chunk", err)
			chunks = append(chunks, b)
		}
		for _, b := range chunks {
			rig.Check(t, "free of a chunk", p.Free(b))
		}
	}
}
