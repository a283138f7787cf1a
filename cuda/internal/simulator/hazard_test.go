package simulator

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

const unit = 64

// use fills a block on a stream.
func (p *lists) use(own *list, at, bytes uint64) { p.set(abi.Ptr(at), 1, bytes, own.stream) }

// A bug of RMM (rapidsai/rmm#2489): B's list is merged into A's, after A waits for B's event; A's event is not recorded again; C
// takes a block out of A's list and waits for A's old event only.
func TestStaleEventAfterMerge(t *testing.T) {
	for _, stale := range []bool{true, false} {
		r := newRig(t, Config{Hazards: true})
		p := newLists(r, 6*unit, 3)
		p.stale = stale
		a, b, c := p.free[0], p.free[1], p.free[2]
		x, _ := p.alloc(a, unit)
		y, _ := p.alloc(b, 2*unit)
		p.alloc(a, unit) // keeps the others apart
		z, _ := p.alloc(b, 2*unit)
		p.use(b, z, 2*unit)
		p.release(a, x, unit)
		p.release(b, y, 2*unit)
		p.release(b, z, 2*unit)
		if got, _ := p.alloc(a, 3*unit); got != x {
			t.Fatal("the lists were not merged")
		}
		got, ok := p.alloc(c, 2*unit)
		ok = ok && got == z
		found := r.Hazards()
		if !ok || stale != (len(found) > 0) {
			t.Fatalf("stale %v: %d hazards: %v", stale, len(found), found)
		}
		if stale && !strings.Contains(found[0].String(), "is missing") {
			t.Errorf("report: %s", found[0])
		}
	}
}

// churn runs a random program over a pool: blocks of 1 to 4 units are taken, filled and freed on four streams.
func churn(p *lists, random *rand.Rand, steps int) {
	type live struct {
		own       *list
		at, bytes uint64
	}
	var blocks []live
	for range steps {
		if own := p.free[random.IntN(len(p.free))]; random.IntN(2) == 0 {
			bytes := uint64(1+random.IntN(4)) * unit
			if at, ok := p.alloc(own, bytes); ok {
				if random.IntN(3) > 0 {
					p.use(own, at, bytes)
				}
				blocks = append(blocks, live{own, at, bytes})
			}
			continue
		}
		if len(blocks) > 0 {
			i := random.IntN(len(blocks))
			b := blocks[i]
			p.release(b.own, b.at, b.bytes)
			blocks = append(blocks[:i], blocks[i+1:]...)
		}
		if random.IntN(50) == 0 {
			p.ok(p.StreamSynchronize(p.ctx, p.free[random.IntN(len(p.free))].stream))
		}
	}
}

