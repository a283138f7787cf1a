package poolimpl

import (
	"errors"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// CloseForce among frees: each block goes back to the driver once, by the free or by CloseForce.
func TestCloseAmongFreesToDriver(t *testing.T) {
	const blocks = 1000
	s := Stream{Handle: 1, ID: 1}
	for range 100 {
		p := newOrderedRig(t)
		p.config.Limit = poolrt.NoLimit
		var mu sync.Mutex
		back := map[uint64]int{}
		p.source.onTake = func(c Chunk) {
			mu.Lock()
			defer mu.Unlock()
			back[c.Addr]++
		}
		var addrs []uint64
		for range blocks {
			addr, err := allocInOrder(p.ready(), s, 100)
			fatal.If(t, err)
			addrs = append(addrs, addr)
		}
		begun := make(chan bool)
		var done sync.WaitGroup
		done.Go(func() {
			for i, addr := range addrs {
				if i == blocks/10 {
					close(begun)
				}
				if err := freeInOrder(p.ready(), s, addr, 100); err != nil && !errors.Is(err, poolrt.ErrClosed) {
					t.Errorf("a free: %v", err)
				}
			}
		})
		<-begun
		if err := p.ready().CloseForce(func() {}); err != nil {
			t.Error(err)
		}
		done.Wait()
		for _, addr := range addrs {
			if back[addr] != 1 {
				t.Fatalf("%#x went back %d times", addr, back[addr])
			}
		}
	}
}
