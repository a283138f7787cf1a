package poolimpl

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// listed returns the entries of Pools with these names, in its order.
func listed(names ...string) (some []poolrt.PoolInfo) {
	for _, i := range poolrt.Pools() {
		if slices.Contains(names, i.Name) {
			some = append(some, i)
		}
	}
	return some
}

// named makes a rig with a name of the test's own.
func named(t testing.TB, name string, change func(*Config)) *rig {
	return newRig(t, func(c *Config) {
		c.Name = t.Name() + "/" + name
		if change != nil {
			change(c)
		}
	})
}

func TestPoolsAreListedFromFirstUseToClose(t *testing.T) {
	a, b, c := named(t, "a", nil), named(t, "b", nil), named(t, "c", nil)
	names := []string{a.config.Name, b.config.Name, c.config.Name}
	expect := func(want ...string) {
		t.Helper()
		var got []string
		for _, i := range listed(names...) {
			got = append(got, i.Name)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("listed %q, want %q", got, want)
		}
	}
	expect()
	x := b.mustAlloc(10)
	a.mustAlloc(20)
	c.ready()
	expect(names[1], names[0], names[2])
	if err := b.close(); err == nil {
		t.Fatal("closed with a live block")
	}
	expect(names[1], names[0], names[2])
	b.mustFree(x)
	for _, end := range []func() error{b.close, b.close, a.closeForce, c.close} {
		fatal.If(t, end())
	}
	expect()
	b.ready().Stats()
	expect()
}

// A pool whose chunk the source failed to free stays listed after Close, with the chunk.
func TestPoolStaysListedWithItsMemory(t *testing.T) {
	p := named(t, "p", nil)
	p.mustFree(p.mustAlloc(10))
	p.source.onFree = func(int) error { return errNoMemory }
	wantErr(t, "close", p.close(), poolrt.ErrNotReturned)
	if l := listed(p.config.Name); len(l) != 1 || l[0].Stats.Reserved != 100 {
		t.Fatalf("%+v", l)
	}
	p.source.onFree = nil
	fatal.If(t, p.close())
	if l := listed(p.config.Name); len(l) != 0 {
		t.Fatalf("%+v", l)
	}
}

func TestPoolInfo(t *testing.T) {
	budget := NewBudget("all", 1000)
	p := named(t, "p", func(c *Config) {
		c.Suballocator, c.Fit, c.Ordering, c.ItemSize, c.Budget = "heap", "good", "sync", 4, budget
	})
	p.mustAlloc(10)
	before := time.Now()
	got := listed(p.config.Name)
	if len(got) != 1 || got[0].Seen.Before(before) {
		t.Fatalf("%+v", got)
	}
	want := poolrt.PoolInfo{
		Name: p.config.Name, Allocator: "host", Requested: "host", Suballocator: "heap", Fit: "good", Concurrency: "mutex", Ordering: "sync",
		Device: -1, Unit: "bytes", ItemSize: 4, ChunkSize: 100, MaxLimit: p.config.maxLimit(), Budget: poolrt.BudgetInfo{Name: "all", Limit: 1000, Reserved: 100}, Priority: 50, Stats: p.Stats(), Seen: got[0].Seen,
	}
	if got[0] != want {
		t.Errorf("%+v, want\n%+v", got[0], want)
	}
}

// AllAtOnce tells whether a pool's blocks are freed all at once.
func TestPoolInfoAllAtOnce(t *testing.T) {
	for _, together := range []bool{false, true} {
		p := named(t, fmt.Sprint(together), func(c *Config) { c.Uncounted = together })
		p.mustAlloc(10)
		if got := listed(p.config.Name); len(got) != 1 || got[0].AllAtOnce != together {
			t.Errorf("%+v, want %t", got, together)
		}
	}
}

// The figures of a pool without a lock are of the time when its owner last left the fast path. They are not far out of date, however many chunks it has.
func TestPoolsWithoutLock(t *testing.T) {
	p := named(t, "p", func(c *Config) { c.Locked = false })
	look := func() poolrt.PoolInfo {
		t.Helper()
		l := listed(p.config.Name)
		if len(l) != 1 || l[0].Concurrency != "none" {
			t.Fatalf("%+v", l)
		}
		return l[0]
	}
	p.mustAlloc(60)
	first := look()
	if first.Stats.Live != 1 || first.Stats.Reserved != 100 {
		t.Errorf("%+v", first.Stats)
	}
	p.mustAlloc(30) // the fast path
	if again := look(); again != first {
		t.Errorf("%+v, want\n%+v", again, first)
	}
	if s := p.Stats(); look().Stats != s || s.Live != 2 {
		t.Errorf("%+v after %+v", look().Stats, s)
	}
	for n := int64(2); n < 200; n++ {
		p.mustAlloc(100)
		if s := look().Stats; s.Chunks < n-n/chunksPerCall-1 || s.Reserved != 100*s.Chunks {
			t.Fatalf("%d chunks, seen as %+v", n, s)
		}
	}
}

// Pools may be listed while their owners use them. The race detector checks the accesses.
func TestPoolsWhileOthersWork(t *testing.T) {
	var all sync.WaitGroup
	done := make(chan struct{})
	for _, lock := range []bool{true, false} {
		p := named(t, "p", func(c *Config) { c.Locked = lock })
		all.Go(func() {
			for range 300 {
				b := p.mustAlloc(70)
				c := p.mustAlloc(70)
				p.mustFree(b, c)
				p.mustTrim()
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for {
		for _, i := range listed(t.Name() + "/p") {
			if s := i.Stats; s.Reserved != 100*s.Chunks || s.Live > 2 {
				t.Errorf("%+v", i)
			}
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// Snapshots select pools by name while others are being opened. The race detector checks the accesses.
func TestLookedForWhileOpening(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			poolrt.TakeSnapshotNamed("test.Other")
		}
	}()
	for range 100 {
		p := newRig(t, nil)
		wantErr(t, "open", p.ready().Open(poolrt.WithName("test.Other")), nil)
		wantErr(t, "close", p.close(), nil)
	}
	<-done
}
