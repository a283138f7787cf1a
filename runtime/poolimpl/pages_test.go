package poolimpl_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Sharded pools have pages as those with a lock do. Classes keep blocks, so not all figures are the same.
func TestPagesOfShardedPools(t *testing.T) {
	defer func() { concurrency = "" }()
	type of struct {
		name string
		test func(*testing.T)
	}
	any := []of{{"PagesOfMany", TestPagesOfMany}, {"PagesMoveAtRandom", TestPagesMoveAtRandom}, {"PagesAreBoundAnew", TestPagesAreBoundAnew}, {"PagesGoWhenTheSourceIsFull", TestPagesGoWhenTheSourceIsFull},
		{"PagesAfterReset", TestPagesAfterReset}}
	exact := []of{
		{"PrimeMovesNoPages", TestPrimeMovesNoPages}, {"PagesOfPanickingSources", TestPagesOfPanickingSources}, {"PagesThatStay", TestPagesThatStay},
		{"IdlePagesThatAreKept", TestIdlePagesThatAreKept}, {"PagesMakeWay", TestPagesMakeWay}, {"PagesMakeWayLooksAgain", TestPagesMakeWayLooksAgain},
		{"PagesInFlightMove", TestPagesInFlightMove}, {"PagesInFlightStay", TestPagesInFlightStay}, {"OthersWaitForPagesThatMove", TestOthersWaitForPagesThatMove},
		{"PagesInFlightMoveToOtherAddresses", TestPagesInFlightMoveToOtherAddresses}, {"PagesMoveAndPanic", TestPagesMoveAndPanic},
		{"MoreAddresses", TestMoreAddresses}, {"PrimeBeyondTheFirstRange", TestPrimeBeyondTheFirstRange}, {"NoMoreAddresses", TestNoMoreAddresses}, {"PagesMove", TestPagesMove},
	}
	for suballocator, tests := range map[string][]of{"heap": slices.Concat(any, exact), "classes": any} {
		concurrency = suballocator
		for _, x := range tests {
			t.Run(suballocator+"/"+x.name, x.test)
		}
	}
}

// After a reset, blocks lie on pages that have memory.
func TestPagesAfterReset(t *testing.T) {
	p := newPaged(t, 8, nil)
	if b, err := p.alloc(1000); err == nil {
		p.free(b)
	}
	if err := p.Reset(p.core.Reset); err != nil {
		t.Fatal(err)
	}
	b, err := p.alloc(4 * pageSize)
	if err != nil {
		t.Fatal(err)
	}
	p.lies(b)
	p.free(b)
}

// A pool does not unmap its own pages in order to reserve its initial memory.
func TestPrimeMovesNoPages(t *testing.T) {
	budget := poolimpl.NewBudget("Both", 5*pageSize)
	other := newPaged(t, 1, func(c *poolimpl.Config) { c.Budget = budget })
	page := other.must(pageSize)
	p := newPaged(t, 8, func(c *poolimpl.Config) { c.Prime, c.Budget = 5*pageSize, budget })
	var held []piece
	p.onMap = func() error { // a caller uses the pool meanwhile
		if len(p.mapped) == 3 && len(held) == 0 {
			held = append(held, p.must(pageSize), p.must(pageSize))
			p.free(held[0])
		}
		return nil
	}
	if err := p.ready().Open(); !errors.Is(err, poolrt.ErrLimit) {
		t.Error(err)
	}
	p.free(held[1])
	other.free(page)
	if err := other.close(); err != nil {
		t.Error(err)
	}
	p.end()
}

// Callers allocate, free, trim and lower the limit while the source maps and unmaps pages, and sometimes fails.
func TestPagesOfMany(t *testing.T) {
	for seed := range uint64(30) {
		budget := poolimpl.NewBudget("Both", 20*pageSize)
		trim := []*poolimpl.TrimPolicy{nil, {Keep: 2 * pageSize}, {Idle: time.Microsecond}, {Growth: true}}[seed%4]
		p := newPaged(t, 24, func(c *poolimpl.Config) { c.Budget, c.Trim, c.Double = budget, trim, seed%2 == 0 })
		p.ready()
		fails := rand.New(rand.NewPCG(seed, 1))
		sometimes := func() error {
			p.mu.Lock()
			defer p.mu.Unlock()
			if fails.IntN(8) == 0 {
				return errors.New("no")
			}
			return nil
		}
		p.onMap, p.onFree = sometimes, func(poolimpl.Chunk) error { return sometimes() }
		var all sync.WaitGroup
		for id := range uint64(4) {
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, 2+id))
				var held []piece
				for step := range 300 {
					switch k := r.IntN(20); {
					case k < 9:
						if b, err := p.alloc(1 + r.Uint64N(3*pageSize)); err == nil {
							held = append(held, b)
							p.lies(b)
						}
					case k < 18 && len(held) > 0:
						p.lies(held[0])
						p.free(held[0])
						held = held[1:]
					case k == 18:
						p.Poll()
					case step > 250 && id == 0:
						_ = p.SetLimit(int64(16+r.IntN(8)) * pageSize)
					default:
						_, _ = p.Trim(r.Int64N(6 * pageSize))
					}
				}
				for _, b := range held {
					p.free(b)
				}
			})
		}
		all.Wait()
		p.onMap, p.onFree = nil, nil
		p.holds(len(p.mapped))
		if s := p.Stats(); budget.Reserved() != s.Reserved || s.Live != 0 {
			t.Errorf("budget %d; %+v", budget.Reserved(), s)
		}
		p.end()
	}
}

