package poolimpl

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// peaks returns the sums of blocks that three pools have at a time: each has its peak while the others have little.
func peaks() (list [][3]int) {
	for turn := range 9 {
		for step := range 8 {
			var n [3]int
			n[turn%3] = 1 + step
			n[(turn+2)%3] = 8 - step
			list = append(list, n)
		}
	}
	return list
}

// serve has each pool hold so many blocks of 100 bytes as the peaks say, and returns how many requests failed.
func serve(t *testing.T, pools [3]*rig) (failed int) {
	var live [3][]block
	for _, want := range peaks() {
		for i, p := range pools {
			for len(live[i]) > want[i] {
				p.mustFree(live[i][0])
				live[i] = live[i][1:]
			}
		}
		for i, p := range pools {
			for len(live[i]) < want[i] {
				b, err := p.alloc(100)
				if err != nil {
					wantErr(t, "alloc", err, poolrt.ErrLimit)
					failed++
					break
				}
				live[i] = append(live[i], b)
			}
		}
	}
	for i, p := range pools {
		p.mustFree(live[i]...)
		wantErr(t, "close", p.close(), nil)
	}
	return failed
}

// Three pools with alternating peaks are served by a budget of 1.1 times what they hold together at most; a third of that for each is not enough.
func TestAlternatingPeaks(t *testing.T) {
	joint := 0
	for _, n := range peaks() {
		joint = max(joint, 100*(n[0]+n[1]+n[2]))
	}
	limit := int64(joint + joint/10)
	var elastic, static [3]*rig
	b := NewBudget("B", limit)
	for i := range elastic {
		elastic[i] = newRig(t, func(c *Config) { c.Budget = b })
		static[i] = newRig(t, func(c *Config) { c.Limit = limit / 3 })
	}
	if n := serve(t, elastic); n != 0 {
		t.Errorf("the budget has failed %d requests", n)
	}
	if b.Reserved() != 0 || b.Info().Kept != 0 {
		t.Errorf("%+v is left", b.Info())
	}
	if serve(t, static) == 0 {
		t.Error("the peaks fit a third for each")
	}
}

// A guarantee is charged from the first use on, and nobody else gets it.
func TestGuaranteeOfPool(t *testing.T) {
	b := NewBudget("B", 500)
	p := newRig(t, func(c *Config) { c.Budget, c.Guarantee = b, 300 })
	q := newRig(t, func(c *Config) { c.Budget = b })
	wantErr(t, "open", p.ready().Open(), nil)
	if got := b.Info(); got != (poolrt.BudgetInfo{Name: "B", Limit: 500, Kept: 300}) {
		t.Errorf("%+v", got)
	}
	blocks := []block{q.mustAlloc(100), q.mustAlloc(100)}
	_, err := q.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if !strings.Contains(err.Error(), "have reserved 200 of its limit of 500, and 300 are kept for the guarantees of others (") {
		t.Error(err)
	}
	blocks2 := []block{p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)}
	p.mustFree(blocks2...)
	if _, err = q.alloc(100); !errors.Is(err, poolrt.ErrLimit) || p.Stats().Reserved != 300 {
		t.Errorf("a pool gave what is guaranteed to it: %v", err)
	}
	late := newRig(t, func(c *Config) { c.Budget, c.Guarantee = b, 200 })
	err = late.ready().Open()
	wantErr(t, "open", err, poolrt.ErrLimit)
	if !strings.Contains(err.Error(), `budget "B" has no room for the guarantee of 200`) {
		t.Error(err)
	}
	q.mustFree(blocks...)
	wantErr(t, "open", late.Open(), nil) // what is empty makes room
	if got := b.Info(); got.Reserved != 300 || got.Kept != 200 {
		t.Errorf("%+v", got)
	}
}

// An empty chunk of which a guarantee needs a part goes to others as a whole, and the budget keeps the part. The governor of the program gets none such.
func TestChunkAcrossGuarantee(t *testing.T) {
	b := NewBudget("B", 300)
	p := newRig(t, func(c *Config) { c.Budget, c.Guarantee = b, 140 })
	q := newRig(t, func(c *Config) { c.Budget, c.ChunkSize = b, 160 })
	p.mustFree(p.mustAlloc(100), p.mustAlloc(100))
	if n := p.GiveEmpty(100, "program"); n != 0 {
		t.Errorf("the governor got %d of what a guarantee needs", n)
	}
	q.mustAlloc(160)
	if got := b.Info(); got.Reserved != 260 || got.Kept != 40 || p.Stats().Reserved != 100 {
		t.Errorf("%+v, %d reserved", got, p.Stats().Reserved)
	}
	if _, err := q.alloc(1); !errors.Is(err, poolrt.ErrLimit) || p.Stats().Reserved != 100 {
		t.Errorf("a pool gave what is guaranteed to it: %v", err)
	}
}

