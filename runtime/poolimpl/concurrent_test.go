package poolimpl

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestConcurrent uses pools of one budget from many goroutines, with sources that sometimes fail, while other goroutines check
// the limits. At the end no memory is lost.
func TestConcurrent(t *testing.T) {
	configs := map[string]func(*Config){
		"plain":  func(c *Config) {},
		"trims":  func(c *Config) { c.Trim = &TrimPolicy{Keep: 100} },
		"idles":  func(c *Config) { c.Trim = &TrimPolicy{Idle: 100 * time.Microsecond} },
		"trim":   func(c *Config) { c.Ladder = []Rung{TrimRung{}, ErrorRung{}} },
		"wait":   func(c *Config) { c.Ladder = []Rung{WaitRung{}, ErrorRung{}} },
		"both":   func(c *Config) { c.Ladder = []Rung{TrimRung{}, WaitRung{}}; c.Trim = &TrimPolicy{} },
		"double": func(c *Config) { c.Double, c.Ladder = true, []Rung{TrimRung{}, WaitRung{}} },
	}
	for name, change := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budget := NewBudget("B", 700)
			var pools []*rig
			for range 2 {
				p := newRig(t, func(c *Config) {
					c.Limit, c.Oversize, c.WaitTimeout, c.Budget = 500, true, 2*time.Millisecond, budget
					change(c)
				})
				p.source.onAlloc = func(int) error { return seldom(20) }
				p.source.onFree = func(int) error { return seldom(20) }
				pools = append(pools, p)
			}
			stop := watch(t, budget, pools)
			var workers sync.WaitGroup
			for i := range 8 {
				workers.Go(func() { work(t, pools[i%2], uint64(i)) })
			}
			workers.Wait()
			stop()
			for _, p := range pools {
				p.sound()
				p.source.onFree = nil
				wantErr(t, "close", p.close(), nil)
				if p.source.held() != 0 || p.source.most > 500 {
					t.Errorf("source: %d left, at most %d", p.source.held(), p.source.most)
				}
			}
			if budget.Reserved() != 0 {
				t.Errorf("budget has %d left", budget.Reserved())
			}
		})
	}
}

// seldom fails one call in n, and yields to other goroutines.
func seldom(n int) error {
	runtime.Gosched()
	if rand.IntN(n) == 0 {
		return errNoMemory
	}
	return nil
}

// work allocates and frees for a while, and sometimes trims the pool or changes its limit.
func work(t *testing.T, p *rig, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	var live []block
	for range 600 {
		switch n := r.IntN(100); {
		case n < 50:
			b, err := p.alloc(uint64(1 + r.IntN(150)))
			if err == nil {
				live = append(live, b)
			} else if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrOutOfMemory) {
				t.Errorf("alloc: %v", err)
			}
		case n < 90 && len(live) > 0:
			i := r.IntN(len(live))
			if err := p.free(live[i]); err != nil {
				t.Errorf("free: %v", err)
			}
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
		case n == 90:
			if _, err := p.ready().Trim(int64(r.IntN(300))); err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
				t.Errorf("trim: %v", err)
			}
		case n == 91:
			p.ready().Poll()
		case n == 92:
			if err := p.ready().SetLimit(500); err != nil {
				t.Errorf("set limit: %v", err)
			}
		case n == 93:
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			b, err := p.ready().AllocContext(ctx, 120, 1)
			cancel()
			if err == nil {
				live = append(live, block{b.Addr, 120})
			}
		}
		if r.IntN(40) == 0 {
			p.mustFree(live...)
			live = nil
		}
	}
	p.mustFree(live...)
}

// watch checks the limits of the pool and the budget until stop.
func watch(t *testing.T, b *Budget, pools []*rig) (stop func()) {
	var over atomic.Bool
	var watchers sync.WaitGroup
	for _, p := range pools {
		watchers.Go(func() {
			for !over.Load() {
				s := p.ready().Stats()
				if s.Reserved > s.Limit || s.Reserved > s.PeakReserved || (s.Reserved == 0) != (s.Chunks == 0) || s.LiveBytes > s.Reserved {
					t.Errorf("inconsistent: %+v", s)
				}
				if held := p.source.held(); held > p.config.Limit {
					t.Errorf("the source has given %d", held)
				}
				if used := b.Reserved(); used > b.Limit() || used < 0 {
					t.Errorf("budget: %d of %d", used, b.Limit())
				}
				runtime.Gosched()
			}
		})
	}
	return func() { over.Store(true); watchers.Wait() }
}

// TestConcurrentGrowth: many goroutines that find the pool empty at once grow it exactly to its limit, and never beyond.
func TestConcurrentGrowth(t *testing.T) {
	for range 20 {
		p := newRig(t, func(c *Config) { c.Limit = 950 })
		p.source.onAlloc = func(int) error { runtime.Gosched(); return nil }
		var got atomic.Int64
		var workers sync.WaitGroup
		for range 30 {
			workers.Go(func() {
				if _, err := p.alloc(50); err == nil {
					got.Add(1)
				} else if !errors.Is(err, poolrt.ErrLimit) {
					t.Errorf("alloc: %v", err)
				}
			})
		}
		workers.Wait()
		if s := p.Stats(); got.Load() != 19 || s.Reserved != 950 || s.Live != 19 || p.source.most != 950 {
			t.Errorf("%d blocks, %+v, at most %d", got.Load(), s, p.source.most)
		}
	}
}
