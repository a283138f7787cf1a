package poolimpl

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// drainRig returns a pool of 100 bytes whose ladder drains.
func drainRig(t *testing.T, locked bool) *streamRig {
	return newStreamRig(t, func(c *Config) {
		c.Limit, c.Locked, c.Ladder = 100, locked, []Rung{PollRung{}, DrainRung{}, ErrorRung{}}
	})
}

// The rung drain waits until the streams have passed the frees that the request needs.
func TestDrain(t *testing.T) {
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := drainRig(t, locked)
			at := p.deferFree(s1, 100)
			time.AfterFunc(10*time.Millisecond, func() { p.line.complete(s1, at) })
			start := time.Now()
			if _, err := p.alloc(60); err != nil {
				t.Errorf("locked %t: %v", locked, err)
			}
			if d := time.Since(start); d < 10*time.Millisecond || d > 11*time.Millisecond {
				t.Errorf("locked %t: waited %v", locked, d)
			}
		})
	}
}

// The rung drain ends after Config.WaitTimeout.
func TestDrainTimesOut(t *testing.T) {
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := drainRig(t, locked)
			p.deferFree(s1, 100)
			start := time.Now()
			_, err := p.alloc(60)
			wantErr(t, "alloc", err, poolrt.ErrLimit)
			if d := time.Since(start); d < time.Second || d > time.Second+pollEvery {
				t.Errorf("locked %t: waited %v", locked, d)
			}
		})
	}
}

// The rung drain does not wait where no stream can help: no frees are pending, or too much is live.
func TestDrainDoesNotWait(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(p *streamRig)
	}{
		{"nothing is pending", func(p *streamRig) { must2(p.alloc(80)) }},
		{"too much is live", func(p *streamRig) {
			must2(p.alloc(80))
			p.deferFree(s1, 20)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := drainRig(t, true)
			c.prepare(p)
			start := time.Now()
			_, err := p.alloc(60)
			wantErr(t, c.name, err, poolrt.ErrLimit)
			if !errors.Is(err, errDrained) {
				t.Errorf("%s: %v does not say why the pool did not wait", c.name, err)
			}
			if d := time.Since(start); d != 0 {
				t.Errorf("%s: waited %v", c.name, d)
			}
		})
	}
}

// The rung drain ends when the last pending free has been reclaimed and the request still does not fit.
func TestDrainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := drainRig(t, true)
		must2(p.alloc(30))
		at := p.deferFree(s1, 30)
		must2(p.alloc(10)) // keeps what is free in two pieces
		time.AfterFunc(10*time.Millisecond, func() { p.line.complete(s1, at) })
		start := time.Now()
		_, err := p.alloc(55)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
		if d := time.Since(start); d < 10*time.Millisecond || d > 11*time.Millisecond {
			t.Errorf("waited %v", d)
		}
	})
}

// The rung wait fails at once at a limit that no free could move: no block is live, none is pending, and no other pool of the budget holds memory, although one could.
func TestHopelessWaitAtLimit(t *testing.T) {
	wait := []Rung{WaitRung{}, ErrorRung{}}
	budget := NewBudget("B", 210)
	other := newRig(t, func(c *Config) { c.Budget, c.Guarantee = budget, 100 })
	wantErr(t, "open", other.ready().Open(), nil)
	for _, c := range []struct {
		name   string
		change func(*Config)
	}{
		{"limit", func(c *Config) { c.Limit = 150 }},
		{"budget", func(c *Config) { c.Budget = budget }},
	} {
		p := newRig(t, func(config *Config) {
			config.Oversize, config.Ladder = true, wait
			c.change(config)
		})
		p.mustFree(p.mustAlloc(100))
		_, err := p.alloc(120) // the empty chunk is in the way
		wantErr(t, c.name, err, poolrt.ErrLimit)
		if !errors.Is(err, errHopeless) {
			t.Errorf("%s: %v", c.name, err)
		}
		wantErr(t, "close", p.close(), nil)
	}
}

// countedCore is a shared core that counts allocations.
type countedCore struct {
	sharedCore
	allocs uint64
}

func (c *countedCore) Usage() Usage {
	u := c.sharedCore.Usage()
	u.Allocs = c.allocs
	return u
}

// The same holds for a pool that goroutines use without its lock, unless one of them had a block while the request failed: it may have been in the way.
func TestHopelessWaitOfSharedCore(t *testing.T) {
	for _, disturbed := range []bool{false, true} {
		core := &countedCore{}
		e := new(Engine)
		e.Init(&Config{
			Name: "test.Shared", Source: &fakeSource{t: t}, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 150, Oversize: true,
			WaitTimeout: time.Millisecond, Ladder: []Rung{WaitRung{}, ErrorRung{}},
		}, core)
		b, err := e.Alloc(1, 100, 1)
		wantErr(t, "alloc", err, nil)
		if _, v := core.Free(b.Addr, 100); v != Freed {
			t.Fatal(v)
		}
		if disturbed {
			core.onSearched = func() { core.allocs++ }
		}
		_, err = e.Alloc(1, 120, 1)
		wantErr(t, "the empty chunk is in the way", err, poolrt.ErrLimit)
		if errors.Is(err, errHopeless) == disturbed {
			t.Errorf("disturbed %v: %v", disturbed, err)
		}
		e.name.unregister(e)
	}
}

// At a limit the rung trim returns as much as the chunk for a request lacks, the chunks that fit best, and nothing if that would not make room.
func TestTrimAsMuchAsLacks(t *testing.T) {
	p := newRig(t, func(c *Config) {
		c.Limit, c.Oversize, c.Ladder = 1000, true, []Rung{TrimRung{}, ErrorRung{}}
	})
	a, b, c, d := p.mustAlloc(100), p.mustAlloc(200), p.mustAlloc(300), p.mustAlloc(400)
	p.mustFree(a, b, c)
	_, err := p.alloc(700)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if s := p.Stats(); s.Reserved != 1000 {
		t.Errorf("%d bytes are left after a request that no trim could serve", s.Reserved)
	}
	p.mustAlloc(500) // 300 + 200
	if s := p.Stats(); s.Reserved != 1000 || s.Chunks != 3 {
		t.Errorf("%+v", s)
	}
	p.mustFree(d)
}
