package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// full makes a pool of one chunk of 100 that waits, with one block of 100 live.
func full(t testing.TB, change func(*Config)) (*rig, block) {
	p := newRig(t, func(c *Config) {
		c.Limit, c.Ladder = 100, []Rung{{Kind: RungWait}, {Kind: RungError}}
		if change != nil {
			change(c)
		}
	})
	return p, p.mustAlloc(100)
}

// spawn runs f in a goroutine and waits until everybody is blocked.
func spawn(f func()) {
	go f()
	synctest.Wait()
}

func TestWaitServedByFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, x := full(t, nil)
		var got block
		spawn(func() { got = p.mustAlloc(40) })
		if got.bytes != 0 {
			t.Fatal("did not wait")
		}
		p.mustFree(x)
		synctest.Wait()
		if got.bytes != 40 {
			t.Error("was not served")
		}
	})
}

// TestWaitOrder: those who wait are served in their order.
func TestWaitOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, x := full(t, nil)
		var order []int
		for i := range 10 {
			spawn(func() {
				b := p.mustAlloc(100)
				order = append(order, i)
				p.mustFree(b)
			})
		}
		p.mustFree(x)
		synctest.Wait()
		if !slices.IsSorted(order) || len(order) != 10 {
			t.Errorf("served in the order %v", order)
		}
	})
}

func TestWaitTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := full(t, func(c *Config) { c.WaitTimeout = 3 * time.Second })
		start := time.Now()
		_, err := p.alloc(1)
		wantErr(t, "alloc", err, ErrLimit)
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("waited %v", d)
		}
		if want := "poolgen: test.Pool: alloc of 1 bytes: limit reached: nothing was freed within 3s " +
			"(live 100, reserved 100, limit 100, largest free range 0)"; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	})
}

// TestWaitHeadLeaves: when the first gives up, a smaller request behind it that fits is served at once.
func TestWaitHeadLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 100 })
		a, b := p.mustAlloc(60), p.mustAlloc(40)
		ctx, cancel := context.WithCancel(t.Context())
		var errA, errB error
		spawn(func() { _, errA = p.ready().AllocContext(ctx, 80, 1) })
		done := false
		spawn(func() { _, errB = p.ready().AllocContext(t.Context(), 30, 1); done = true })
		p.mustFree(b)
		synctest.Wait()
		if done {
			t.Error("the second overtook the first")
		}
		cancel()
		synctest.Wait()
		wantErr(t, "first", errA, context.Canceled)
		wantErr(t, "first", errA, ErrLimit)
		if !done || errB != nil {
			t.Errorf("second: done %v, %v", done, errB)
		}
		p.mustFree(a)
	})
}

func TestAllocContext(t *testing.T) {
	errMine := errors.New("mine")
	tests := []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		want []error
		wait time.Duration
	}{
		{"deadline", func(c context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(c, 2*time.Second)
		},
			[]error{ErrLimit, context.DeadlineExceeded}, 2 * time.Second},
		{"over already", func(c context.Context) (context.Context, context.CancelFunc) {
			c, cancel := context.WithCancel(c)
			cancel()
			return c, cancel
		}, []error{ErrLimit, context.Canceled}, 0},
		{"with a cause", func(c context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(c, time.Second, errMine)
		}, []error{ErrLimit, context.DeadlineExceeded, errMine}, time.Second},
	}
	for _, ladder := range [][]Rung{nil, {{Kind: RungError}}, {{Kind: RungWait}}, {{Kind: RungTrim}, {Kind: RungWait}, {Kind: RungError}}} {
		for _, test := range tests {
			synctest.Test(t, func(t *testing.T) {
				p, _ := full(t, func(c *Config) { c.Ladder = ladder })
				ctx, cancel := test.ctx(t.Context())
				defer cancel()
				start := time.Now()
				_, err := p.ready().AllocContext(ctx, 1, 1)
				for _, want := range test.want {
					wantErr(t, test.name, err, want)
				}
				if d := time.Since(start); d != test.wait {
					t.Errorf("%s: waited %v", test.name, d)
				}
			})
		}
	}
}

// TestAllocContextOverButServed: what needs no waiting is handed out even if the context has ended.
func TestAllocContextOverButServed(t *testing.T) {
	p := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ready().AllocContext(ctx, 1, 1); err != nil {
		t.Error(err)
	}
}

