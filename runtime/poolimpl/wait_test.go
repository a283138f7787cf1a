package poolimpl

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// full returns a pool with the rung wait, limited to one chunk of 100 bytes, with one live block of 100.
func full(t testing.TB, change func(*Config)) (*rig, block) {
	p := newRig(t, func(c *Config) {
		c.Limit, c.Ladder = 100, []Rung{WaitRung{}, ErrorRung{}}
		if change != nil {
			change(c)
		}
	})
	return p, p.mustAlloc(100)
}

// spawn runs f in a goroutine and waits until all goroutines are blocked.
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

// TestWaitOrder: waiters are served in order.
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
		wantErr(t, "alloc", err, poolrt.ErrLimit)
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("waited %v", d)
		}
		if want := "poolgen: test.Pool: alloc of 1 bytes: limit reached: nothing was freed within 3s " +
			"(live 100, reserved 100, limit 100, largest free range 0)"; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	})
}

// TestWaitHeadLeaves: when the first waiter gives up, a smaller request after it that fits is served at once.
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
		wantErr(t, "first", errA, poolrt.ErrLimit)
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
			[]error{poolrt.ErrLimit, context.DeadlineExceeded}, 2 * time.Second},
		{"over already", func(c context.Context) (context.Context, context.CancelFunc) {
			c, cancel := context.WithCancel(c)
			cancel()
			return c, cancel
		}, []error{poolrt.ErrLimit, context.Canceled}, 0},
		{"with a cause", func(c context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(c, time.Second, errMine)
		}, []error{poolrt.ErrLimit, context.DeadlineExceeded, errMine}, time.Second},
	}
	for _, ladder := range [][]Rung{nil, {ErrorRung{}}, {WaitRung{}}, {TrimRung{}, WaitRung{}, ErrorRung{}}} {
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

// TestAllocContextOverButServed: a request that need not wait succeeds even if the context has ended.
func TestAllocContextOverButServed(t *testing.T) {
	p := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ready().AllocContext(ctx, 1, 1); err != nil {
		t.Error(err)
	}
}

// TestWaitUnlocked: a pool of one goroutine does not wait, because no other goroutine could free a block.
func TestWaitUnlocked(t *testing.T) {
	p, x := full(t, func(c *Config) { c.Locked = false })
	start := time.Now()
	_, err := p.alloc(1)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	_, err = p.ready().AllocContext(t.Context(), 1, 1)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if !errors.Is(err, errAlone) {
		t.Errorf("%v does not say why it did not wait", err)
	}
	if d := time.Since(start); d > time.Second/2 {
		t.Errorf("waited %v", d)
	}
	p.mustFree(x)
}

// TestCloseWhileWaiting: waiters get ErrClosed at once, whatever rungs are left.
func TestCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newRig(t, nil)
		p, _ := full(t, func(c *Config) {
			c.Ladder = append(c.Ladder[:1:1], PoolRung{Pool: lenderOf(other)})
		})
		errs := make([]error, 5)
		for i := range errs {
			spawn(func() { _, errs[i] = p.alloc(1) })
		}
		wantErr(t, "close", p.close(), poolrt.ErrLive)
		wantErr(t, "close by force", p.closeForce(), nil)
		synctest.Wait()
		for _, err := range errs {
			wantErr(t, "waiter", err, poolrt.ErrClosed)
		}
		if other.core.live != 0 {
			t.Error("a closed pool borrowed a block")
		}
	})
}
