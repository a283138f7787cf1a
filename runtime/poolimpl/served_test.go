package poolimpl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs"
	"github.com/poolgen/poolgen/tests/fatal"
)

// trims is the ladder of most pools.
var trims = []poolimpl.Rung{poolimpl.TrimRung{}, poolimpl.ErrorRung{}}

// slow is a timeline whose streams have passed all fences, and which takes a while to make one.
type slow struct{ clock }

func (c *slow) Record(s poolimpl.Stream) (poolimpl.Fence, error) {
	time.Sleep(time.Second)
	return c.clock.Record(s)
}

// A caller that needs blocks behind which another one has a fence made waits for the fence.
func TestRequestsWaitForAFence(t *testing.T) {
	defer func() { concurrency = "" }()
	for _, concurrency = range []string{"", "heap", "classes"} {
		for name, request := range map[string]func(*ford) error{
			"own":   func(f *ford) error { _, err := f.Engine.AllocOn(poolimpl.Stream{ID: 1}, 1, 2*pageSize, 1); return err },
			"other": func(f *ford) error { _, err := f.Engine.AllocOn(poolimpl.Stream{ID: 2}, 1, 2*pageSize, 1); return err },
			"none":  func(f *ford) error { _, err := f.Engine.Alloc(1, 2*pageSize, 1); return err },
			"limit": func(f *ford) error { return f.SetLimit(pageSize) },
		} {
			synctest.Test(t, func(t *testing.T) {
				f := newFord(t, 4, func(c *poolimpl.Config) { c.Ladder = trims })
				line := new(slow)
				line.passed = 1 << 62
				f.timeline = line
				f.freeOn(f.mustOn(1, 3*pageSize), 1)
				go f.Poll()
				synctest.Wait() // it makes a fence behind the free
				if err := request(f); err != nil {
					t.Errorf("%q, %s: %s", concurrency, name, poolrt.Explain(err))
				}
				time.Sleep(time.Minute) // until Poll has ended
			})
		}
	}
}

// during is a core that does something in a call of Flush, as another goroutine may at that time.
type during struct {
	heap.Core
	calls, at int
	do        func()
}

func (c *during) Flush() bool {
	if c.calls++; c.calls == c.at {
		c.do()
	}
	return c.Core.Flush()
}

// A pool whose budget gets room while a request fails serves the request, whenever that is.
func TestRoomThatComesMeanwhile(t *testing.T) {
	for at := 1; ; at++ {
		all := poolimpl.NewBudget("Both", 4*pageSize)
		change := func(c *poolimpl.Config) { c.Budget, c.Trim, c.Ladder = all, &poolimpl.TrimPolicy{}, trims[at%2:] }
		other, p := newPaged(t, 8, change), newPaged(t, 8, change)
		b := other.must(3 * pageSize)
		core := &during{at: at, do: func() { other.free(b) }}
		p.core = core
		if _, err := p.ready().Alloc(1, 2*pageSize, 1); core.calls < at {
			return
		} else if err != nil {
			t.Errorf("freed in call %d of Flush: %s", at, poolrt.Explain(err))
		}
	}
}

// A request ends although a pool gives memory again and again, and takes it back: with its context, or after some times.
func TestRequestsEndDespiteAHook(t *testing.T) {
	all := poolimpl.NewBudget("Both", 4*pageSize)
	change := func(c *poolimpl.Config) {
		c.Budget, c.Trim, c.Ladder, c.Reclaim = all, &poolimpl.TrimPolicy{}, trims, poolimpl.ReclaimTrim|poolimpl.ReclaimHook
	}
	cache, p := newPaged(t, 8, change), newPaged(t, 8, change)
	held := cache.must(4 * pageSize)
	calls := 0
	defer cache.ready().OnReclaim(func(int64) { // it drops its entry, and loads another one
		calls++
		cache.free(held)
		held = cache.must(4 * pageSize)
	})()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ready().AllocContext(ctx, 1, 2*pageSize); err == nil || calls > 3 {
		t.Errorf("%v, with %d calls of the hook after the context has ended", err, calls)
	}
	if _, err := p.ready().Alloc(1, 2*pageSize, 1); err == nil || calls > 1000 {
		t.Errorf("%v, with %d calls of the hook", err, calls)
	}
}

// No request is refused that a free range has room for, though classes cache blocks, and keep large chunks for large requests.
func TestWhatFitsIsServed(t *testing.T) {
	defer func() { concurrency = "" }()
	concurrency = "classes" // behind the shards
	const mib = 1 << 20
	params := &classes.Params{Params: heap.Params{Granule: 256, MinSplit: 256, Counters: true}, PerBin: 1 << 62, Bytes: 1 << 62}
	for n := uint64(4096); n <= 8*mib; n += n / 4 &^ 255 {
		params.Bins = append(params.Bins, n)
	}
	for seed := range uint64(60) {
		core, of := poolimpl.Core(new(classes.Core)), any(params)
		switch seed % 3 {
		case 1:
			core, of = new(shardedAlone), &shards.Params{Behind: params}
		case 2:
			core, of = new(sharded), &slabs.Params{Shards: shards.Params{Behind: params}, Bins: []uint64{512, 1 << 10, 2 << 10}, LeastBlocks: 8}
		}
		var p poolimpl.Engine
		p.Init(&poolimpl.Config{
			Name: fmt.Sprint("test.Fits", seed), Allocator: "host", Source: new(places), Core: of, Locked: true, ChunkSize: mib, Granularity: 512, Alignment: 256,
			Limit: 48 * mib, Oversize: true, Spacing: 1, Ladder: trims[seed/3%2:],
		}, core)
		r := rand.New(rand.NewPCG(seed, 5))
		var live []piece
		for step := range 2000 {
			if k := len(live); k > 0 && r.IntN(100) > 55-10*(step/400%2) {
				i := r.IntN(k)
				slot, v := core.Free(live[i].addr, live[i].bytes)
				fatal.If(t, p.FreeSlow(slot, v, live[i].addr, live[i].bytes))
				live[i] = live[k-1]
				live = live[:k-1]
				continue
			}
			bytes := uint64(4096) << r.IntN(12)
			bytes -= r.Uint64N(bytes / 2)
			if b, err := p.Alloc(1, bytes, 1); err == nil {
				live = append(live, piece{b.Addr, bytes})
			} else if uint64(p.Stats().LargestFree) >= bytes {
				t.Fatalf("seed %d, step %d: %s", seed, step, poolrt.Explain(err))
			}
		}
	}
}