func TestPlantedFaultsAreFoundAndNothingElse(t *testing.T) {
	const seeds = 60
	for name, plant := range map[string]func(*lists){
		"right":        func(*lists) {},
		"stale event":  func(p *lists) { p.stale = true },
		"missing wait": func(p *lists) { p.blind = true },
	} {
		found := 0
		for seed := range uint64(seeds) {
			r := newRig(t, Config{Hazards: true, Schedule: seed + 1})
			p := newLists(r, 10*unit, 4)
			plant(p)
			churn(p, rand.New(rand.NewPCG(seed, 1)), 150)
			if hazards := r.Hazards(); len(hazards) > 0 {
				found++
				if name == "right" {
					t.Fatalf("seed %d: %s", seed, hazards[0])
				}
			}
		}
		t.Logf("%s: found under %d of %d seeds", name, found, seeds)
		if name != "right" && found == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestUnorderedUses(t *testing.T) {
	for name, test := range map[string]struct {
		between func(r *rig, e abi.Event, a, b abi.Stream)
		hazard  bool
	}{
		"nothing":    {func(*rig, abi.Event, abi.Stream, abi.Stream) {}, true},
		"wait":       {func(r *rig, e abi.Event, _, b abi.Stream) { r.ok(r.StreamWaitEvent(r.ctx, b, e)) }, false},
		"sync":       {func(r *rig, _ abi.Event, a, _ abi.Stream) { r.ok(r.StreamSynchronize(r.ctx, a)) }, false},
		"event sync": {func(r *rig, e abi.Event, _, _ abi.Stream) { r.ok(r.EventSynchronize(r.ctx, e)) }, false},
		"other sync": {func(r *rig, _ abi.Event, _, b abi.Stream) { r.ok(r.StreamSynchronize(r.ctx, b)) }, true},
		"query":      {func(r *rig, e abi.Event, _, _ abi.Stream) { r.RunAll(); r.ok(r.EventQuery(r.ctx, e)) }, false},
		"luck":       {func(r *rig, _ abi.Event, _, _ abi.Stream) { r.RunAll() }, true},
	} {
		r := newRig(t, Config{Hazards: true})
		a, b, e, p := r.stream(), r.stream(), r.event(), r.alloc(100)
		r.set(p, 1, 50, a)
		r.ok(r.EventRecord(r.ctx, e, a))
		test.between(r, e, a, b)
		r.set(p+50, 2, 50, b)
		if n := len(r.Hazards()); n != 0 {
			t.Errorf("%s: %d hazards of other bytes", name, n)
		}
		r.set(p+49, 2, 1, b)
		if n := len(r.Hazards()); (n > 0) != test.hazard {
			t.Errorf("%s: %d hazards", name, n)
		}
	}
}

func TestReadsDoNotConflict(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	a, b, p, q := r.stream(), r.stream(), r.alloc(8), r.alloc(16)
	r.ok(r.MemcpyDtoDAsync(r.ctx, q, p, 8, a))
	r.ok(r.MemcpyDtoDAsync(r.ctx, q+8, p, 8, b))
	if found := r.Hazards(); len(found) != 0 {
		t.Errorf("%v", found)
	}
	r.set(p, 1, 8, b)
	if found := r.Hazards(); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestDriverPoolsAreOrdered(t *testing.T) {
	for seed := range uint64(40) {
		r := newRig(t, Config{Hazards: true, Schedule: seed + 1})
		random := rand.New(rand.NewPCG(seed, 2))
		streams := []abi.Stream{r.stream(), r.stream(), r.stream(), 0}
		type live struct {
			p abi.Ptr
			s abi.Stream
		}
		var blocks []live
		for range 200 {
			s := streams[random.IntN(len(streams))]
			if random.IntN(2) == 0 {
				p, result := r.MemAllocAsync(r.ctx, 1000, s)
				r.ok(result)
				r.set(p, 1, 1000, s)
				blocks = append(blocks, live{p, s})
			} else if n := len(blocks); n > 0 {
				r.ok(r.MemFreeAsync(r.ctx, blocks[n-1].p, blocks[n-1].s))
				blocks = blocks[:n-1]
			}
		}
		if found := r.Hazards(); len(found) > 0 {
			t.Fatalf("seed %d: %s", seed, found[0])
		}
	}
}

func TestFreeOnAnotherStreamWithoutWait(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	a, b := r.stream(), r.stream()
	p, result := r.MemAllocAsync(r.ctx, 8, a)
	r.ok(result)
	r.ok(r.MemFreeAsync(r.ctx, p, b))
	if found := r.Hazards(); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestBlocks(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	p, s := r.alloc(100), r.stream()
	count := func(want int, kind string) {
		t.Helper()
		found := r.Hazards()
		if len(found) != want || want > 0 && !strings.Contains(string(found[want-1].Kind), kind) {
			t.Fatalf("%d hazards, want %d: %v", len(found), want, found)
		}
	}
	r.ok(r.HandOut(p, 100, 0, 0))
	r.set(p, 1, 100, s)
	r.ok(r.TakeBack(p, 100, r.ctx, s))
	r.ok(r.HandOut(p, 50, r.ctx, s))
	count(0, "")
	r.ok(r.HandOut(p+40, 10, r.ctx, s))
	count(1, "while it is in use")
	r.ok(r.TakeBack(p+60, 10, r.ctx, s))
	count(2, "not handed out")
	r.set(p+90, 1, 10, s)
	count(3, "after it was taken back")
	r.ok(r.HandOut(p+90, 10, 0, 0))
	count(6, "before it is free") // taken back on s, and used there twice
	r.want(r.Use(1, 1, 0, 0, true), abi.InvalidValue)
	r.want(r.Use(p, 1, r.ctx, 1<<30, true), abi.InvalidHandle)
}

func TestGraphsKeepTheOrderOfCapture(t *testing.T) {
	for _, joined := range []bool{true, false} {
		r := newRig(t, Config{Hazards: true})
		a, b, fork, join, p := r.stream(), r.stream(), r.event(), r.event(), r.alloc(8)
		r.ok(r.StreamBeginCapture(r.ctx, a))
		r.set(p, 1, 8, a)
		r.ok(r.EventRecord(r.ctx, fork, a))
		r.ok(r.StreamWaitEvent(r.ctx, b, fork))
		r.set(p, 2, 8, b)
		r.ok(r.EventRecord(r.ctx, join, b))
		if joined {
			r.ok(r.StreamWaitEvent(r.ctx, a, join))
		}
		r.set(p, 3, 8, a)
		r.ok(r.StreamWaitEvent(r.ctx, a, join))
		g, result := r.StreamEndCapture(r.ctx, a)
		r.ok(result)
		r.launchGraph(g, a)
		r.launchGraph(g, a)
		if found := r.Hazards(); (len(found) > 0) == joined {
			t.Errorf("joined %v: %v", joined, found)
		}
	}
}