// TestWaitUnlocked: in a pool of one goroutine nobody could free a block, so nothing waits.
func TestWaitUnlocked(t *testing.T) {
	p, x := full(t, func(c *Config) { c.Locked = false })
	start := time.Now()
	_, err := p.alloc(1)
	wantErr(t, "alloc", err, ErrLimit)
	_, err = p.ready().AllocContext(t.Context(), 1, 1)
	wantErr(t, "alloc", err, ErrLimit)
	if d := time.Since(start); d > time.Second/2 {
		t.Errorf("waited %v", d)
	}
	p.mustFree(x)
}

// TestCloseWhileWaiting: those who wait get ErrClosed at once, whatever rungs are left.
func TestCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newRig(t, nil)
		p, _ := full(t, func(c *Config) {
			c.Ladder = append(c.Ladder[:1:1], Rung{Kind: RungPool, Pool: spillTo(other)})
		})
		errs := make([]error, 5)
		for i := range errs {
			spawn(func() { _, errs[i] = p.alloc(1) })
		}
		wantErr(t, "close", p.close(), ErrLive)
		wantErr(t, "close by force", p.closeForce(), nil)
		synctest.Wait()
		for _, err := range errs {
			wantErr(t, "waiter", err, ErrClosed)
		}
		if other.core.live != 0 {
			t.Error("a closed pool borrowed a block")
		}
	})
}

// TestWaitRoomInBudget: what another pool of the budget gives back wakes all whom it can serve.
func TestWaitRoomInBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 200)
		other := newRig(t, func(c *Config) { c.Budget, c.ChunkSize = b, 200 })
		x := other.mustAlloc(200)
		wait := func(c *Config) { c.Budget, c.Ladder = b, []Rung{{Kind: RungWait}} }
		p, q := newRig(t, wait), newRig(t, wait)
		var served atomic.Int64
		for range 3 {
			spawn(func() { p.mustAlloc(30); served.Add(1) })
		}
		spawn(func() { q.mustAlloc(100); served.Add(1) })
		other.mustFree(x)
		if _, err := other.Trim(0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if served.Load() != 4 {
			t.Errorf("%d of 4 were served", served.Load())
		}
	})
}

// TestWaitServedByGrowth: a chunk that comes for one who waits serves the others too.
func TestWaitServedByTrim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Oversize, c.Ladder = 100, true, []Rung{{Kind: RungWait}} })
		x := p.mustAlloc(10) // a chunk of 100
		p.mustFree(x)
		p.source.onAlloc = func(int) error { return nil }
		y := p.mustAlloc(100)
		var served atomic.Int64
		for range 4 {
			spawn(func() { p.mustAlloc(25); served.Add(1) })
		}
		p.mustFree(y)
		synctest.Wait()
		if served.Load() != 4 {
			t.Errorf("%d of 4 were served", served.Load())
		}
	})
}

// TestWaitMemoryComesBack: a pool whose source was out of memory waits without asking it again and again, and
// tries again when a chunk has gone back.
func TestWaitMemoryComesBack(t *testing.T) {
	for _, budget := range []*Budget{nil, NewBudget("B", 1000)} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Budget, c.Oversize, c.Ladder = budget, true, []Rung{{Kind: RungWait}} })
			x := p.mustAlloc(100)
			p.source.onAlloc = func(int) error { return errNoMemory }
			var served atomic.Int64
			for range 3 {
				spawn(func() { p.mustAlloc(150); served.Add(1) })
			}
			time.Sleep(time.Second / 2)
			if calls := p.source.calls(); calls > 10 {
				t.Errorf("the source was called %d times", calls)
			}
			p.source.onAlloc = nil
			p.mustFree(x)
			if _, err := p.Trim(0); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if served.Load() != 3 {
				t.Errorf("%d of 3 were served", served.Load())
			}
		})
	}
}

// TestWaitOutOfMemory: the reason stays out of memory; why the waiting ended is part of the cause.
func TestWaitOutOfMemory(t *testing.T) {
	for _, budget := range []*Budget{nil, NewBudget("B", 1000)} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Budget, c.Ladder = budget, []Rung{{Kind: RungWait}} })
			p.source.onAlloc = func(int) error { return errNoMemory }
			_, err := p.alloc(1)
			for _, want := range []error{ErrOutOfMemory, errNoMemory, context.DeadlineExceeded} {
				wantErr(t, "alloc", err, want)
			}
			if errors.Is(err, ErrLimit) {
				t.Errorf("%v is a limit", err)
			}
			if p.source.calls() > 3 {
				t.Errorf("the source was called %d times", p.source.calls())
			}
		})
	}
}

