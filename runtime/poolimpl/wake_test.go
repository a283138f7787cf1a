package poolimpl

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestWaitRoomInBudget: memory that another pool of the budget releases wakes all waiters that it can serve.
func TestWaitRoomInBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 200)
		other := newRig(t, func(c *Config) { c.Budget, c.ChunkSize = b, 200 })
		x := other.mustAlloc(200)
		wait := func(c *Config) { c.Budget, c.Ladder = b, []Rung{WaitRung{}} }
		p, q := newRig(t, wait), newRig(t, wait)
		var served atomic.Int64
		for range 3 {
			spawn(func() { p.mustAlloc(30); served.Add(1) })
		}
		spawn(func() { q.mustAlloc(100); served.Add(1) })
		other.mustFree(x)
		if _, err := other.Trim(0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if served.Load() != 4 {
			t.Errorf("%d of 4 were served", served.Load())
		}
	})
}

// TestWaitServedTogether: one free serves all waiters that it makes room for.
func TestWaitServedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Oversize, c.Ladder = 100, true, []Rung{WaitRung{}} })
		y := p.mustAlloc(100)
		var served atomic.Int64
		for range 4 {
			spawn(func() { p.mustAlloc(25); served.Add(1) })
		}
		p.mustFree(y)
		synctest.Wait()
		if served.Load() != 4 {
			t.Errorf("%d of 4 were served", served.Load())
		}
	})
}

// TestWaitMemoryComesBack: a pool whose source is out of memory waits without repeated calls of the source, and tries again when a chunk was freed.
func TestWaitMemoryComesBack(t *testing.T) {
	for _, budget := range []*Budget{nil, NewBudget("B", 1000)} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Budget, c.Oversize, c.Ladder = budget, true, []Rung{WaitRung{}} })
			x := p.mustAlloc(100)
			p.source.onAlloc = func(int) error { return errNoMemory }
			var served atomic.Int64
			for range 3 {
				spawn(func() { p.mustAlloc(150); served.Add(1) })
			}
			time.Sleep(time.Second / 2)
			if calls := p.source.calls(); calls > 10 {
				t.Errorf("the source was called %d times", calls)
			}
			p.source.onAlloc = nil
			p.mustFree(x)
			if _, err := p.Trim(0); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if served.Load() != 3 {
				t.Errorf("%d of 3 were served", served.Load())
			}
		})
	}
}

// TestWaitOutOfMemory: the reason stays ErrOutOfMemory; why the wait ended is part of the cause.
func TestWaitOutOfMemory(t *testing.T) {
	for _, budget := range []*Budget{nil, NewBudget("B", 1000)} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Budget, c.Ladder = budget, []Rung{WaitRung{}} })
			p.mustAlloc(100)
			p.source.onAlloc = func(int) error { return errNoMemory }
			_, err := p.alloc(1)
			for _, want := range []error{poolrt.ErrOutOfMemory, errNoMemory, context.DeadlineExceeded} {
				wantErr(t, "alloc", err, want)
			}
			if errors.Is(err, poolrt.ErrLimit) {
				t.Errorf("%v matches ErrLimit", err)
			}
			if p.source.calls() > 4 {
				t.Errorf("the source was called %d times", p.source.calls())
			}
		})
	}
}

// TestHopelessWait: an allocation for which the source has no memory does not wait if there is no live block that could be freed.
func TestHopelessWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Ladder = []Rung{WaitRung{}} })
		x := p.mustAlloc(100)
		noMemory := func(int) error { return errNoMemory }
		p.source.onAlloc = noMemory
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		p.mustFree(x)
		p.mustTrim()
		for _, ctx := range []context.Context{nil, t.Context(), ended} {
			_, err := p.ready().AllocContext(ctx, 1, 1)
			wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
			if errors.Is(err, context.Canceled) != (ctx == ended) {
				t.Errorf("got %v", err)
			}
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("waited %v", d)
		}
	})
}

// TestWaitServedByOthersGrowth: the rest of a chunk that one caller added serves the waiters.
func TestWaitServedByOthersGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Ladder = []Rung{WaitRung{}} })
		p.mustAlloc(100)
		fail := atomic.Bool{}
		fail.Store(true)
		p.source.onAlloc = func(int) error {
			if fail.Load() {
				return errNoMemory
			}
			return nil
		}
		var served atomic.Int64
		for range 3 {
			spawn(func() { p.mustAlloc(10); served.Add(1) })
		}
		fail.Store(false)
		p.mustAlloc(50)
		synctest.Wait()
		if served.Load() != 3 {
			t.Errorf("%d of 3 were served", served.Load())
		}
	})
}

// TestRetryKeepsPlace: a waiter that tried again and failed stays first in the queue.
func TestRetryKeepsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Oversize, c.Ladder = 300, true, []Rung{WaitRung{}} })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		c := p.mustAlloc(100)
		order := make(chan int, 2)
		spawn(func() { x := p.mustAlloc(250); order <- 1; p.mustFree(x) }) // only then is there room for the other
		spawn(func() { x := p.mustAlloc(100); order <- 2; p.mustFree(x) })
		p.Lock()
		p.waiters.queue[0].wake.give() // nothing was freed
		p.Unlock()
		synctest.Wait()
		p.mustFree(a)
		synctest.Wait()
		if len(order) > 0 {
			t.Error("the second overtook the first")
		}
		p.mustFree(b, c)
		if _, err := p.Trim(0); err != nil {
			t.Fatal(err)
		}
		if first, second := <-order, <-order; first != 1 || second != 2 {
			t.Errorf("served %d before %d", first, second)
		}
	})
}

// TestCloseWithNothing: Close also wakes the waiters of a pool without chunks.
func TestCloseWithNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 100)
		other := newRig(t, func(c *Config) { c.Budget = b })
		other.mustAlloc(1)
		p := newRig(t, func(c *Config) { c.Budget, c.Ladder, c.WaitTimeout = b, []Rung{WaitRung{}}, time.Hour })
		errs := make([]error, 3)
		for i := range errs {
			spawn(func() { _, errs[i] = p.alloc(1) })
		}
		wantErr(t, "close", p.close(), nil)
		synctest.Wait()
		for _, err := range errs {
			wantErr(t, "waiter", err, poolrt.ErrClosed)
		}
	})
}

// TestOutOfMemoryInTwoPools: two pools of a budget whose sources have no memory do not wake each other for ever.
func TestOutOfMemoryInTwoPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 100)
		wait := func(c *Config) { c.Budget, c.Ladder = b, []Rung{WaitRung{}} }
		pools := []*rig{newRig(t, wait), newRig(t, wait)}
		for _, p := range pools {
			p.source.onAlloc = func(int) error { time.Sleep(time.Millisecond); return errNoMemory }
			for range 2 {
				go func() { _, _ = p.alloc(100) }()
			}
		}
		time.Sleep(5 * time.Second)
		for _, p := range pools {
			if p.source.calls() > 10 {
				t.Errorf("the source was called %d times", p.source.calls())
			}
		}
	})
}

// TestLimitLoweredWhileWaiting: a request that has become too large for the limit stops waiting when it is first in the queue.
func TestLimitLoweredWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Oversize, c.Limit = true, 300 })
		x := p.mustAlloc(100)
		var err error
		spawn(func() { _, err = p.ready().AllocContext(context.WithoutCancel(t.Context()), 300, 1) })
		wantErr(t, "SetLimit", p.SetLimit(200), nil)
		synctest.Wait()
		wantErr(t, "alloc", err, poolrt.ErrTooLarge)
		p.mustFree(x)
	})
}
