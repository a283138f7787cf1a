package sharded

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Numbers are tracked and untracked while other numbers are in use.
func TestFixedNumbers(t *testing.T) {
	p := new(pools.TicketPool)
	check(t, "track", p.Track(0, 10))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2000 {
				if id, ok := p.TryAlloc(); ok {
					report(t, "free", p.Free(id))
				}
			}
		})
	}
	for i := range uint64(300) {
		check(t, "track", p.Track(100+i*10, 10))
		for err := p.Untrack(100+i*10, 10); err != nil; err = p.Untrack(100+i*10, 10) {
			if !errors.Is(err, poolrt.ErrLive) {
				t.Fatal(err)
			}
			runtime.Gosched()
		}
	}
	wg.Wait()
	check(t, "close", p.Close())
}

// A free of a number below all tracked numbers, which are few and close together, is refused as that of any untracked number.
func TestFixedNumberBelowAllIsRefused(t *testing.T) {
	p := new(pools.TicketPool)
	check(t, "track", p.Track(10, 1))
	check(t, "track", p.Track(12, 1))
	for id := range pools.TicketID(10) {
		if err := p.Free(id); !errors.Is(err, poolrt.ErrForeign) {
			t.Errorf("number %d: %v", id, err)
		}
	}
	check(t, "close", p.Close())
}
