package poolimpl_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// clock is a timeline on which each fence is a moment, and streams have passed all fences up to one.
type clock struct {
	now, passed poolimpl.Fence
	waits       int
}

func (c *clock) Record(poolimpl.Stream) (poolimpl.Fence, error) {
	c.now++
	return c.now, nil
}
func (c *clock) Done(f poolimpl.Fence) (bool, error) { return f <= c.passed, nil }
func (c *clock) Wait(poolimpl.Stream, poolimpl.Fence) error {
	c.waits++
	return nil
}
func (c *clock) Sync(f poolimpl.Fence) error {
	c.passed = max(c.passed, f)
	return nil
}
func (c *clock) Release(poolimpl.Fence) error { return nil }

// ford is a pool of pages whose pages move.
type ford struct {
	*paged
	clock
}

func newFord(t *testing.T, pages int64, change func(*poolimpl.Config)) *ford {
	f := &ford{paged: newPaged(t, pages, func(c *poolimpl.Config) {
		c.AcrossStreams = poolimpl.AcrossGrowth
		c.Ladder = []poolimpl.Rung{poolimpl.PollRung{}, poolimpl.ErrorRung{}}
		if change != nil {
			change(c)
		}
	})}
	f.timeline = &f.clock
	return f
}

func (f *ford) allocOn(id, bytes uint64) (piece, error) {
	defer poolimpl.CheckInvariants(f.t, &f.Engine)
	b, err := f.ready().AllocOn(poolimpl.Stream{ID: id}, 1, bytes, 1)
	return piece{b.Addr, bytes}, err
}

func (f *ford) mustOn(id, bytes uint64) piece {
	f.t.Helper()
	b, err := f.allocOn(id, bytes)
	fatal.If(f.t, err)
	f.lies(b)
	return b
}

func (f *ford) freeOn(b piece, id uint64) {
	f.t.Helper()
	defer poolimpl.CheckInvariants(f.t, &f.Engine)
	s, due := poolimpl.Stream{ID: id}, false
	if concurrency != "" {
		f.freeSharedOn(b, s)
		return
	}
	f.Lock()
	v := f.core.Defer(b.addr, b.bytes)
	if v == poolimpl.Freed {
		due = f.Engine.Defer(s, b.addr, b.bytes)
	}
	f.Unlock()
	if v != poolimpl.Freed || due {
		if err := f.FreeOnSlow(s, v, b.addr, b.bytes); err != nil {
			f.t.Error(err)
		}
	}
}

// freeSharedOn is freeOn as the shell of a sharded pool has it.
func (f *ford) freeSharedOn(b piece, s poolimpl.Stream) {
	q := f.LockQueue(s.ID)
	if q == nil {
		if err := f.FreeOnNew(s, b.addr, b.bytes); err != nil {
			f.t.Error(err)
		}
		return
	}
	size, v, due := b.bytes, poolimpl.Freed, false
	if r, rounds := f.core.(poolimpl.RoundingCore); rounds {
		size, v = r.DeferRounded(b.addr, b.bytes)
	} else {
		v = f.core.Defer(b.addr, b.bytes)
	}
	if v == poolimpl.Freed && !q.Push(b.addr, size) {
		due = q.PushSlow(b.addr, size)
	}
	q.Unlock()
	if v != poolimpl.Freed || due || f.HasWaiters() {
		if err := f.FreeOnSlow(s, v, b.addr, b.bytes); err != nil {
			f.t.Error(err)
		}
	}
}

// pages counts the mapped pages.
func (f *ford) pages() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mapped)
}

// everySecond has a stream allocate pages and free every second one. It returns the others.
func (f *ford) everySecond(pages int, id uint64) (left []piece) {
	var all []piece
	for range pages {
		all = append(all, f.mustOn(id, pageSize))
	}
	for i, b := range all {
		if i%2 == 0 {
			f.freeOn(b, id)
		} else {
			left = append(left, b)
		}
	}
	return left
}

// A block of several pages gets those that another stream has not passed, and its stream waits once. Nothing comes where they were until then.
func TestPagesInFlightMove(t *testing.T) {
	f := newFord(t, 100, nil)
	left := f.everySecond(8, 1)
	b := f.mustOn(2, 4*pageSize)
	if s := f.Stats(); s.Reserved != 8*pageSize || f.waits != 1 || len(f.mapped) != 12 {
		t.Errorf("%+v, %d waits, %d pages mapped", s, f.waits, len(f.mapped))
	}
	if _, err := f.alloc(4 * pageSize); err != nil || f.Stats().Reserved != 12*pageSize {
		t.Errorf("without a stream: %v, %+v", err, f.Stats())
	}
	f.passed = f.now
	f.Poll()
	f.free(b)
	for _, b := range left {
		f.free(b)
	}
	if _, err := f.Trim(0); err != nil {
		t.Error(err)
	}
	f.holds(4)
}

// A failure leaves the pages where they were, whether their stream passes them meanwhile or not.
func TestPagesInFlightStay(t *testing.T) {
	for _, pass := range []bool{false, true} {
		f := newFord(t, 100, nil)
		left := f.everySecond(8, 1)
		f.onMove = func() error {
			if f.onMove = nil; pass {
				f.passed = f.now
				f.Poll()
			}
			return errors.New("no")
		}
		f.freeOn(f.mustOn(2, 4*pageSize), 2)
		if s := f.Stats(); s.Reserved > 12*pageSize || len(f.mapped) != int(s.Reserved/pageSize) {
			t.Errorf("%+v, %d pages mapped", s, len(f.mapped))
		}
		for _, b := range left {
			f.free(b)
		}
		f.end()
	}
}

