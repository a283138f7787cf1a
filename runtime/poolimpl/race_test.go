package poolimpl

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestConcurrentSetLimit: a limit that is lowered under load holds from the time SetLimit returns.
func TestConcurrentSetLimit(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 2000 })
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 2000 {
				if b, err := p.alloc(100); err == nil {
					p.mustFree(b)
				}
			}
		})
	}
	stop := watch(t, nil, []*rig{p})
	for to := int64(1900); to >= 200; to -= 100 {
		err := p.ready().SetLimit(to)
		if s := p.Stats(); err == nil && s.Reserved > to {
			t.Errorf("limit %d, reserved %d", to, s.Reserved)
		} else if err != nil && !errors.Is(err, poolrt.ErrLive) {
			t.Errorf("set limit: %v", err)
		}
		_, _ = p.Trim(0)
	}
	workers.Wait()
	stop()
}

// TestInitRace: the first uses of a zero pool may be concurrent.
func TestInitRace(t *testing.T) {
	for range 50 {
		p := newRig(t, func(c *Config) { c.Prime = 150 })
		var workers sync.WaitGroup
		var opened atomic.Int64
		for i := range 8 {
			workers.Go(func() {
				switch i % 4 {
				case 0:
					if p.ready().Open() == nil {
						opened.Add(1)
					}
				case 1:
					_ = p.ready().Stats()
				case 2:
					_, _ = p.ready().Trim(1000)
				default:
					p.mustFree(p.mustAlloc(100))
				}
			})
		}
		workers.Wait()
		if opened.Load() > 1 {
			t.Errorf("opened %d times", opened.Load())
		}
	}
}

// TestConcurrentClose: a call during Close returns a block or ErrClosed, and at the end no memory is reserved.
func TestConcurrentClose(t *testing.T) {
	for range 50 {
		p := newRig(t, func(c *Config) {
			c.Limit, c.WaitTimeout, c.Trim, c.Ladder = 300, time.Minute, &TrimPolicy{}, []Rung{{Kind: RungTrim}, {Kind: RungWait}}
		})
		p.source.onAlloc = func(int) error { runtime.Gosched(); return nil }
		p.source.onFree = p.source.onAlloc
		var workers sync.WaitGroup
		var rounds atomic.Int64
		for range 6 {
			workers.Go(func() {
				for range 100 {
					rounds.Add(1)
					b, err := p.alloc(80)
					if err == nil {
						err = p.free(b)
					}
					if errors.Is(err, poolrt.ErrClosed) {
						return
					}
					if err != nil {
						t.Errorf("%v", err)
					}
				}
			})
		}
		for rounds.Load() < 60 || errors.Is(p.close(), poolrt.ErrLive) {
			runtime.Gosched()
		}
		workers.Wait()
		if p.source.held() != 0 {
			t.Errorf("%d bytes left", p.source.held())
		}
	}
}
