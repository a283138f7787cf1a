package poolimpl

import (
	rt "runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Code that runs pinned either sees all writes before the call of Synchronize, or has unpinned when Synchronize returns.
func TestSynchronize(t *testing.T) {
	if !Pins {
		t.Skip("Pin does not pin here")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(4))
	type place struct {
		old atomic.Bool // a goroutine pinned here has read the old word
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
					for range 100 { // long enough for another goroutine to run in between
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
			t.Error("a goroutine that was pinned before Synchronize is still pinned")
		}
		word.Add(1)
	}
	done.Store(true)
	all.Wait()
}

// BenchmarkSynchronize measures Synchronize while goroutines pin and unpin on all processors.
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

// pinned pins as fast paths do. It is not inlined, so each call checks the stack, where the goroutine can be preempted.
//
//go:noinline
func pinned() {
	Pin()
	Unpin()
}
