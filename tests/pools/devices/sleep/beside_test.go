//go:build cudasim

package sleep

import (
	"errors"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Goroutines allocate and free, on streams and without, while others make the pool sleep and wake, trim it and read its figures. None is refused for another
// reason than that the pool is asleep, and no block is lost.
func TestBesideOthers(t *testing.T) {
	machine(t)
	p := new(FlowPool)
	rig.Closing(t, p)
	var users, sleepers sync.WaitGroup
	stop := make(chan struct{})
	for id := range 3 {
		s := rig.Stream(t, 0)
		users.Go(func() {
			for i := range 300 {
				n := 1 + (i*7919+id*104729)%(3*page/2)
				b, err := p.AllocContext(ctx, n)
				if i%3 == 0 && err == nil {
					var more FlowSpan
					if more, err = p.AllocOn(n, s); err == nil {
						err = p.FreeOn(more, s)
					} else if errors.Is(err, poolrt.ErrAsleep) {
						err = nil
					}
				}
				if err = errors.Join(err, p.Free(b)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for id := range 2 {
		sleepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := p.Sleep(ctx); err != nil && !errors.Is(err, poolrt.ErrAsleep) {
					t.Error(err)
				}
				if _, err := p.Trim(int64(id) * page); err != nil {
					t.Error(err)
				}
				if err := p.Wake(ctx); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Millisecond) // for the others to use the pool, also where they are slow
			}
		})
	}
	users.Wait()
	close(stop)
	sleepers.Wait()
	if s := p.Stats(); s.Asleep != 0 || s.Live != 0 {
		t.Errorf("at the end: %v", s)
	}
}
