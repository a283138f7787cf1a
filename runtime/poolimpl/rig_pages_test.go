package poolimpl_test

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Pools of pages, divided by a heap. A page is large enough for slabs.
const (
	pageSize = 256 << 10
	pageBase = 1 << 20
)

// concurrency is that of the pools: mutex, or sharded with the suballocator that has the name.
var concurrency string

// behind are the suballocators of sharded pools.
var behind = map[string]func() shards.Behind{
	"heap":    func() shards.Behind { return new(heap.Core) },
	"classes": func() shards.Behind { return new(classes.Core) },
}

// sharded is the core of such a pool, and shardedAlone of one that trims at frees, so that it has no slabs.
type (
	sharded      struct{ slabs.Core }
	shardedAlone struct{ shards.Core }
)

func (c *sharded) Set(params any) { c.SetSlabs(params.(*slabs.Params), behind[concurrency]) }

func (c *shardedAlone) Set(params any) { c.SetShards(params.(*shards.Params), behind[concurrency]) }

// pagedCore is what tests call of a core.
type pagedCore interface {
	poolimpl.StreamCore
	AllocFast(bytes uint64) (slot uint32, off uint64, ok bool)
	Reset()
}

// coreOf returns the core of a pool, and sets its parameters.
func coreOf(c *poolimpl.Config) pagedCore {
	trims := c.Trim != nil && !c.Trim.Growth
	params := heap.Params{Granule: 1 << 10, MinSplit: 1 << 10, Counters: true, Trims: concurrency == "" || trims, Streams: true, Pages: true}
	of := shards.Params{Behind: &params, Streams: true}
	switch concurrency {
	case "":
		c.Core = &params
		return new(heap.Core)
	case "classes":
		of.Behind = &classes.Params{Params: params, Bins: []uint64{1 << 10, 4 << 10, pageSize / 2, pageSize, 2 * pageSize}, PerBin: 1 << 62, Bytes: 1 << 62}
	}
	if trims {
		c.Core = &of
		return new(shardedAlone)
	}
	c.Core = &slabs.Params{Shards: of, Bins: []uint64{1 << 10, 2 << 10, 4 << 10}, LeastBlocks: 8, Crowds: concurrency == "heap", Counters: true, AllocsOn: true}
	return new(sharded)
}

// land is the source of such a pool. It records the mapped pages. Its ranges of addresses touch each other.
type land struct {
	t      testing.TB
	mu     sync.Mutex
	mapped map[uint64]bool
	ranges []poolimpl.Extent
	first  int64        // size of the first range in pages; 0: twice the limit
	most   int64        // pages of addresses in all; 0: 32 times the limit
	calls  int          // of the source: one for each page that it maps or unmaps, and each range
	asked  int          // pages of the last call of Map
	onMap  func() error // both called with the pool's lock released
	onFree func(poolimpl.Chunk) error
	onZero func() error
	stays  bool

	timeline poolimpl.Timeline // nil: no streams
	onMove   func() error
	extra    map[uint64]uint64 // where the memory of a page was before it moved: the place that it moved to
}

// paged is a pool as a generated shell makes it.
type paged struct {
	poolimpl.Engine
	core   pagedCore
	config poolimpl.Config
	land
}

func newPaged(t testing.TB, pages int64, change func(*poolimpl.Config)) *paged {
	p := &paged{land: land{t: t, mapped: map[uint64]bool{}, extra: map[uint64]uint64{}}}
	p.config = poolimpl.Config{
		Name: "test.Paged", Allocator: "device_virtual", Locked: true, ChunkSize: pageSize, Granularity: 1, Alignment: 1, Oversize: true,
		Limit: pages * pageSize, WaitTimeout: 1e9, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}}, Order: poolimpl.OnStreams{},
	}
	p.config.Binder = &p.land
	if change != nil {
		change(&p.config)
	}
	p.core = coreOf(&p.config)
	return p
}

func (l *land) Bind(ask poolimpl.Binding) (poolimpl.Bound, error) {
	if !ask.Paged {
		l.t.Error("the heap does not support pages")
	}
	zero := func(poolimpl.Chunk) error {
		if l.onZero != nil {
			return l.onZero()
		}
		return nil
	}
	if l.most == 0 {
		l.most = 32 * max(ask.Limit, ask.Most) / pageSize
	}
	l.ranges = nil
	first, _ := l.more(cmp.Or(l.first*pageSize, 2*max(ask.Limit, ask.Most)))
	pages := poolimpl.Pages{First: first, Page: pageSize, Map: l.add, Move: l.move, More: l.more, Less: l.less, Stays: l.stays}
	return poolimpl.Bound{Source: l, Zero: zero, Zeroed: func() error { return nil }, Pages: pages, Timeline: l.timeline}, nil
}

// more makes a range behind the others.
func (l *land) more(bytes int64) (poolimpl.Extent, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, size := uint64(pageBase), bytes
	for _, x := range l.ranges {
		at, size = max(at, x.Addr+x.Size), size+int64(x.Size)
	}
	l.calls++
	if size > l.most*pageSize {
		return poolimpl.Extent{}, errNoMore
	}
	l.ranges = append(l.ranges, poolimpl.Extent{Addr: at, Size: uint64(bytes)})
	return l.ranges[len(l.ranges)-1], nil
}