// WithBudget replaces the budget, the guarantee and the priority of the pool file, or refuses.
func TestWithBudget(t *testing.T) {
	file, own := NewBudget("File", 1000), poolrt.NewBudget("Own", 250)
	p := newRig(t, func(c *Config) { c.Budget, c.Guarantee, c.Limit = file, 200, 400 })
	for _, c := range []struct {
		option poolrt.Option
		want   error
	}{
		{poolrt.WithBudget(own, -1, 50), poolrt.ErrBadSize}, {poolrt.WithBudget(own, 251, 50), poolrt.ErrBadSize}, {poolrt.WithBudget(nil, 10, 50), poolrt.ErrBadSize},
		{poolrt.WithBudget(poolrt.NewBudget("Large", 1000), 401, 50), poolrt.ErrBadSize},
		{poolrt.WithBudget(own, 0, -1), poolrt.ErrBadSize}, {poolrt.WithBudget(own, 0, 101), poolrt.ErrBadSize}, {poolrt.WithBudget(own, 250, 0), nil},
	} {
		wantErr(t, "open", p.ready().Open(c.option), c.want)
	}
	if file.Info().Kept != 0 || own.Info().Kept != 250 || p.Budget() != own || p.Priority() != 0 {
		t.Errorf("%+v, %+v, priority %d", file.Info(), own.Info(), p.Priority())
	}
	p.mustAlloc(100)
	if i := p.Info(); i.Budget.Name != "Own" || i.Guarantee != 250 || i.Priority != 0 || own.Reserved() != 100 {
		t.Errorf("%+v", i)
	}
	free := newRig(t, func(c *Config) { c.Budget = file })
	wantErr(t, "open", free.ready().Open(poolrt.WithBudget(nil, 0, 50)), nil)
	if free.mustAlloc(100); file.Reserved() != 0 || free.Budget() != nil {
		t.Errorf("%d of a budget that the pool is not in", file.Reserved())
	}
}

// SetLimit of a budget holds at once; memory that is held stays.
func TestSetBudgetLimit(t *testing.T) {
	b := NewBudget("B", 300)
	p, q := newRig(t, func(c *Config) { c.Budget = b }), newRig(t, func(c *Config) { c.Budget, c.Guarantee = b, 100 })
	wantErr(t, "open", q.ready().Open(), nil)
	x := p.mustAlloc(100)
	p.mustAlloc(100)
	wantErr(t, "negative", b.SetLimit(-1), poolrt.ErrBadSize)
	wantErr(t, "below the guarantees", b.SetLimit(99), poolrt.ErrLimit)
	wantErr(t, "no budget", (*Budget)(nil).SetLimit(1), poolrt.ErrUnsupported)
	wantErr(t, "lower", b.SetLimit(200), nil)
	if b.Reserved() != 200 || b.Limit() != 200 {
		t.Errorf("%+v", b.Info())
	}
	_, err := p.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	_, err = q.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	p.mustFree(x)
	q.mustAlloc(100) // p gives what is empty
	_, err = p.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	wantErr(t, "raise", b.SetLimit(300), nil)
	p.mustAlloc(100)
}

// A request that waits for room in the budget is served when another pool has something empty, and when the limit is raised.
func TestWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget("B", 200)
		p := newRig(t, func(c *Config) { c.Budget, c.Ladder = b, []Rung{WaitRung{}} })
		q := newRig(t, func(c *Config) { c.Budget = b })
		x := q.mustAlloc(100)
		q.mustAlloc(100)
		var served atomic.Int64
		for range 2 {
			spawn(func() { p.mustAlloc(100); served.Add(1) })
		}
		time.Sleep(time.Millisecond)
		q.mustFree(x)
		time.Sleep(2 * retryEvery)
		if served.Load() != 1 {
			t.Errorf("%d of 1", served.Load())
		}
		wantErr(t, "raise", b.SetLimit(300), nil)
		synctest.Wait()
		if served.Load() != 2 {
			t.Errorf("%d of 2", served.Load())
		}
	})
}

