package poolimpl

import (
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// FreeAll frees live blocks, keeps the chunks, and serves waiters. Later frees are refused.
func TestFreeAll(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 300 })
	wantErr(t, "a pool never used", p.ready().FreeAll(p.core.Reset), nil)
	first := p.mustAlloc(100)
	p.mustAlloc(40)
	p.mustAlloc(60)
	wantErr(t, "reset", p.FreeAll(p.core.Reset), nil)
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Reserved != 200 {
		t.Errorf("after FreeAll: %+v", s)
	}
	wantErr(t, "free", p.free(first), poolrt.ErrDoubleFree)
	again := p.mustAlloc(100)
	p.mustFree(again)
	wantErr(t, "close", p.close(), nil)
	wantErr(t, "after Close", p.FreeAll(p.core.Reset), poolrt.ErrClosed)
}

func TestFreeAllServesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 100, []Rung{WaitRung{}} })
		p.mustAlloc(100)
		go func() {
			time.Sleep(time.Millisecond)
			if err := p.FreeAll(p.core.Reset); err != nil {
				t.Error(err)
			}
		}()
		b := p.mustAlloc(70)
		p.mustFree(b)
		wantErr(t, "close", p.close(), nil)
	})
}

// FreeAll follows the trim policy.
func TestFreeAllFollowsPolicy(t *testing.T) {
	for _, keep := range []int64{0, 100, 300} {
		p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Keep: keep} })
		for range 3 {
			p.mustAlloc(100)
		}
		wantErr(t, "reset", p.FreeAll(p.core.Reset), nil)
		if s := p.Stats(); s.Reserved != keep {
			t.Errorf("%d bytes are reserved, want %d", s.Reserved, keep)
		}
	}
}

// Blocks that the pool has borrowed go back, and so do direct blocks. The lender refuses until then.
func TestFreeAllOfBorrowed(t *testing.T) {
	other := newRig(t, nil)
	p := newRig(t, func(c *Config) {
		c.Limit, c.Ladder = 100, []Rung{PoolRung{Pool: lenderOf(other)}}
	})
	p.mustAlloc(100)
	var borrowed []Block
	for range 3 {
		b, err := p.ready().Alloc(1, 40, 1)
		wantErr(t, "borrow", err, nil)
		borrowed = append(borrowed, b)
	}
	wantErr(t, "return", p.Free(borrowed[0].Addr, 40), nil)
	other.mustAlloc(40) // the lender's own
	wantErr(t, "reset of the lender", other.FreeAll(other.core.Reset), poolrt.ErrLive)
	if other.core.live != 3 {
		t.Errorf("the lender has %d live blocks, want 3", other.core.live)
	}
	wantErr(t, "reset", p.FreeAll(p.core.Reset), nil)
	if other.core.live != 1 {
		t.Errorf("the lender has %d live blocks, want 1", other.core.live)
	}
	wantErr(t, "free of a borrowed block", p.Free(borrowed[1].Addr, 40), poolrt.ErrDoubleFree)
	wantErr(t, "reset of the lender", other.FreeAll(other.core.Reset), nil)
	wantErr(t, "close", p.close(), nil)
	wantErr(t, "close", other.close(), nil)
}

func TestFreeAllOfDirect(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 500, directLadder })
	b := p.mustAlloc(250)
	p.mustAlloc(50)
	wantErr(t, "reset", p.ready().FreeAll(p.core.Reset), nil)
	if s := p.Stats(); s.Reserved != 100 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "free", p.Free(b.addr, b.bytes), poolrt.ErrDoubleFree)
	wantErr(t, "close", p.close(), nil)
}

// FreeAll waits for streams with pending frees, and refuses if the driver fails.
func TestFreeAllWaitsForStreams(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 40)
	p.deferFree(s2, 30)
	live, err := p.alloc(20)
	wantErr(t, "alloc", err, nil)
	syncs := 0
	p.once("Sync", func() { syncs++ })
	reset := func() {
		if n := p.streams.pending(); n != 0 || len(p.core.pending) != 0 || syncs == 0 {
			t.Errorf("%d frees are pending, and the streams were waited for %d times", n, syncs)
		}
		p.core.Reset()
	}
	wantErr(t, "reset", p.FreeAll(reset), nil)
	if s := p.Stats(); s.Live != 0 || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "free", p.free(live), poolrt.ErrDoubleFree)
	wantErr(t, "close", p.close(), nil)
}