// TestWaitServedByOthersGrowth: what a chunk has left over for who asked for it goes to those who wait.
func TestWaitServedByOthersGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Ladder = []Rung{{Kind: RungWait}} })
		fail := atomic.Bool{}
		fail.Store(true)
		p.source.onAlloc = func(int) error {
			if fail.Load() {
				return errNoMemory
			}
			return nil
		}
		var served atomic.Int64
		for range 3 {
			spawn(func() { p.mustAlloc(10); served.Add(1) })
		}
		fail.Store(false)
		p.mustAlloc(50)
		synctest.Wait()
		if served.Load() != 3 {
			t.Errorf("%d of 3 were served", served.Load())
		}
	})
}

// TestRetryKeepsPlace: a waiter that tried again in vain is still the first.
func TestRetryKeepsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Oversize, c.Ladder = 300, true, []Rung{{Kind: RungWait}} })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		c := p.mustAlloc(100)
		order := make(chan int, 2)
		spawn(func() { p.mustFree(p.mustAlloc(200)); order <- 1 })
		spawn(func() { p.mustFree(p.mustAlloc(100)); order <- 2 })
		p.Lock()
		p.queue[0].nudge() // in vain
		p.Unlock()
		synctest.Wait()
		p.mustFree(a)
		synctest.Wait()
		if len(order) > 0 {
			t.Error("the second overtook the first")
		}
		p.mustFree(b, c)
		if _, err := p.Trim(0); err != nil {
			t.Fatal(err)
		}
		if first, second := <-order, <-order; first != 1 || second != 2 {
			t.Errorf("served %d before %d", first, second)
		}
	})
}

// TestGrowthFailsForOthersToo: who waits for a chunk that does not come tries for itself.
func TestGrowthFailsForOthersToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, nil)
		gate := make(chan struct{})
		p.source.onAlloc = func(call int) error {
			if call == 1 {
				<-gate
				return errNoMemory
			}
			return nil
		}
		var failed, served error = nil, errNoMemory
		spawn(func() { _, failed = p.alloc(50) })
		spawn(func() { _, served = p.alloc(50) })
		close(gate)
		synctest.Wait()
		wantErr(t, "first", failed, ErrOutOfMemory)
		wantErr(t, "second", served, nil)
	})
}

// TestCloseWithNothing: those who wait in a pool without chunks are told of its end too.
func TestCloseWithNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Ladder, c.WaitTimeout = []Rung{{Kind: RungWait}}, time.Hour })
		p.source.onAlloc = func(int) error { return errNoMemory }
		errs := make([]error, 3)
		for i := range errs {
			spawn(func() { _, errs[i] = p.alloc(1) })
		}
		wantErr(t, "close", p.close(), nil)
		synctest.Wait()
		for _, err := range errs {
			wantErr(t, "waiter", err, ErrClosed)
		}
	})
}

// TestOutOfMemoryInTwoPools: two pools of a budget whose source has nothing do not wake each other for ever.
func TestOutOfMemoryInTwoPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 100)
		wait := func(c *Config) { c.Budget, c.Ladder = b, []Rung{{Kind: RungWait}} }
		pools := []*rig{newRig(t, wait), newRig(t, wait)}
		for _, p := range pools {
			p.source.onAlloc = func(int) error { time.Sleep(time.Millisecond); return errNoMemory }
			for range 2 {
				go func() { _, _ = p.alloc(100) }()
			}
		}
		time.Sleep(5 * time.Second)
		for _, p := range pools {
			if p.source.calls() > 10 {
				t.Errorf("the source was called %d times", p.source.calls())
			}
		}
	})
}

// TestGrowthLeavesOthersFree: while the source is at work for one, another frees, allocates, and is served by a free.
func TestGrowthLeavesOthersFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 300 })
		x := p.mustAlloc(100)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		grown, served := false, false
		spawn(func() { p.mustAlloc(100); grown = true })
		spawn(func() { p.mustAlloc(50); served = true })
		if grown || served {
			t.Fatal("nobody grew")
		}
		if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
			t.Errorf("reserved %d in %d chunks while the second is being asked for", s.Reserved, s.Chunks)
		}
		p.mustFree(x)
		synctest.Wait()
		if !served || grown {
			t.Errorf("a free during growth: served %v, grown %v", served, grown)
		}
		if b, ok := p.try(50); !ok {
			t.Error("no fast path during growth")
		} else {
			p.mustFree(b)
		}
		close(gate)
		synctest.Wait()
		if !grown {
			t.Error("growth did not end")
		}
		if p.source.calls() != 2 {
			t.Errorf("%d calls of the source", p.source.calls())
		}
	})
}

