package budget

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// join makes a pool a member, which must have room for its guarantee.
func join(t *testing.T, b *Budget, terms Terms) *pool {
	t.Helper()
	p := newPool(t, b, terms, NoLimit)
	if !p.m.Join() {
		t.Fatalf("no room for a guarantee of %d", terms.Guarantee)
	}
	return p
}

// Concurrent callers do not reserve the same bytes.
func TestReservedAtOnce(t *testing.T) {
	b := New("One", 1)
	m := join(t, b, Terms{}).m
	var holders, most atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200_000 {
				if !m.Reserve(1) {
					continue
				}
				if n := holders.Add(1); n > 1 {
					most.Store(n)
				}
				holders.Add(-1)
				m.Release(1)
			}
		})
	}
	all.Wait()
	if n := most.Load(); n > 0 || b.Held() != 0 {
		t.Errorf("%d callers had the same byte at once; %d are left", n, b.Held())
	}
}

// Once SetLimit has returned and the pools hold no more, they never do, whatever was under way.
func TestLimitLoweredAtOnce(t *testing.T) {
	b := New("B", 100)
	m := join(t, b, Terms{}).m
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 100_000 {
				if m.Reserve(60) {
					m.Release(60)
				}
			}
		})
	}
	for range 20_000 {
		b.SetLimit(50)
		if held := b.Held(); held <= 50 {
			for range 20 {
				if later := b.Held(); later > 50 {
					t.Fatalf("%d of 50, after %d", later, held)
				}
			}
		}
		b.SetLimit(100)
	}
	all.Wait()
}

// Others cannot have what a pool lacks to its guarantee, and the pool needs no room for it.
func TestGuarantee(t *testing.T) {
	b := New("B", 100)
	p, q := join(t, b, Terms{Guarantee: 40}), join(t, b, Terms{})
	if q.m.Reserve(61) || !q.m.Reserve(60) || !p.m.Reserve(30) || !p.m.Reserve(10) || p.m.Reserve(1) {
		t.Error("60 and 40 of 100, 40 guaranteed")
	}
	if b.Held() != 100 || b.Charged() != 100 {
		t.Errorf("held %d, charged %d", b.Held(), b.Charged())
	}
	p.m.Release(25)
	if q.m.Reserve(1) || b.Held() != 75 || p.m.Available() != 25 {
		t.Errorf("what went back below a guarantee can be had by others: held %d, available %d", b.Held(), p.m.Available())
	}
	if newPool(t, b, Terms{Guarantee: 1}, NoLimit).m.Join() {
		t.Error("a guarantee without room")
	}
	p.m.Release(15)
	p.m.Leave()
	if b.Charged() != 60 {
		t.Errorf("charged %d once the pool with the guarantee has left", b.Charged())
	}
}

// The lowest priority gives first, then the pool that was used least recently; no pool gives what is guaranteed to it.
func TestWhoGives(t *testing.T) {
	b := New("B", 500)
	var pools []*pool
	for _, terms := range []Terms{{Priority: 7, Reclaim: Trim}, {Priority: 5, Reclaim: Trim}, {Priority: 5, Reclaim: Trim}, {Priority: 1}, {Priority: 0, Guarantee: 100, Reclaim: Trim}} {
		p := join(t, b, terms)
		fatal.If(t, p.grow(100, true))
		p.free()
		pools = append(pools, p)
	}
	asker := join(t, b, Terms{})
	b.givers(nil, Trim) // looks at all
	pools[1].uses++     // which had the older chunk
	var gave []int
	for range 3 {
		fatal.If(t, asker.grow(100, true))
		gave = append(gave, slices.IndexFunc(pools, func(p *pool) bool { return len(p.empty) == 0 && len(p.gaveTo) == 1 }))
		pools[gave[len(gave)-1]].gaveTo = nil
	}
	if !slices.Equal(gave, []int{2, 1, 0}) {
		t.Errorf("%v gave", gave)
	}
	if err := asker.grow(1, true); err != errFull {
		t.Errorf("the other pools have nothing to give: %v", err)
	}
}

// Empty chunks of all come first, then hooks, and last pools that can sleep: none of a higher priority.
func TestWaysInOrder(t *testing.T) {
	b := New("B", 300)
	hooked, sleepy := join(t, b, Terms{Priority: 1, Reclaim: Hook}), join(t, b, Terms{Priority: 2, Reclaim: Trim | Sleep})
	for _, p := range []*pool{hooked, sleepy, sleepy} {
		fatal.If(t, p.grow(100, true))
	}
	sleepy.free()
	called := 0
	hooked.hook = func(bytes int64) {
		if called++; bytes != 100 {
			t.Errorf("the hook is asked for %d", bytes)
		}
		hooked.free()
	}
	asker := join(t, b, Terms{Priority: 1})
	for i, want := range []struct {
		err         error
		hooks, live int
	}{{nil, 0, 1}, {nil, 1, 1}, {errFull, 1, 1}} {
		if err := asker.grow(100, true); err != want.err || called != want.hooks || len(sleepy.live) != want.live {
			t.Errorf("%d: %v, %d hooks, %d live", i, err, called, len(sleepy.live))
		}
	}
	asker.m.Priority = 2
	if err := asker.grow(100, true); err != nil || len(sleepy.asleep) != 1 {
		t.Errorf("%v, %d asleep", err, len(sleepy.asleep))
	}
}

// A hook that itself needs room is neither called again nor waited for.
func TestHookInNeed(t *testing.T) {
	b := New("B", 200)
	p, asker := join(t, b, Terms{Reclaim: Hook}), join(t, b, Terms{})
	for range 2 {
		fatal.If(t, p.grow(100, true))
	}
	running := false
	p.hook = func(int64) {
		if running {
			return
		}
		running = true
		if err := asker.grow(50, true); err != errFull {
			t.Errorf("in the hook: %v", err)
		}
		p.free()
	}
	if err := asker.grow(100, true); err != nil {
		t.Error(err)
	}
}

// One goroutine reclaims at a time. One that has waited too long goes ahead, as the other may be waiting for it.
func TestOneReclaims(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		most  int64
	}{{patience / 8, 1}, {3 * patience, 4}} {
		synctest.Test(t, func(t *testing.T) {
			b := New("B", 400)
			p, asker := join(t, b, Terms{Reclaim: Hook}), join(t, b, Terms{})
			for range 4 {
				fatal.If(t, p.grow(100, true))
			}
			var running, most atomic.Int64
			p.hook = func(int64) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(c.takes)
				running.Add(-1)
				p.free()
			}
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := asker.grow(100, true); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if most.Load() != c.most {
				t.Errorf("%d at once, where each takes %v", most.Load(), c.takes)
			}
		})
	}
}