// less removes a range without memory.
func (l *land) less(x poolimpl.Extent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	k := slices.Index(l.ranges, x)
	if k <= 0 {
		l.t.Errorf("no range %v, or the first, goes", x)
		return nil
	}
	for at := x.Addr; at < x.Addr+x.Size; at += pageSize {
		if l.forget(at); l.mapped[at] {
			l.t.Errorf("range %v goes with page %#x", x, at)
		}
	}
	l.ranges = slices.Delete(l.ranges, k, k+1)
	return nil
}

var errNoMore = errors.New("there are no more addresses")

func (l *land) Alloc(int64, int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{}, poolrt.ErrUnsupported
}

func (l *land) add(rows []poolimpl.Extent) error {
	l.asked = 0
	for _, x := range rows {
		l.asked += int(x.Size / pageSize)
	}
	if l.onMap != nil {
		if err := l.onMap(); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range rows {
		for at := x.Addr; at < x.Addr+x.Size; at += pageSize {
			l.forget(at)
			if l.mapped[at] || x.Size == 0 || (at-pageBase)%pageSize != 0 {
				l.t.Errorf("page %#x is mapped twice, or in parts", at)
			}
			l.mapped[at] = true
			l.calls++
		}
	}
	return nil
}

func (l *land) Free(c poolimpl.Chunk) error {
	if l.onFree != nil {
		if err := l.onFree(c); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := c.Addr; at < c.Addr+uint64(c.Size); at += pageSize {
		if !l.mapped[at] && l.onZero == nil {
			l.t.Errorf("page %#x is unmapped, but was not mapped", at)
		}
		for old, now := range l.extra {
			if now == at {
				l.forget(old)
			}
		}
		delete(l.mapped, at)
		l.calls++
	}
	return nil
}

// move maps the memory of pages a second time.
func (l *land) move(moves []poolimpl.PageMove) error {
	if l.onMove != nil {
		if err := l.onMove(); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range moves {
		l.forget(m.To)
		_, gone := l.extra[m.From]
		if l.mapped[m.To] || !l.mapped[m.From] || gone {
			l.t.Errorf("page %#x moves to %#x: from memory %t, which has moved %t, to memory %t", m.From, m.To, l.mapped[m.From], gone, l.mapped[m.To])
		}
		for old, now := range l.extra {
			if now == m.From {
				l.extra[old] = m.To
			}
		}
		l.extra[m.From], l.mapped[m.To] = m.To, true
		l.calls++
	}
	return nil
}

// forget ends the mapping of a page that has moved, where it was.
func (l *land) forget(at uint64) {
	if _, moved := l.extra[at]; moved {
		delete(l.extra, at)
		delete(l.mapped, at)
	}
}

// piece is a live block.
type piece struct{ addr, bytes uint64 }

func (p *paged) ready() *poolimpl.Engine { return p.Init(&p.config, p.core) }

func (p *paged) alloc(bytes uint64) (piece, error) {
	defer poolimpl.CheckInvariants(p.t, &p.Engine)
	if concurrency != "" {
		p.ready()
		if slot, off, ok := p.core.AllocFast(bytes); ok {
			addr := p.Addr(slot) + off
			if !p.SharedInFlightAt(addr, bytes) {
				return piece{addr, bytes}, nil
			}
			p.Undo(addr, bytes)
		}
	}
	b, err := p.ready().Alloc(1, bytes, 1)
	return piece{b.Addr, bytes}, err
}

func (p *paged) must(bytes uint64) piece {
	p.t.Helper()
	b, err := p.alloc(bytes)
	fatal.If(p.t, err)
	return b
}

func (p *paged) free(b piece) {
	p.t.Helper()
	defer poolimpl.CheckInvariants(p.t, &p.Engine)
	if concurrency != "" {
		slot, v := p.core.Free(b.addr, b.bytes)
		if v != poolimpl.Freed || p.HasWaiters() {
			if err := p.FreeSlow(slot, v, b.addr, b.bytes); err != nil {
				p.t.Error(err)
			}
		}
		return
	}
	p.Lock()
	slot, v := p.core.Free(b.addr, b.bytes)
	if p.HasWaiters() {
		p.ServeWaiters()
	}
	p.Unlock()
	if v != poolimpl.Freed {
		if err := p.FreeSlow(slot, v, b.addr, b.bytes); err != nil {
			p.t.Error(err)
		}
	}
}

// lies checks that the pages of a block are mapped.
func (p *paged) lies(b piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := b.addr &^ (pageSize - 1); at < b.addr+b.bytes; at += pageSize {
		if _, moved := p.extra[at]; !p.mapped[at] || moved {
			p.t.Errorf("no page at %#x, under %+v", at, b)
		}
	}
}

// holds checks that this many pages are mapped and counted.
func (p *paged) holds(pages int) {
	p.t.Helper()
	s := p.Stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.mapped) != pages || s.Reserved != int64(pages)*pageSize || s.Chunks != int64(pages) {
		p.t.Errorf("%d pages mapped, want %d; %+v", len(p.mapped), pages, s)
	}
}

func (p *paged) close() error { return p.ready().Close(func() { *p.core.(*heap.Core) = heap.Core{} }) }

// end closes the pool, and checks that no memory is left.
func (p *paged) end() {
	p.t.Helper()
	if err := p.close(); err != nil {
		p.t.Error(err)
	}
	p.holds(0)
	if n := p.config.Budget.Reserved(); n != 0 {
		p.t.Errorf("%d bytes of the budget are left over", n)
	}
}
