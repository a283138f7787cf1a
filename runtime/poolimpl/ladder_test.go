package poolimpl

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// lenderOf returns the Pool function of a rung whose other pool is a rig.
func lenderOf(p *rig) func(int) *Engine { return func(int) *Engine { return p.ready() } }

func TestRungPool(t *testing.T) {
	other := newRig(t, func(c *Config) { c.Limit = 200 })
	p := newRig(t, func(c *Config) {
		c.Limit, c.Ladder = 100, []Rung{PollRung{}, PoolRung{Pool: lenderOf(other)}, ErrorRung{}}
	})
	own := p.mustAlloc(100)
	borrowed, err := p.ready().Alloc(1, 40, 1)
	if err != nil || other.core.live != 1 {
		t.Fatal(borrowed, err)
	}
	free := func() error { return p.Free(borrowed.Addr, 40) }
	wantErr(t, "wrong length", p.Free(borrowed.Addr, 39), poolrt.ErrForeign)
	wantErr(t, "free", free(), nil)
	wantErr(t, "free twice", free(), poolrt.ErrDoubleFree)
	if other.core.live != 0 {
		t.Error("the other pool did not get its block back")
	}
	x := other.mustAlloc(100)
	y := other.mustAlloc(100)
	_, err = p.alloc(1)
	wantErr(t, "both full", err, poolrt.ErrLimit)
	var e *poolrt.PoolError
	if errors.As(err, &e); e.Pool != p.Name() || e.Reserved != 100 {
		t.Errorf("the error names another pool: %v", err)
	}
	other.mustFree(x, y)
	borrowed, err = p.ready().Alloc(1, 40, 1)
	wantErr(t, "borrow again", err, nil)
	p.mustFree(own)
	wantErr(t, "close", p.close(), nil)
	wantErr(t, "free after close", free(), nil)
	wantErr(t, "free twice after close", free(), poolrt.ErrClosed)
}

// TestOnlyOwnBorrowedGoBack: a pool returns only blocks that it borrowed itself, and does not keep records of returned blocks for ever.
func TestOnlyOwnBorrowedGoBack(t *testing.T) {
	other := newRig(t, nil)
	var pools [2]*rig
	for i := range pools {
		pools[i] = newRig(t, func(c *Config) { c.Limit, c.Ladder = 100, []Rung{PoolRung{Pool: lenderOf(other)}} })
		pools[i].mustAlloc(100)
	}
	p, q := pools[0], pools[1]
	free := func(r *rig, addr uint64) error { return r.Free(addr, 40) }
	own := other.mustAlloc(40)
	wantErr(t, "the lender's own", free(p, own.addr), poolrt.ErrForeign)
	borrowed, err := q.ready().Alloc(1, 40, 1)
	wantErr(t, "borrow", err, nil)
	addr := borrowed.Addr
	wantErr(t, "another borrower's", free(p, addr), poolrt.ErrForeign)
	wantErr(t, "return", free(q, addr), nil)
	wantErr(t, "return twice", free(q, addr), poolrt.ErrDoubleFree)

	borrowed, err = q.Alloc(1, 40, 1)
	wantErr(t, "borrow again", err, nil)
	other.mustFree(block{borrowed.Addr, 40})
	if free(q, borrowed.Addr) == nil {
		t.Error("a block is returned to the lender twice")
	}
	for range 5000 {
		borrowed, err = q.Alloc(1, 40, 1)
		wantErr(t, "borrow", err, nil)
		wantErr(t, "return", free(q, borrowed.Addr), nil)
		other.mustAlloc(1) // the next block has another address
	}
	if n := len(q.foreign.blocks); n > 2000 || q.foreign.live != 0 {
		t.Errorf("%d blocks are recorded, %d of them live", n, q.foreign.live)
	}
}

