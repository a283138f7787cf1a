package sharded

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Of several frees of one block at the same time, one succeeds, whatever batch it is in.
func TestFixedSimultaneousFrees(t *testing.T) {
	eachItem(t, fixedFrees, fixedFrees, fixedFrees, fixedFrees, fixedFrees, fixedFrees)
}

func fixedFrees[R comparable](t *testing.T, test itemTest[R]) {
	p := test.make(t)
	for range 300 {
		batch := make([]R, 8)
		_, err := p.AllocBatch(batch)
		check(t, "alloc", err)
		var freed, refused atomic.Int64
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				for i := range batch {
					var err error
					if k == 0 {
						err = p.FreeBatch(batch[i : i+1])
					} else {
						err = p.Free(batch[i])
					}
					switch {
					case err == nil:
						freed.Add(1)
					case errors.Is(err, poolrt.ErrInvalidFree):
						refused.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if freed.Load() != 8 || refused.Load() != 16 {
			t.Fatalf("%d frees succeeded, %d were refused", freed.Load(), refused.Load())
		}
	}
	check(t, "close", p.Close())
}

// Blocks in the magazines of processors are not live: they cannot be freed.
func TestFixedMagazinesCannotBeFreed(t *testing.T) {
	p := new(pools.KeptTicketPool)
	check(t, "track", p.Track(0, 1000))
	id, err := p.Alloc()
	check(t, "alloc", err)
	if s := p.Stats(); poolimpl.Pins && s.Cached == 0 {
		t.Errorf("%+v", s)
	}
	for i := range pools.KeptTicketID(1000) {
		if i == id {
			continue
		}
		if err := p.Free(i); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("number %d: %v", i, err)
		}
	}
	check(t, "free", p.Free(id))
	check(t, "close", p.Close())
}
