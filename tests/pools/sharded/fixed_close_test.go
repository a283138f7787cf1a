package sharded

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Close fails while a block is live. CloseForce succeeds. Calls after it return ErrClosed.
func TestFixedCloseAmongOthers(t *testing.T) {
	eachItem(t, fixedClose, fixedClose, fixedClose, fixedClose, fixedClose, fixedClose)
}

func fixedClose[R comparable](t *testing.T, test itemTest[R]) {
	for round := range 30 {
		p := test.make(t)
		var wg sync.WaitGroup
		var enough atomic.Bool // on many processors there is always a block live
		for range 4 {
			wg.Go(func() {
				for !enough.Load() {
					b, err := p.Alloc()
					if errors.Is(err, poolrt.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if round%3 > 0 {
						test.write(b, 1)
					}
					if err := p.Free(b); err != nil && (round%3 > 0 || !errors.Is(err, poolrt.ErrClosed)) {
						t.Error(err)
					}
				}
			})
		}
		for tries := 0; round%3 > 0; tries++ {
			enough.Store(tries > 10)
			err := p.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, poolrt.ErrLive) {
				t.Error(err)
			}
			runtime.Gosched()
		}
		if round%3 == 0 {
			check(t, "close", p.CloseForce())
		}
		wg.Wait()
		if _, err := p.Alloc(); !errors.Is(err, poolrt.ErrClosed) {
			t.Errorf("alloc after close: %v", err)
		}
		if s := p.Stats(); s.Reserved != 0 || round%3 > 0 && s.Live != 0 {
			t.Errorf("%+v", s)
		}
	}
}
