package poolimpl

import (
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestTrimKeeps: the argument is what stays; trimming never goes below it.
func TestTrimKeeps(t *testing.T) {
	for keep := int64(0); keep <= 450; keep += 25 {
		p := newRig(t, func(c *Config) { c.Oversize = true })
		live := p.mustAlloc(50)
		empty := []block{p.mustAlloc(100), p.mustAlloc(130), p.mustAlloc(100)}
		p.mustFree(empty...)
		before := p.Stats().Reserved
		released, err := p.Trim(keep)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Stats()
		if s.Reserved+released != before || s.Reserved < min(keep, before) || s.Reserved < 100 {
			t.Errorf("keep %d: released %d, %d stay", keep, released, s.Reserved)
		}
		if s.LargestFree > 0 && s.Reserved-100 >= keep && s.Reserved != 230 {
			t.Errorf("keep %d: %d stay, with an empty chunk too many", keep, s.Reserved)
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

// TestTrimPolicyAtOnce: without a time to be idle, a chunk goes back with its last block, down to what is kept.
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

// TestTrimPolicyTwoAtOnce: two chunks that empty while the first is on its way back do not both go.
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

// TestTrimPolicyIdle: chunks go back on the first slow path, free or Poll after they were empty for long enough.
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

// TestIdleChunksInTurn: each chunk goes when it is due, whatever happened to the others.
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

// TestIdleChunkFlaps: a chunk that empties again and again costs no memory to remember.
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

// TestIdleKeptChunkGoesLater: what was kept goes when the pool has grown past what is kept.
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

// TestNoPolicyEmptied: without a policy, a core that says a chunk is empty has chunks of one block each.
func TestNoPolicyEmptied(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Direct, c.Oversize = true, true })
	p.core.emptied = true
	p.mustFree(p.mustAlloc(70))
	if s := p.Stats(); s.Reserved != 0 || p.source.frees != 1 {
		t.Errorf("%d reserved", s.Reserved)
	}
}

// TestResetFollowsPolicy: a reset empties all chunks, and the policy decides which stay.
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
			for range 4 { // resetting what is empty does not keep it
				time.Sleep(time.Second / 2)
				wantErr(t, "reset", p.Reset(reset), nil)
			}
			if s := p.Stats(); s.Reserved != test.later {
				t.Errorf("%v: later %d reserved, want %d", test.policy, s.Reserved, test.later)
			}
		}
	})
}
