package poolimpl

import (
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// TestTrimKeeps: Trim keeps at least as many bytes as its argument.
func TestTrimKeeps(t *testing.T) {
	for keep := int64(0); keep <= 450; keep += 25 {
		p := newRig(t, func(c *Config) { c.Oversize = true })
		live := p.mustAlloc(50)
		empty := []block{p.mustAlloc(100), p.mustAlloc(130), p.mustAlloc(100)}
		p.mustFree(empty...)
		before := p.Stats().Reserved
		released, err := p.Trim(keep)
		fatal.If(t, err)
		s := p.Stats()
		if s.Reserved+released != before || s.Reserved < min(keep, before) || s.Reserved < 100 {
			t.Errorf("keep %d: released %d, %d stay", keep, released, s.Reserved)
		}
		if s.LargestFree > 0 && s.Reserved-100 >= keep && s.Reserved != 230 {
			t.Errorf("keep %d: %d stay, one empty chunk too many", keep, s.Reserved)
		}
		p.mustFree(live)
	}
}

func TestTrimMisuse(t *testing.T) {
	p := newRig(t, nil)
	if n, err := p.ready().Trim(0); n != 0 || err != nil {
		t.Errorf("a pool never used: %d, %v", n, err)
	}
	wantErr(t, "open after trim", p.Open(), nil)
	_, err := p.Trim(-1)
	wantErr(t, "negative", err, poolrt.ErrBadSize)
	wantErr(t, "close", p.close(), nil)
	_, err = p.Trim(0)
	wantErr(t, "closed", err, poolrt.ErrClosed)
}

// TestTrimPolicyAtOnce: without an idle time, a chunk is released when its last block is freed, unless the policy keeps it.
func TestTrimPolicyAtOnce(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Keep: 150} })
	blocks := []block{p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)}
	for i, want := range []int64{200, 200, 200} {
		p.mustFree(blocks[i])
		if s := p.Stats(); s.Reserved != want {
			t.Errorf("after %d frees: %d reserved, want %d", i+1, s.Reserved, want)
		}
	}
}

// TestTrimPolicyTwoAtOnce: if a second chunk becomes empty while the first is being released, not both are released.
func TestTrimPolicyTwoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Keep: 100} })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		spawn(func() { p.mustFree(a) })
		spawn(func() { p.mustFree(b) })
		spawn(func() { _, _ = p.Trim(100) })
		close(gate)
		synctest.Wait()
		if s := p.Stats(); s.Reserved != 100 {
			t.Errorf("%d reserved", s.Reserved)
		}
	})
}

// TestTrimPolicyIdle: a chunk is released by the first slow path, free or Poll after its idle time.
func TestTrimPolicyIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Keep: 100, Idle: 10 * time.Second} })
		a, b, c := p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)
		reserved := func(want int64) {
			t.Helper()
			if s := p.Stats(); s.Reserved != want {
				t.Errorf("%d reserved, want %d", s.Reserved, want)
			}
		}
		p.mustFree(a)
		time.Sleep(6 * time.Second)
		p.Poll()
		reserved(300)
		p.mustFree(b)
		time.Sleep(5 * time.Second)
		p.Poll()
		reserved(200) // a's: b's has 5 seconds left
		b = p.mustAlloc(100)
		time.Sleep(6 * time.Second)
		p.Poll()
		reserved(200) // b's is in use again
		p.mustFree(b)
		time.Sleep(9 * time.Second)
		p.mustFree(c)
		reserved(200)
		time.Sleep(time.Second)
		p.Poll()
		reserved(100)
		time.Sleep(time.Hour)
		p.Poll()
		reserved(100) // kept
	})
}

// TestIdleChunksInTurn: each chunk is released when it is due, whatever happened to the others.
func TestIdleChunksInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Idle: 10 * time.Second} })
		blocks := []block{p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)}
		for _, b := range blocks {
			p.mustFree(b)
			time.Sleep(3 * time.Second)
		}
		time.Sleep(time.Second) // 10 seconds after the first
		for want := int64(200); want >= 0; want -= 100 {
			p.Poll()
			if s := p.Stats(); s.Reserved != want {
				t.Errorf("%d reserved, want %d", s.Reserved, want)
			}
			time.Sleep(3 * time.Second)
		}
	})
}

// TestIdleChunkFlaps: a chunk that repeatedly becomes empty costs no Go memory.
func TestIdleChunkFlaps(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Idle: time.Hour} })
	b := p.mustAlloc(100)
	p.mustFree(b)
	e := p.ready()
	if n := testing.AllocsPerRun(100, func() {
		_ = e.FreeSlow(0, Emptied, b.addr, b.bytes)
	}); n != 0 {
		t.Errorf("%v Go allocations to note that a chunk is empty", n)
	}
}

// TestIdleKeptChunkGoesLater: a chunk that the policy kept is released once the pool has grown beyond what the policy keeps.
func TestIdleKeptChunkGoesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Oversize, c.Trim = true, &TrimPolicy{Keep: 100, Idle: time.Second} })
		p.mustFree(p.mustAlloc(50))
		time.Sleep(5 * time.Second)
		p.Poll()
		p.mustAlloc(500)
		time.Sleep(5 * time.Second)
		p.Poll()
		if s := p.Stats(); s.Reserved != 500 {
			t.Errorf("%d reserved", s.Reserved)
		}
	})
}

// TestNoPolicyEmptied: without a policy, a core reports empty chunks only if each chunk is one block. They are released at once.
func TestNoPolicyEmptied(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Direct, c.Oversize = true, true })
	p.core.emptied = true
	p.mustFree(p.mustAlloc(70))
	if s := p.Stats(); s.Reserved != 0 || p.source.frees != 1 {
		t.Errorf("%d reserved", s.Reserved)
	}
}

// TestResetFollowsPolicy: Reset empties all chunks, and the policy decides which of them stay.
func TestResetFollowsPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policies := []struct {
			policy *TrimPolicy
			now    int64
			later  int64
		}{{nil, 300, 300}, {&TrimPolicy{}, 0, 0}, {&TrimPolicy{Keep: 150}, 200, 200}, {&TrimPolicy{Keep: 100, Idle: time.Second}, 300, 100}}
		for _, test := range policies {
			p := newRig(t, func(c *Config) { c.Uncounted, c.Trim = true, test.policy })
			for range 3 {
				p.mustAlloc(100)
			}
			reset := func() {
				for _, ch := range p.core.chunks {
					ch.blocks = nil
				}
				p.core.live = 0
			}
			wantErr(t, "reset", p.Reset(reset), nil)
			if s := p.Stats(); s.Reserved != test.now {
				t.Errorf("%v: %d reserved, want %d", test.policy, s.Reserved, test.now)
			}
			for range 4 { // resetting an empty pool does not delay the release
				time.Sleep(time.Second / 2)
				wantErr(t, "reset", p.Reset(reset), nil)
			}
			if s := p.Stats(); s.Reserved != test.later {
				t.Errorf("%v: later %d reserved, want %d", test.policy, s.Reserved, test.later)
			}
		}
	})
}
