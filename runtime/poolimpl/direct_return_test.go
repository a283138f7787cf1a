package poolimpl

import (
	"testing"
	"testing/synctest"
)

// TestDirectFreedTwiceAtOnce: the counts of direct blocks stay correct when two callers return unreturned blocks at once.
func TestDirectFreedTwiceAtOnce(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 1000, directLadder })
	a, b := p.mustAlloc(250), p.mustAlloc(250)
	p.source.onFree = func(int) error { return errNoMemory }
	wantErr(t, "free", freeDirect(p, a), nil) // the source does not take it
	p.source.onFree = func(call int) error {
		if call == 2 {
			p.mustAlloc(200) // which tries the unreturned block again
		}
		return nil
	}
	wantErr(t, "free", freeDirect(p, b), nil)
	if direct := p.foreign.direct; direct.count != 1 || direct.reserved != 200 {
		t.Errorf("%d direct blocks of %d bytes, not 1 of 200", direct.count, direct.reserved)
	}
	wantErr(t, "close", p.closeForce(), nil)
}

// TestSetLimitRetriesUnreturned: memory that the source failed to free is not a block in use, and SetLimit returns it.
func TestSetLimitRetriesUnreturned(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 1000, directLadder })
	a := p.mustAlloc(250)
	p.source.onFree = func(call int) error {
		if call == 1 {
			return errNoMemory
		}
		return nil
	}
	wantErr(t, "free", freeDirect(p, a), nil)
	wantErr(t, "SetLimit", p.ready().SetLimit(100), nil)
	if s := p.ready().Stats(); s.Reserved != 0 {
		t.Errorf("%d bytes are still reserved", s.Reserved)
	}
}

// TestSetLimitWaitsForDirect: SetLimit waits while the source frees a direct block.
func TestSetLimitWaitsForDirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 1000, directLadder })
		a := p.mustAlloc(250)
		hold := make(chan struct{})
		p.source.onFree = func(int) error { <-hold; return nil }
		spawn(func() { wantErr(t, "free", freeDirect(p, a), nil) })
		var err error
		spawn(func() { err = p.ready().SetLimit(100) })
		close(hold)
		synctest.Wait()
		wantErr(t, "SetLimit", err, nil)
	})
}