// A hook frees something for the pool in need. What it leaves empty goes, with an event that names both.
func TestOnReclaim(t *testing.T) {
	b := NewBudget("B", 200)
	p := newRig(t, func(c *Config) { c.Name, c.Budget, c.Reclaim = "test.Giver", b, ReclaimHook })
	q := newRig(t, func(c *Config) { c.Name, c.Budget = "test.Needy", b })
	x := p.mustAlloc(100)
	q.mustAlloc(100)
	var asked []int64
	stop := p.ready().OnReclaim(func(n int64) {
		asked = append(asked, n)
		p.mustFree(x)
	})
	var events []poolrt.Event
	defer poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventReclaim {
			events = append(events, e)
		}
	})()
	q.mustAlloc(100)
	if len(asked) != 1 || asked[0] != 100 || p.Stats().Given != 100 {
		t.Errorf("asked for %v, %d given", asked, p.Stats().Given)
	}
	if len(events) != 1 || events[0].Pool != "test.Giver" || events[0].For != "test.Needy" || events[0].Bytes != 100 || events[0].Reserved != 0 {
		t.Errorf("%+v", events)
	}
	stop()
	stop()
	p.ready().OnReclaim(nil)()
	if _, err := q.alloc(100); !errors.Is(err, poolrt.ErrLimit) || len(asked) != 1 {
		t.Errorf("%v; a hook that was stopped was asked for %v", err, asked)
	}
}

// A hook that panics, or calls a closed pool, loses nothing: the panic reaches the caller, and the next request may reclaim.
func TestReclaimPanics(t *testing.T) {
	b := NewBudget("B", 200)
	p := newRig(t, func(c *Config) { c.Budget, c.Reclaim = b, ReclaimHook })
	q := newRig(t, func(c *Config) { c.Budget = b })
	x := p.mustAlloc(100)
	q.mustAlloc(100)
	stop := p.ready().OnReclaim(func(int64) { panic("hook") })
	func() {
		defer func() {
			if recover() != "hook" {
				t.Error("no panic")
			}
		}()
		_, _ = q.ready().Alloc(1, 100, 1)
	}()
	stop()
	p.ready().OnReclaim(func(int64) { p.mustFree(x) })
	begun := time.Now()
	q.mustAlloc(100)
	if d := time.Since(begun); d > time.Second {
		t.Errorf("waited %v for a turn", d)
	}
}

// A hook may close the pool in need. The request then says so, and asks no other pool.
func TestHookClosesThePoolInNeed(t *testing.T) {
	lender := newRig(t, nil)
	lender.ready()
	rungs := []Rung{TrimRung{}, PoolRung{Pool: lenderOf(lender)}}
	for name, ask := range map[string]func(e *Engine) error{
		"open":         func(e *Engine) error { return e.Open() },
		"alloc":        func(e *Engine) error { _, err := e.Alloc(1, 100, 1); return err },
		"AllocContext": func(e *Engine) error { _, err := e.AllocContext(t.Context(), 1, 100); return err },
		"graph": func(e *Engine) error {
			g, err := e.NewGraphMemory(nil, func() bool { return false })
			wantErr(t, "capture", err, nil)
			return g.Grow(Point{}, 100, 1, 1)
		},
	} {
		b := NewBudget("B", 100)
		p := newRig(t, func(c *Config) { c.Budget, c.Reclaim = b, ReclaimHook })
		q := newRig(t, func(c *Config) {
			if c.Budget, c.Private, c.Ladder = b, 1, rungs; name == "open" {
				c.Guarantee = 100
			}
		})
		p.mustAlloc(100)
		p.ready().OnReclaim(func(int64) { wantErr(t, "close", q.closeForce(), nil) })
		if err := ask(q.ready()); !errors.Is(err, poolrt.ErrClosed) || errors.Is(err, poolrt.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := lender.Stats().Allocs; n != 0 {
		t.Errorf("closed pools borrowed %d blocks", n)
	}
}

// Pools without a lock are not asked, nor those of which the pool file says so, but they may ask.
func TestNotAsked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no lock": func(c *Config) { c.Locked = false }, "reclaim: []": func(c *Config) { c.Reclaim = ReclaimNone },
	} {
		b := NewBudget("B", 200)
		p := newRig(t, func(c *Config) { c.Budget = b; change(c) })
		q := newRig(t, func(c *Config) { c.Budget = b })
		p.mustFree(p.mustAlloc(100))
		x := q.mustAlloc(100)
		if _, err := q.alloc(100); !errors.Is(err, poolrt.ErrLimit) || p.Stats().Reserved != 100 {
			t.Errorf("%s: %v, %d reserved", name, err, p.Stats().Reserved)
		}
		q.mustFree(x)
		p.mustAlloc(100)
		if p.mustAlloc(100); q.Stats().Reserved != 0 {
			t.Errorf("%s: %d are left", name, q.Stats().Reserved)
		}
	}
}