// robbed is a core of which callers without the lock have taken a page when it is about to go, once.
type robbed struct {
	heap.Core
	once sync.Once
}

func (c *robbed) Vacate(parts []poolimpl.Extent) []poolimpl.Extent {
	c.once.Do(func() { parts = parts[1:] })
	return c.Core.Vacate(parts)
}

// Where others take some of the pages that were to move, more of them move.
func TestPagesMoveAgain(t *testing.T) {
	f := newFord(t, 8, func(c *poolimpl.Config) { c.AcrossStreams = poolimpl.AcrossLimit })
	f.core = new(robbed)
	left := f.everySecond(8, 1)
	for _, b := range append(left, f.mustOn(2, 2*pageSize)) {
		f.free(b)
	}
	f.passed = f.now
	f.Poll()
	if _, err := f.Trim(0); err != nil {
		t.Error(err)
	}
	f.holds(0)
}

// Where no addresses are left in a row, others come for pages that can move.
func TestPagesInFlightMoveToOtherAddresses(t *testing.T) {
	f := newFord(t, 16, func(c *poolimpl.Config) { c.AcrossStreams = poolimpl.AcrossLimit })
	f.first = 16
	left := f.everySecond(16, 1)
	b := f.mustOn(2, 8*pageSize)
	if s := f.Stats(); s.Reserved != 16*pageSize || f.waits != 1 || len(f.ranges) < 2 {
		t.Errorf("%+v, %d waits, ranges %v", s, f.waits, f.ranges)
	}
	for _, b := range append(left, b) {
		f.free(b)
	}
	f.end()
}

// While pages move, a caller that needs memory waits until they have.
func TestOthersWaitForPagesThatMove(t *testing.T) {
	f := newFord(t, 100, nil)
	left := f.everySecond(8, 1)
	other := make(chan piece)
	f.onMove = func() error {
		f.onMove = nil
		go func() {
			b, err := f.alloc(3 * pageSize)
			if err != nil {
				t.Error(err)
			}
			other <- b
		}()
		for !f.HasWaiters() && f.pages() == 8 {
			runtime.Gosched()
		}
		return nil
	}
	b := f.mustOn(2, 4*pageSize)
	for _, b := range append(left, b, <-other) {
		f.lies(b)
		f.free(b)
	}
	f.end()
}

// After a panic of its source while pages move, a pool can be used and closed.
func TestPagesMoveAndPanic(t *testing.T) {
	f := newFord(t, 100, nil)
	left := f.everySecond(8, 1)
	f.onMove = func() error { panic("move") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = f.allocOn(2, 4*pageSize)
	}()
	f.onMove = nil
	b := f.mustOn(2, 4*pageSize)
	if s := f.Stats(); s.Reserved != 8*pageSize {
		t.Errorf("%+v", s)
	}
	for _, b := range append(left, b) {
		f.free(b)
	}
	f.end()
}

// At random, streams allocate, free and pass what they freed; blocks lie where memory is, and no more pages are taken than the pool says.
func TestPagesMoveAtRandom(t *testing.T) {
	for seed := range large.Or(uint64(60), 18) {
		r := rand.New(rand.NewPCG(seed, 11))
		trim := []*poolimpl.TrimPolicy{nil, {Keep: 2 * pageSize}, {Growth: true}}[seed%3]
		across := []poolimpl.AcrossStreams{poolimpl.AcrossLimit, poolimpl.AcrossPeak, poolimpl.AcrossGrowth}[seed/3%3]
		f := newFord(t, 16, func(c *poolimpl.Config) { c.Trim, c.AcrossStreams = trim, across })
		f.first = int64(16 + r.IntN(30))
		f.ready()
		sometimes := func() error {
			if r.IntN(8) == 0 {
				return errors.New("no")
			}
			return nil
		}
		f.onMove = sometimes
		var held []piece
		for range 400 {
			switch k := r.IntN(20); {
			case k < 9:
				if b, err := f.allocOn(1+r.Uint64N(3), 1+r.Uint64N(5*pageSize)); err == nil {
					f.lies(b)
					held = append(held, b)
				}
			case k < 10:
				if b, err := f.alloc(1 + r.Uint64N(3*pageSize)); err == nil {
					f.lies(b)
					held = append(held, b)
				}
			case k < 18 && len(held) > 0:
				at := r.IntN(len(held))
				f.lies(held[at])
				f.freeOn(held[at], 1+r.Uint64N(3))
				held[at] = held[len(held)-1]
				held = held[:len(held)-1]
			case k == 18:
				f.passed += poolimpl.Fence(r.Uint64N(uint64(f.now-f.passed) + 1))
				f.Poll()
			default:
				if _, err := f.Trim(r.Int64N(6 * pageSize)); err != nil {
					t.Error(err)
				}
			}
			if n := len(f.mapped) - len(f.extra); f.Stats().Reserved != int64(n)*pageSize {
				t.Fatalf("seed %d: %d pages, %+v", seed, n, f.Stats())
			}
		}
		for _, b := range held {
			f.free(b)
		}
		f.end()
	}
}
