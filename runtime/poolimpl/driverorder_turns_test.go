package poolimpl

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// Once callers have met, one at a time is in the driver.
func TestTurns(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	pair := func() {
		addr, err := allocInOrder(p.ready(), s, 100)
		if err == nil {
			err = freeInOrder(p.ready(), s, addr, 100)
		}
		if err != nil {
			t.Error(err)
		}
	}
	pair() // opens the pool
	if before := p.DriverBlocks.reserved.Load(); p.DriverBlocks.reserve(before+1, before+2) {
		t.Fatal("claimed though another caller was faster")
	}
	var inside, most atomic.Int32
	enter := func() error {
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		runtime.Gosched()
		inside.Add(-1)
		return nil
	}
	p.source.onAlloc, p.onFree = func(int) error { return enter() }, enter
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for range 50 {
				pair()
			}
		})
	}
	done.Wait()
	if n := most.Load(); n != 1 {
		t.Errorf("%d callers were in the driver at once", n)
	}
	for range calm {
		pair()
	}
	if p.terms.crowded.Load() {
		t.Error("a caller that is alone still takes turns")
	}
}

// If the driver's side panics during a turn, the turn ends.
func TestTurnEndsWithPanic(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	addr, err := allocInOrder(p.ready(), s, 100)
	if err != nil {
		t.Fatal(err)
	}
	p.met()
	for _, play := range []func(){
		func() { _, _ = allocInOrder(p.ready(), s, 100) },
		func() { _ = freeInOrder(p.ready(), s, addr, 100) },
	} {
		p.source.onAlloc = func(int) error { panic("the driver's side") }
		p.onFree = func() error { panic("the driver's side") }
		func() {
			defer func() { _ = recover() }()
			play()
		}()
		if !p.turns.mu.TryLock() {
			t.Fatal("the turn goes on")
		}
		p.turns.mu.Unlock()
	}
}

// What each call reads and what it changes lie in cache lines of their own.
func TestDriverBlocksLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("the lines are laid out for addresses of 64 bits")
	}
	var d DriverBlocks
	if n := unsafe.Offsetof(d.parts) + unsafe.Sizeof(d.parts); n != 64 {
		t.Errorf("a call reads %d bytes", n)
	}
	if gap := unsafe.Offsetof(d.reserved) - unsafe.Offsetof(d.parts); gap < 64 {
		t.Errorf("the count is %d bytes from what calls read", gap)
	}
	if n := unsafe.Sizeof(driverBlock{}); n != 64 {
		t.Errorf("a block has %d bytes", n)
	}
	if n := unsafe.Sizeof(driverPart{}); n%64 != 0 {
		t.Errorf("a part has %d bytes", n)
	}
}
