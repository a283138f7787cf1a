package poolimpl

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// borrowers returns a pool that lends, and one that borrows every block of more than 50 bytes.
func borrowers(t *testing.T, change func(lender *Config)) (lender, p *rig) {
	lender = newRig(t, change)
	p = newRig(t, func(c *Config) { c.Limit, c.Ladder = 50, []Rung{PoolRung{Pool: lenderOf(lender)}} })
	return lender, p
}

// mustBorrow borrows a block.
func (p *rig) mustBorrow(bytes uint64) block {
	p.t.Helper()
	b, err := p.ready().Alloc(1, bytes, 1)
	wantErr(p.t, "borrow", err, nil)
	return block{b.Addr, bytes}
}

// wantFree checks that nothing prevents a pool from being reset and closed, and that none of its blocks is live.
func (p *rig) wantFree() {
	p.t.Helper()
	if s := p.ready().Stats(); s.Live != 0 {
		p.t.Errorf("%d blocks are live", s.Live)
	}
	wantErr(p.t, "reset", p.FreeAll(p.core.Reset), nil)
	wantErr(p.t, "close", p.close(), nil)
}

// trims makes a pool return each chunk that becomes empty, which causes an event.
func trims(c *Config) { c.Trim = &TrimPolicy{} }

// panicking does a call during which each event hook panics.
func panicking(t *testing.T, call func()) {
	t.Helper()
	panicked := false
	stop := poolrt.OnEvent(func(poolrt.Event) { panicked = true; panic("hook") })
	defer stop()
	guarded(t, call)
	if !panicked {
		t.Error("no event")
	}
}

// A hook that panics while a block goes back to the lender: the lender has the block, and lends it no more.
func TestHookPanicsAsBlockGoesBack(t *testing.T) {
	t.Run("free", func(t *testing.T) {
		lender, p := borrowers(t, trims)
		b := p.mustBorrow(60)
		panicking(t, func() { _ = p.Free(b.addr, 60) })
		lender.wantFree()
	})
	t.Run("reset", func(t *testing.T) {
		lender, p := borrowers(t, trims)
		for range 3 {
			p.mustBorrow(60)
		}
		panicking(t, func() { _ = p.FreeAll(p.core.Reset) })
		lender.wantFree()
		p.wantFree()
	})
	t.Run("close by force", func(t *testing.T) {
		lender, p := borrowers(t, trims)
		for range 3 {
			p.mustBorrow(60)
		}
		panicking(t, func() { _ = p.closeForce() })
		lender.wantFree()
		wantErr(t, "close", p.close(), nil)
	})
}

// A hook that panics while a block that a stream has passed goes back to the lender: the others go back with the next call.
func TestHookPanicsAsStreamPasses(t *testing.T) {
	calls := map[string]func(p *streamRig){
		"poll":  func(p *streamRig) { p.Poll() },
		"close": func(p *streamRig) { _ = p.close() },
		"force": func(p *streamRig) { _ = p.closeForce() },
		"reset": func(p *streamRig) { _ = p.FreeAll(p.core.Reset) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			lender := newRig(t, trims)
			p := lendTo(t, lender)
			for range 3 {
				b, err := p.allocOn(s1, 60)
				wantErr(t, "borrow", err, nil)
				wantErr(t, "free", p.FreeOn(s1, b.addr, b.bytes), nil)
			}
			p.line.completeAll()
			panicking(t, func() { call(p) })
			wantErr(t, "close", p.close(), nil)
			p.ended()
			lender.wantFree()
		})
	}
}

// lendTo returns a pool with streams that borrows every block of more than 50 bytes.
func lendTo(t *testing.T, lender *rig) *streamRig {
	onDevice := func(device int) *Engine {
		lender.ready().memory.Device = device
		return &lender.Engine
	}
	return newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 50, []Rung{PoolRung{Pool: onDevice}} })
}

// A pool that is closed by force returns what it has borrowed: live blocks and pending ones, also after a Close that has left them.
func TestCloseForceReturnsBorrowed(t *testing.T) {
	t.Run("live", func(t *testing.T) {
		lender, p := borrowers(t, nil)
		b := p.mustBorrow(60)
		wantErr(t, "force", p.closeForce(), nil)
		wantErr(t, "free", p.Free(b.addr, 60), poolrt.ErrClosed)
		lender.wantFree()
	})
	t.Run("closed", func(t *testing.T) {
		lender, p := borrowers(t, nil)
		p.mustBorrow(60)
		wantErr(t, "close", p.close(), nil)
		if lender.core.live != 1 {
			t.Error("Close returned a block that is in use")
		}
		wantErr(t, "force", p.closeForce(), nil)
		lender.wantFree()
	})
	t.Run("pending", func(t *testing.T) {
		lender := newRig(t, nil)
		p := lendTo(t, lender)
		b, err := p.allocOn(s1, 60)
		wantErr(t, "borrow", err, nil)
		wantErr(t, "free", p.FreeOn(s1, b.addr, b.bytes), nil)
		p.line.before = failsAt("Sync", errDriver)
		wantErr(t, "force", p.closeForce(), nil)
		lender.wantFree()
	})
}

// failsAt makes one kind of call fail.
func failsAt(what string, err error) func(call string) error {
	return func(call string) error {
		if call == what {
			return err
		}
		return nil
	}
}