// TestRungPoolPanics: a panic in another pool leaves this one usable.
func TestRungPoolPanics(t *testing.T) {
	p := newRig(t, func(c *Config) {
		c.Limit = 100
		c.Ladder = []Rung{PoolRung{Pool: func(int) *Engine { panic("lender") }}}
	})
	x := p.mustAlloc(100)
	guarded(t, func() { _, _ = p.alloc(1) })
	p.sound()
	p.mustFree(x)
}

// TestRungTrim: empty chunks of the pool, and of other pools of the budget, are released for a request of another size.
func TestRungTrim(t *testing.T) {
	ladder := []Rung{TrimRung{}, ErrorRung{}}
	t.Run("own", func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Oversize, c.Ladder = 250, true, ladder })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		p.mustFree(a)
		_, err := p.alloc(200)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
		p.mustFree(b)
		p.mustAlloc(200)
	})
	t.Run("budget", func(t *testing.T) {
		b := NewBudget("B", 300)
		share := func(c *Config) { c.Budget, c.Ladder = b, ladder }
		p, q, r := newRig(t, share), newRig(t, share), newRig(t, share)
		q.mustFree(q.mustAlloc(100))
		r.mustFree(r.mustAlloc(100))
		p.mustAlloc(100)
		p.mustAlloc(100)
		if q.source.frees+r.source.frees != 1 {
			t.Error("more was released than the request needs")
		}
		p.mustAlloc(100)
		_, err := p.alloc(100)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
	})
	t.Run("unlocked pool is left alone", func(t *testing.T) {
		b := NewBudget("B", 100)
		q := newRig(t, func(c *Config) { c.Budget, c.Locked = b, false })
		q.mustFree(q.mustAlloc(100))
		p := newRig(t, func(c *Config) { c.Budget, c.Ladder = b, ladder })
		_, err := p.alloc(100)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
	})
	t.Run("out of memory", func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Oversize, c.Ladder = true, ladder })
		p.mustFree(p.mustAlloc(100))
		p.source.onAlloc = func(int) error {
			if p.source.held() > 0 {
				return errNoMemory
			}
			return nil
		}
		p.mustAlloc(200)
	})
	t.Run("out of memory, nothing to release", func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Ladder = ladder })
		p.source.onAlloc = func(int) error { return errNoMemory }
		_, err := p.alloc(1)
		wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
		if p.source.calls() != 1 {
			t.Errorf("%d calls of the source", p.source.calls())
		}
	})
}

// TestCachesAreFlushedBeforeFailing: caches are flushed before an allocation fails, and before other rungs are tried.
func TestCachesAreFlushedBeforeFailing(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 100 })
	p.mustAlloc(100)
	p.core.cached = 3
	_, err := p.alloc(1)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if p.core.cached != 0 {
		t.Errorf("%d caches were kept", p.core.cached)
	}
}

// TestLadderInOrder: the rungs are tried in the order of the ladder.
func TestLadderInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newRig(t, nil)
		p, x := full(t, func(c *Config) {
			c.Ladder = []Rung{WaitRung{}, PoolRung{Pool: lenderOf(other)}}
		})
		start := time.Now()
		if _, err := p.ready().Alloc(1, 1, 1); err != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		p.config.Ladder = []Rung{PoolRung{Pool: lenderOf(other)}, WaitRung{}}
		start = time.Now()
		if _, err := p.ready().Alloc(1, 1, 1); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		p.config.Ladder = []Rung{ErrorRung{}, PoolRung{Pool: lenderOf(other)}}
		_, err := p.ready().Alloc(1, 1, 1)
		wantErr(t, "behind the rung error", err, poolrt.ErrLimit)
		p.mustFree(x)
	})
}

// TestContextEndsLadder: once the context has ended, no further rung is tried.
func TestContextEndsLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newRig(t, nil)
		p, x := full(t, func(c *Config) {
			c.Ladder = []Rung{WaitRung{}, PoolRung{Pool: lenderOf(other)}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.ready().AllocContext(ctx, 1, 1)
		wantErr(t, "alloc", err, context.DeadlineExceeded)
		if other.core.live != 0 {
			t.Error("a block was borrowed")
		}
		p.mustFree(x)
	})
}