// TestContextEndsDuringGrowth: who waits for the growth of another can give up.
func TestContextEndsDuringGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, nil)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		spawn(func() { p.mustAlloc(100) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.ready().AllocContext(ctx, 1, 1)
		wantErr(t, "alloc", err, context.DeadlineExceeded)
		wantErr(t, "alloc", err, ErrLimit)
		close(gate)
		synctest.Wait()
	})
}

// TestReleaseInProgress: at the limit, an allocation waits for the bytes that are being given back instead of failing.
func TestReleaseInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 100 })
		p.mustFree(p.mustAlloc(100))
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		spawn(func() {
			if n, err := p.Trim(0); n != 100 || err != nil {
				t.Errorf("trim: %d, %v", n, err)
			}
		})
		var got block
		spawn(func() { got = p.mustAlloc(100) })
		if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
			t.Errorf("reserved %d in %d chunks while the source has not taken it", s.Reserved, s.Chunks)
		}
		close(gate)
		synctest.Wait()
		if got.bytes != 100 || p.source.most > 100 {
			t.Errorf("got %v, at most %d", got, p.source.most)
		}
	})
}

// TestSetLimitDuringGrowth: bytes that are being asked for count as in use, so the limit cannot slip below them.
func TestSetLimitDuringGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 400 })
		p.mustAlloc(100)
		gate := make(chan struct{})
		p.source.onAlloc = func(int) error { <-gate; return nil }
		spawn(func() { p.mustAlloc(100) })
		wantErr(t, "SetLimit", p.SetLimit(150), ErrLive)
		wantErr(t, "SetLimit", p.SetLimit(200), nil)
		close(gate)
		synctest.Wait()
		_, err := p.alloc(100)
		wantErr(t, "alloc", err, ErrLimit)
	})
}

// TestSetLimitWaitsForRelease: the new limit is in force only when it holds.
func TestSetLimitWaitsForRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit = 400 })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		p.mustFree(a, b)
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		spawn(func() { _, _ = p.Trim(0) })
		errs := []error{errNoMemory, errNoMemory, errNoMemory}
		for i, to := range []int64{50, 20, 70} {
			spawn(func() { errs[i] = p.SetLimit(to) })
		}
		if s := p.Stats(); s.Reserved > s.Limit || s.Limit != 400 {
			t.Errorf("reserved %d, limit %d", s.Reserved, s.Limit)
		}
		var failed error
		spawn(func() { _, failed = p.alloc(100) }) // waits to see what comes of it
		close(gate)
		synctest.Wait()
		wantErr(t, "alloc", failed, ErrTooLarge)
		for i, want := range []error{nil, nil, ErrBadSize} { // one after the other: none raises it again
			wantErr(t, "SetLimit", errs[i], want)
		}
		if s := p.Stats(); s.Limit != 20 || s.Reserved != 0 {
			t.Errorf("limit %d, reserved %d", s.Limit, s.Reserved)
		}
	})
}

// TestCloseDuringGrowth: Close waits for the source and then finds what it gave.
func TestCloseDuringGrowth(t *testing.T) {
	for _, force := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := newRig(t, nil)
			gate := make(chan struct{})
			p.source.onAlloc = func(int) error { <-gate; return nil }
			spawn(func() { p.mustAlloc(100) })
			var err error
			spawn(func() {
				if force {
					err = p.closeForce()
				} else {
					err = p.close()
				}
			})
			close(gate)
			synctest.Wait()
			if force {
				wantErr(t, "close", err, nil)
			} else {
				wantErr(t, "close", err, ErrLive)
			}
		})
	}
}

// TestLimitLoweredWhileWaiting: a request that can never be served any more stops waiting when its turn comes.
func TestLimitLoweredWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Oversize, c.Limit = true, 300 })
		x := p.mustAlloc(100)
		var err error
		spawn(func() { _, err = p.ready().AllocContext(context.WithoutCancel(t.Context()), 300, 1) })
		wantErr(t, "SetLimit", p.SetLimit(200), nil)
		synctest.Wait()
		wantErr(t, "alloc", err, ErrTooLarge)
		p.mustFree(x)
	})
}

func ExamplePoolError() {
	fmt.Println(&PoolError{Pool: "scene.Vertex", Op: "alloc", Err: ErrLimit, Request: 64, Live: 4000, Reserved: 4096, Limit: 4096})
	// Output: poolgen: scene.Vertex: alloc of 64 bytes: limit reached (live 4000, reserved 4096, limit 4096, largest free range 0)
}