// A block that was freed through the lender, its own pool, counts as borrowed no more, whatever comes to lie at its address.
func TestFreedThroughLender(t *testing.T) {
	t.Run("free", func(t *testing.T) {
		lender, p := borrowers(t, nil)
		b := p.mustBorrow(60)
		lender.mustAlloc(30) // lives on
		lender.mustFree(b)
		wantErr(t, "reset", lender.FreeAll(lender.core.Reset), nil)
		if err := p.Free(b.addr, 60); err == nil {
			t.Error("a block was returned that the lender does not lend")
		}
		lender.wantFree()
	})
	t.Run("borrowed again", func(t *testing.T) {
		lender, p := borrowers(t, nil)
		_, q := borrowers(t, nil)
		q.config.Ladder = p.config.Ladder
		b := p.mustBorrow(60)
		lender.mustFree(b)
		again := q.mustBorrow(60)
		if again != b {
			t.Fatalf("%v, not %v", again, b)
		}
		if err := p.Free(b.addr, 60); err == nil {
			t.Error("a pool returned a block that another pool has borrowed")
		}
		wantErr(t, "reset", lender.FreeAll(lender.core.Reset), poolrt.ErrLive)
		wantErr(t, "free", q.Free(again.addr, 60), nil)
		lender.wantFree()
	})
	t.Run("borrowed by the same pool again", func(t *testing.T) {
		lender, p := borrowers(t, nil)
		b := p.mustBorrow(60)
		was := p.foreign.blocks[b.addr].borrowed
		lender.mustFree(b)
		if again := p.mustBorrow(60); again != b {
			t.Fatalf("%v, not %v", again, b)
		}
		was.(*borrowing).end() // late
		wantErr(t, "reset", lender.FreeAll(lender.core.Reset), poolrt.ErrLive)
		wantErr(t, "free", p.Free(b.addr, 60), nil)
		lender.wantFree()
	})
}

// The lender is not reset while another pool is about to borrow, nor while it lends what it has borrowed or taken from the source itself.
func TestResetWhileLending(t *testing.T) {
	lender, p := borrowers(t, nil)
	refused := error(nil)
	lender.source.onAlloc = func(int) error { refused = lender.FreeAll(lender.core.Reset); return nil }
	p.mustBorrow(60)
	wantErr(t, "reset", refused, poolrt.ErrLive)

	first := newRig(t, nil)
	middle := newRig(t, func(c *Config) { c.Limit, c.Ladder = 50, []Rung{PoolRung{Pool: lenderOf(first)}} })
	_, last := borrowers(t, nil)
	last.config.Ladder = []Rung{PoolRung{Pool: lenderOf(middle)}}
	b := last.mustBorrow(60)
	wantErr(t, "reset in the middle", middle.FreeAll(middle.core.Reset), poolrt.ErrLive)
	wantErr(t, "free", last.Free(b.addr, 60), nil)
	middle.wantFree()
	first.wantFree()
}

// A pool that is closed while it borrows returns the block.
func TestClosedWhileBorrowing(t *testing.T) {
	lender, p := borrowers(t, nil)
	lender.source.onAlloc = func(int) error { return p.closeForce() }
	if _, err := p.ready().Alloc(1, 60, 1); err == nil {
		t.Error("a closed pool borrowed a block")
	}
	lender.wantFree()
}

// A block for a stream that was not handed out goes back when the stream has passed it, also if no event could be recorded at first.
func TestUndoWithoutEvent(t *testing.T) {
	for name, bytes := range map[string]int{"direct": 150, "borrowed": 60} {
		t.Run(name, func(t *testing.T) {
			lender := newRig(t, nil)
			p := lendTo(t, lender)
			p.config.ZeroDevice = true
			if name == "direct" {
				p.config.Limit, p.config.Ladder = 1000, directLadder
			}
			wantErr(t, "open", p.ready().Open(), nil)
			cannotClear := errors.New("cannot clear")
			p.memory.Zero = func(Chunk) error { return nil }
			p.memory.Zeroed = func() error { return nil }
			p.memory.ZeroOn = func(Stream, Chunk) error { return cannotClear }
			p.line.before = failsAt("Record", errDriver)
			if _, err := p.AllocOn(s1, bytes, 1, 1); !errors.Is(err, cannotClear) {
				t.Fatal(err)
			}
			if s := p.Stats(); s.Live != 0 || s.Pending != 1 || p.Poll() != 0 {
				t.Errorf("%+v", s)
			}
			wantErr(t, "close", p.close(), errDriver)
			p.line.before = nil
			p.line.completeAll()
			if n := p.Poll(); n != 1 || p.Stats().Pending != 0 {
				t.Errorf("%d frees were reclaimed: %+v", n, p.Stats())
			}
			wantErr(t, "close", p.close(), nil)
			p.ended()
			lender.wantFree()
		})
	}
}

// A free of a direct block on a stream does not fail with the driver: the block is pending until an event can be recorded.
func TestFreeOnWithoutEvent(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 1000, directLadder })
	b, err := p.allocOn(s1, 950)
	wantErr(t, "alloc", err, nil)
	p.line.before = failsAt("Record", errDriver)
	wantErr(t, "free", p.freeOn(b, s1), nil)
	wantErr(t, "free again", p.freeOn(b, s1), poolrt.ErrDoubleFree)
	if s := p.Stats(); s.Pending != 1 || p.Poll() != 0 {
		t.Errorf("%+v", s)
	}
	p.line.before = nil
	if n, s := p.Poll(), p.Stats(); n != 1 || s.Pending != 0 || s.Reserved != 0 {
		t.Errorf("%d frees were reclaimed: %+v", n, s)
	}
	wantErr(t, "close", p.close(), nil)
	p.ended()
}
