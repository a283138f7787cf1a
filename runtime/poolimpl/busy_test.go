package poolimpl

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestGrowthFailsForOthersToo: a caller that waited for the growth of another, which failed, tries to grow the pool itself.
func TestGrowthFailsForOthersToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, nil)
		gate := make(chan struct{})
		p.source.onAlloc = func(call int) error {
			if call == 1 {
				<-gate
				return errNoMemory
			}
			return nil
		}
		var failed, served error = nil, errNoMemory
		spawn(func() { _, failed = p.alloc(50) })
		spawn(func() { _, served = p.alloc(50) })
		close(gate)
		synctest.Wait()
		wantErr(t, "first", failed, poolrt.ErrOutOfMemory)
		wantErr(t, "second", served, nil)
	})
}

// TestGrowthLeavesOthersFree: while the source allocates for one caller, another can free and allocate, and a free can serve a waiter.
func TestGrowthLeavesOthersFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 300 })
		x := p.mustAlloc(100)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		grown, served := false, false
		spawn(func() { p.mustAlloc(100); grown = true })
		spawn(func() { p.mustAlloc(50); served = true })
		if grown || served {
			t.Fatal("the pool did not grow")
		}
		if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
			t.Errorf("reserved %d in %d chunks while the source allocates the second", s.Reserved, s.Chunks)
		}
		p.mustFree(x)
		synctest.Wait()
		if !served || grown {
			t.Errorf("a free during growth: served %v, grown %v", served, grown)
		}
		if b, ok := p.try(50); !ok {
			t.Error("no fast path during growth")
		} else {
			p.mustFree(b)
		}
		close(gate)
		synctest.Wait()
		if !grown {
			t.Error("growth did not end")
		}
		if p.source.calls() != 2 {
			t.Errorf("%d calls of the source", p.source.calls())
		}
	})
}

// TestContextEndsDuringGrowth: a caller stops waiting for the growth of another when its context ends.
func TestContextEndsDuringGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, nil)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		spawn(func() { p.mustAlloc(100) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.ready().AllocContext(ctx, 1, 1)
		wantErr(t, "alloc", err, context.DeadlineExceeded)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
		close(gate)
		synctest.Wait()
	})
}

// TestReleaseInProgress: at the limit, an allocation waits for bytes that are being released instead of failing.
func TestReleaseInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 100 })
		p.mustFree(p.mustAlloc(100))
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		spawn(func() {
			if n, err := p.Trim(0); n != 100 || err != nil {
				t.Errorf("trim: %d, %v", n, err)
			}
		})
		var got block
		spawn(func() { got = p.mustAlloc(100) })
		if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
			t.Errorf("reserved %d in %d chunks while the source frees the chunk", s.Reserved, s.Chunks)
		}
		close(gate)
		synctest.Wait()
		if got.bytes != 100 || p.source.most > 100 {
			t.Errorf("got %v, at most %d", got, p.source.most)
		}
	})
}

// TestSetLimitDuringGrowth: bytes that the source is allocating count as reserved, so SetLimit cannot set a limit below them.
func TestSetLimitDuringGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 400 })
		p.mustAlloc(100)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		spawn(func() { p.mustAlloc(100) })
		wantErr(t, "SetLimit", p.SetLimit(150), poolrt.ErrLive)
		wantErr(t, "SetLimit", p.SetLimit(200), nil)
		close(gate)
		synctest.Wait()
		_, err := p.alloc(100)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
	})
}

// TestSetLimitWaitsForRelease: the new limit takes effect once the reserved bytes are within it.
func TestSetLimitWaitsForRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 400 })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		p.mustFree(a, b)
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		spawn(func() { _, _ = p.Trim(0) })
		errs := []error{errNoMemory, errNoMemory, errNoMemory}
		limits := []int64{50, 20, 70}
		for i, to := range limits {
			spawn(func() { errs[i] = p.SetLimit(to) })
		}
		if s := p.Stats(); s.Reserved > s.Limit || s.Limit != 400 {
			t.Errorf("reserved %d, limit %d", s.Reserved, s.Limit)
		}
		var failed error
		spawn(func() { _, failed = p.alloc(100) }) // waits until SetLimit returns
		close(gate)
		synctest.Wait()
		wantErr(t, "alloc", failed, poolrt.ErrTooLarge)
		for i := range errs {
			wantErr(t, "SetLimit", errs[i], nil)
		}
		if s := p.Stats(); !slices.Contains(limits, s.Limit) || s.Reserved != 0 { // the calls wait for each other, in any order
			t.Errorf("limit %d, reserved %d", s.Limit, s.Reserved)
		}
	})
}

// TestCloseDuringGrowth: Close waits for the source, and releases the chunk that it allocated.
func TestCloseDuringGrowth(t *testing.T) {
	for _, force := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, nil)
			gate := make(chan struct{})
			p.source.onAlloc = func(int) error { <-gate; return nil }
			spawn(func() { p.mustAlloc(100) })
			var err error
			spawn(func() {
				if force {
					err = p.closeForce()
				} else {
					err = p.close()
				}
			})
			close(gate)
			synctest.Wait()
			if force {
				wantErr(t, "close", err, nil)
			} else {
				wantErr(t, "close", err, poolrt.ErrLive)
			}
		})
	}
}
