package poolimpl

import (
	rt "runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever is pinned has seen what was written before Synchronize was called, or has done by the time it returns.
func TestSynchronize(t *testing.T) {
	if !Pins {
		t.Skip("nobody is ever pinned")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(4))
	type place struct {
		old atomic.Bool // somebody pinned there has seen the old word
		_   [124]byte
	}
	places := make([]place, 4)
	var word atomic.Uint64
	var done atomic.Bool
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for !done.Load() {
				at := &places[Pin()]
				if word.Load()&1 == 0 {
					at.old.Store(true)
					for range 100 { // long enough for others to come in between
						_ = word.Load()
					}
					at.old.Store(false)
				}
				Unpin()
				rt.Gosched()
			}
		})
	}
	atWork := func() (any bool) {
		for i := range places {
			any = any || places[i].old.Load()
		}
		return any
	}
	for range 500 {
		for range 100 {
			if atWork() {
				break
			}
			rt.Gosched()
		}
		word.Add(1)
		Synchronize()
		if atWork() {
			t.Error("a processor is still at what it did before")
		}
		word.Add(1)
	}
	done.Store(true)
	all.Wait()
}

// What Synchronize costs while all processors are busy pinning somebody.
func BenchmarkSynchronize(b *testing.B) {
	var done atomic.Bool
	for range rt.GOMAXPROCS(0) {
		go func() {
			for !done.Load() {
				pinned()
			}
		}()
	}
	defer done.Store(true)
	for range b.N {
		Synchronize()
	}
}

// pinned pins as fast paths do, in a function that checks the stack, where goroutines can be stopped.
//
//go:noinline
func pinned() {
	Pin()
	Unpin()
}
