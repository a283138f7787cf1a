package poolimpl

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

var directLadder = []Rung{DriverRung{}, ErrorRung{}}

// freeDirect frees a block that is in no chunk.
func freeDirect(p *rig, b block) error { return p.ready().Free(b.addr, b.bytes) }

// Direct blocks count as other blocks do, and the limit is exact.
func TestRungDriver(t *testing.T) {
	budget := NewBudget("B", 260)
	p := newRig(t, func(c *Config) { c.Limit, c.Budget, c.Ladder = 350, budget, directLadder })
	own := p.mustAlloc(100)
	b := p.mustAlloc(160) // larger than a chunk
	s := p.ready().Stats()
	if s.Live != 2 || s.LiveBytes != 260 || s.Reserved != 260 || s.Chunks != 2 || s.PeakReserved != 260 || budget.Reserved() != 260 {
		t.Errorf("%+v, budget %d", s, budget.Reserved())
	}
	_, err := p.alloc(1)
	wantErr(t, "above the budget", err, poolrt.ErrLimit)
	wantErr(t, "close", p.close(), poolrt.ErrLive)
	wantErr(t, "limit", p.ready().SetLimit(259), poolrt.ErrLive)
	wantErr(t, "wrong length", freeDirect(p, block{b.addr, 159}), poolrt.ErrForeign)
	wantErr(t, "free", freeDirect(p, b), nil)
	wantErr(t, "free twice", freeDirect(p, b), poolrt.ErrDoubleFree)
	if s := p.ready().Stats(); s.Live != 1 || s.Reserved != 100 || s.Chunks != 1 || budget.Reserved() != 100 {
		t.Errorf("%+v, budget %d", s, budget.Reserved())
	}
	p.mustFree(own)
	_, err = p.alloc(255)
	wantErr(t, "empty chunks are in the way", err, poolrt.ErrLimit)
	p.mustTrim()
	p.mustAlloc(250)
	wantErr(t, "close", p.closeForce(), nil)
	p.sound()
}

// A block that is too large for a chunk comes from the source, unless it exceeds the limit.
func TestRungDriverTooLarge(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 350, directLadder })
	b := p.mustAlloc(250)
	_, err := p.alloc(351)
	wantErr(t, "above the limit", err, poolrt.ErrTooLarge)
	_, err = p.alloc(150)
	wantErr(t, "not now", err, poolrt.ErrLimit)
	p.mustAlloc(100) // there is room for a chunk
	p.source.onFree = func(call int) error {
		if call == 1 {
			return errors.New("not now")
		}
		return nil
	}
	wantErr(t, "free", freeDirect(p, b), nil) // the source does not take it
	if s := p.ready().Stats(); s.Live != 1 || s.Reserved != 350 {
		t.Errorf("%+v", s)
	}
	b = p.mustAlloc(250) // frees the unreturned block first
	wantErr(t, "free", freeDirect(p, b), nil)
	p.source.onAlloc = func(int) error { return errNoMemory }
	_, err = p.alloc(120)
	wantErr(t, "no memory", err, poolrt.ErrOutOfMemory)
	p.sound()
	wantErr(t, "close", p.closeForce(), nil)
	p.sound()
}

// A waiter gets a direct block when another is returned to the source.
func TestRungDriverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) {
			c.Limit, c.WaitTimeout = 240, time.Minute
			c.Ladder = []Rung{DriverRung{}, WaitRung{}}
		})
		own := p.mustAlloc(100)
		b := p.mustAlloc(140)
		go func() {
			time.Sleep(time.Second)
			if err := freeDirect(p, b); err != nil {
				t.Error(err)
			}
		}()
		b = p.mustAlloc(130)
		wantErr(t, "free", freeDirect(p, b), nil)
		p.mustFree(own)
		wantErr(t, "close", p.close(), nil)
		p.sound()
	})
}

// Reset returns the direct blocks of a pool without frees.
func TestRungDriverReset(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Uncounted, c.Ladder = 500, true, directLadder })
	p.mustAlloc(250)
	b := p.mustAlloc(50)
	wantErr(t, "reset", p.ready().Reset(func() { p.core.Free(b.addr, b.bytes) }), nil)
	if s := p.ready().Stats(); s.Reserved != 100 {
		t.Errorf("%+v", s)
	}
	p.mustAlloc(250)
	wantErr(t, "close", p.close(), nil)
	p.sound()
}
