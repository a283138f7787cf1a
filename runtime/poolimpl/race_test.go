package poolimpl

import (
	"errors"
	"math/rand/v2"
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

// TestLimitsThatRiseAndFall: while goroutines raise and lower the limit, others allocate and free. Never does the source give more than the limit in force, and
// at the end a pool whose limit is restored serves all that it served before.
func TestLimitsThatRiseAndFall(t *testing.T) {
	const most = 2000
	for name, change := range map[string]func(*Config){
		"errors": func(c *Config) {},
		"waits": func(c *Config) {
			c.WaitTimeout, c.Ladder = time.Millisecond, []Rung{TrimRung{}, WaitRung{}}
		},
		"trims": func(c *Config) { c.Trim = &TrimPolicy{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newRig(t, func(c *Config) { c.Limit, c.MaxLimit = 1000, most; change(c) })
			p.source.onAlloc = func(int) error {
				p.lock() // the limit first: what the source has given can only fall meanwhile, as one caller grows the pool
				limit, growing := p.limits.limit, p.limits.growing
				p.unlock()
				if held := p.source.held(); held+growing > limit {
					t.Errorf("limit %d, and the source is asked for %d beside %d", limit, growing, held)
				}
				return nil
			}
			var workers sync.WaitGroup
			for seed := range uint64(6) {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(seed, 0))
					var live []block
					for range 2000 {
						if b, err := p.alloc(1 + r.Uint64N(100)); err == nil {
							live = append(live, b)
						} else if !temporary(reasonOf(err)) && !errors.Is(err, poolrt.ErrTooLarge) {
							t.Errorf("alloc: %v", err)
						}
						if n := len(live); n > 0 && (n > 4 || r.IntN(2) == 0) {
							p.mustFree(live[n-1])
							live = live[:n-1]
						}
					}
					p.mustFree(live...)
				})
			}
			for seed := range uint64(2) {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(seed, 1))
					for range 500 {
						if err := p.ready().SetLimit(r.Int64N(most + 1)); err != nil && !errors.Is(err, poolrt.ErrLive) {
							t.Errorf("set limit: %v", err)
						}
					}
				})
			}
			workers.Wait()
			_, err := p.Trim(0) // chunks that a low limit made small
			wantErr(t, "trim", err, nil)
			wantErr(t, "restore", p.SetLimit(most), nil)
			for range most / 100 {
				p.mustAlloc(100)
			}
			_, err = p.alloc(1)
			wantErr(t, "one more", err, poolrt.ErrLimit)
			wantErr(t, "close", p.closeForce(), nil)
		})
	}
}

// reasonOf returns what an error of a pool matches.
func reasonOf(err error) error {
	var p *poolrt.PoolError
	errors.As(err, &p)
	return p.Err
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
			c.Limit, c.WaitTimeout, c.Trim, c.Ladder = 300, time.Minute, &TrimPolicy{}, []Rung{TrimRung{}, WaitRung{}}
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