// After a panic of its source, a pool can be used and closed.
func TestPagesOfPanickingSources(t *testing.T) {
	panicking := func(f func()) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		f()
	}
	budget := poolimpl.NewBudget("Both", 8*pageSize)
	p := newPaged(t, 8, func(c *poolimpl.Config) { c.Budget, c.ZeroChunks = budget, true })
	a, b := p.must(pageSize), p.must(pageSize)
	p.onMap = func() error { panic("map") }
	panicking(func() { p.must(1) })
	p.onMap, p.onZero = nil, func() error { return errors.New("not clear") }
	if _, err := p.alloc(1); !errors.Is(err, poolrt.ErrOutOfMemory) {
		t.Error(err)
	}
	p.onZero = nil
	p.holds(2)
	c := p.must(3 * pageSize)
	p.free(a)
	p.free(c)
	p.onFree = func(poolimpl.Chunk) error { panic("free") }
	panicking(func() { _, _ = p.Trim(0) })
	p.onFree = nil
	if s := p.Stats(); budget.Reserved() != s.Reserved {
		t.Errorf("budget %d; %+v", budget.Reserved(), s)
	}
	p.free(b)
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if s := p.Stats(); s.Reserved != 0 || budget.Reserved() != 0 {
		t.Errorf("budget %d; %+v", budget.Reserved(), s)
	}
}

// A pool that was bound before Open reserves addresses again for the options of Open, even after an Open that failed.
func TestPagesAreBoundAnew(t *testing.T) {
	p := newPaged(t, 8, func(c *poolimpl.Config) { c.Prime = 3 * pageSize })
	p.ready().Effective()
	if err := p.Open(poolrt.WithLimit(2 * pageSize)); !errors.Is(err, poolrt.ErrLimit) {
		t.Error(err)
	}
	p.holds(0)
	if err := p.Open(poolrt.WithLimit(4 * pageSize)); err != nil {
		t.Error(err)
	}
	p.holds(3)
	b := p.must(4 * pageSize)
	p.free(b)
	p.end()
	p.end()
}

// Pages that have to stay are neither released nor moved.
func TestPagesThatStay(t *testing.T) {
	p := newPaged(t, 4, func(c *poolimpl.Config) { c.Trim = &poolimpl.TrimPolicy{} })
	p.stays = true
	var held [4]piece
	for i := range held {
		held[i] = p.must(pageSize)
	}
	p.free(held[0])
	p.free(held[2])
	if n, err := p.Trim(0); n != 0 || err != nil {
		t.Errorf("%d bytes; %v", n, err)
	}
	if err := p.SetLimit(3 * pageSize); !errors.Is(err, poolrt.ErrLive) {
		t.Error(err)
	}
	if _, err := p.alloc(2 * pageSize); !errors.Is(err, poolrt.ErrLimit) {
		t.Error(err)
	}
	p.holds(4)
	p.free(held[1])
	p.free(held[3])
	p.end()
}

// The pages that the policy keeps stay, however long they are idle.
func TestIdlePagesThatAreKept(t *testing.T) {
	p := newPaged(t, 8, func(c *poolimpl.Config) { c.Trim = &poolimpl.TrimPolicy{Keep: 2 * pageSize, Idle: time.Millisecond} })
	p.free(p.must(5 * pageSize))
	for range 10 {
		time.Sleep(2 * time.Millisecond)
		p.Poll()
	}
	p.holds(2)
	p.end()
}

// The pool unmaps free pages before it would reserve more than ever before.
func TestPagesMakeWay(t *testing.T) {
	p := newPaged(t, 100, func(c *poolimpl.Config) { c.Trim = &poolimpl.TrimPolicy{Growth: true} })
	var held []piece
	for range 6 {
		held = append(held, p.must(pageSize))
	}
	for _, i := range []int{0, 2, 4} { // single pages, with others between them
		p.free(held[i])
	}
	if n := len(p.mapped); n != 6 {
		t.Errorf("a free released pages: %d are left", n)
	}
	large := p.must(3 * pageSize)
	if s := p.Stats(); s.Reserved != 6*pageSize || s.PeakReserved != 6*pageSize || len(p.mapped) != 6 {
		t.Errorf("%d bytes reserved, %d at most, %d pages", s.Reserved, s.PeakReserved, len(p.mapped))
	}
	p.free(large)
	for _, i := range []int{1, 3, 5} {
		p.free(held[i])
	}
	p.end()
}

// If others free blocks while the source fails to unmap pages, the pool searches again before it maps more.
func TestPagesMakeWayLooksAgain(t *testing.T) {
	p := newPaged(t, 100, func(c *poolimpl.Config) { c.Trim = &poolimpl.TrimPolicy{Growth: true} })
	first, second := p.must(pageSize), p.must(4*pageSize)
	p.free(first)
	p.onFree = func(poolimpl.Chunk) error {
		p.free(second)
		return errors.New("no")
	}
	third := p.must(3 * pageSize)
	p.onFree = nil
	p.holds(5)
	p.free(third)
	p.end()
}
