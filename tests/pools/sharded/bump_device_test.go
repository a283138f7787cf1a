//go:build cudasim

package sharded

import (
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Goroutines allocate clear device memory from one pool; blocks do not overlap.
func TestBumpDevice(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	p := new(pools.UploadPool)
	rig.Closing(t, p)
	for range 2 {
		var mu sync.Mutex
		var all []extent
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
				check := func(what string, err error) {
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				for i := range 100 {
					b, err := p.Alloc(1 + i)
					if err != nil {
						t.Error(err)
						return
					}
					got := make([]byte, b.Bytes())
					check("copy", cuda.CopyToHostAsync(got, b.Addr(), s))
					if slices.ContainsFunc(got, func(x byte) bool { return x != 0 }) {
						t.Error("the block is not clear")
					}
					check("fill", cuda.MemsetAsync(b.Addr(), 0xA5, b.Bytes(), s))
					check("wait", s.Synchronize())
					mu.Lock()
					all = append(all, extent{uintptr(b.Addr()), uintptr(b.Bytes())})
					mu.Unlock()
				}
				check("stream", s.Close())
			})
		}
		wg.Wait()
		disjoint(t, all)
		if s := p.Stats(); s.Live != 300 {
			t.Errorf("%+v", s)
		}
		rig.Check(t, "reset", p.Reset())
	}
}
