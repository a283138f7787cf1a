//go:build explored

package poolimpl

import (
	"context"
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// pool is a pool of a few blocks, as a generated shell makes it.
type pool struct {
	Engine
	table  DriverBlocks // of a pool with ordering driver
	blocks fewBlocks
	shared fewShared
	source arena
	line   fewWork
	config Config
	core   Core
	live   map[uint64]bool    // blocks that callers have
	freed  map[uint64]instant // when the others were freed
	bytes  map[uint64]int64   // of the blocks of a pool with ordering driver
	list   []uint64           // blocks that Setup has allocated
	ops    []poolOp
}

// kind is a kind of pool.
type kind int

const (
	lockedPool kind = iota
	sharedPool      // goroutines search it without the lock
	streamPool      // the same, ordered with streams
	driverPool      // ordering driver
)

// last is the pool of the schedule before: the list of pools must not grow.
var last *pool

// newPool opens a pool.
func newPool(k kind, limit int64, change func(*Config)) *pool {
	if last != nil {
		last.name.unregister(&last.Engine)
	}
	p := &pool{live: map[uint64]bool{}, freed: map[uint64]instant{}, bytes: map[uint64]int64{}}
	last = p
	p.source.most = limit
	p.config = Config{
		Name: "explored.Pool", Allocator: "host", Source: &p.source, Locked: true,
		ChunkSize: fewUnits, Granularity: 1, Alignment: 1,
		Limit: limit, MaxLimit: poolrt.NoLimit, Oversize: true, Ladder: []Rung{ErrorRung{}}, Order: OnStreams{},
	}
	p.shared = fewShared{&p.blocks}
	switch k {
	case lockedPool:
		p.core = &p.blocks
	case sharedPool:
		p.core = p.shared
	case streamPool:
		p.core = fewStreams{p.shared}
		p.config.Source, p.config.Binder = nil, p
	case driverPool:
		p.core = &p.table
		p.config.Source, p.config.Binder, p.config.Ordering = nil, p, orderingDriver
	}
	if change != nil {
		change(&p.config)
	}
	if err := p.ready().Open(); err != nil {
		explore.Failf("Open: %v", err)
	}
	return p
}

func (p *pool) ready() *Engine { return p.Init(&p.config, p.core) }

// Bind is that of a Binder.
func (p *pool) Bind(Binding) (Bound, error) {
	b := Bound{Source: &p.source, Allocator: "device", Timeline: &p.line}
	if p.core == Core(&p.table) {
		b.Streams = inOrder{&p.source}
	}
	return b, nil
}

// inOrder is arena as the source of a pool with ordering driver.
type inOrder struct{ *arena }

func (a inOrder) AllocOn(_ Stream, size, align int64) (Chunk, error) { return a.Alloc(size, align) }
func (a inOrder) FreeOn(_ Stream, c Chunk) error                     { return a.Free(c) }
func (a inOrder) FreeBehind(_ Stream, c Chunk) error                 { return a.Free(c) }
func (a inOrder) Observe(Stream)                                     {}
func (a inOrder) TrimUnused() error                                  { return nil }

// begun identifies the variables of a pool that Setup has made.
func (p *pool) begun() { explore.Identify(p) }

// got notes that a caller has a block, which is used on a stream.
func (p *pool) got(addr uint64, on *Stream) {
	if p.live[addr] {
		explore.Failf("the block at %#x has two owners", addr)
	}
	if at, ok := p.freed[addr]; ok && !p.line.ordered(at, on) {
		explore.Failf("the block at %#x may still be used on stream %d", addr, at.on)
	}
	p.live[addr] = true
}

// gives notes that a caller frees a block.
func (p *pool) gives(addr uint64) {
	if !p.live[addr] {
		explore.Failf("a block is freed that nobody has")
	}
	delete(p.live, addr)
	delete(p.freed, addr)
}

// alloc allocates one unit, as a generated pool does.
func (p *pool) alloc(ctx context.Context) (addr uint64, err error) {
	addr, err = p.allocUnit(ctx)
	if err == nil {
		p.got(addr, nil)
	}
	return addr, err
}

func (p *pool) allocUnit(ctx context.Context) (addr uint64, err error) {
	if p.core == Core(&p.table) {
		return p.allocDriver(ctx, Stream{ID: 1}, 1)
	} else if p.core != Core(&p.blocks) {
		if slot, off, ok := p.blocks.Alloc(1, 1); ok {
			return p.Addr(slot) + off, nil
		}
	} else {
		p.Lock()
		if slot, off, ok := p.blocks.Alloc(1, 1); ok {
			defer p.Unlock()
			return p.Addr(slot) + off, nil
		}
		p.Unlock()
	}
	if ctx != nil {
		b, err := p.ready().AllocContext(ctx, 1, 1)
		return b.Addr, err
	}
	b, err := p.ready().Alloc(1, 1, 1)
	return b.Addr, err
}

// free frees a block of one unit, as a generated pool does.
func (p *pool) free(addr uint64) {
	p.gives(addr)
	if err := p.freeUnit(addr); err != nil {
		explore.Failf("a free: %v", err)
	}
}

func (p *pool) freeUnit(addr uint64) error {
	if p.core == Core(&p.table) {
		return p.freeDriver(Stream{ID: 1}, addr, 1)
	} else if p.core != Core(&p.blocks) {
		slot, v := p.blocks.Free(addr, 1)
		if v == Freed && !p.HasWaiters() {
			return nil
		}
		return p.ready().FreeSlow(slot, v, addr, 1)
	}
	p.Lock()
	slot, v := p.blocks.Free(addr, 1)
	p.UnlockFreed()
	if v == Freed {
		return nil
	}
	return p.ready().FreeSlow(slot, v, addr, 1)
}

// fill allocates n units before the threads begin.
func (p *pool) fill(n int) {
	for range n {
		addr, err := p.alloc(nil)
		if err != nil {
			explore.Failf("before: %v", err)
		}
		p.list = append(p.list, addr)
	}
}

// rest checks a pool at rest, whose callers have so many blocks.
func (p *pool) rest() {
	checkInvariants(new(testing.T), &p.Engine)
	s, n := p.ready().Stats(), int64(len(p.live))
	switch {
	case p.life.closed:
	case s.Live != n || s.LiveBytes != n:
		explore.Failf("Live is %d, LiveBytes %d, with %d blocks", s.Live, s.LiveBytes, n)
	case s.Reserved != p.source.bytes || s.PeakReserved < s.Reserved || s.Reserved > s.Limit:
		explore.Failf("Reserved is %d of %d, at most %d, with %d bytes from the source",
			s.Reserved, s.Limit, s.PeakReserved, p.source.bytes)
	case s.PeakBytes < n:
		explore.Failf("PeakBytes is %d with %d bytes live", s.PeakBytes, n)
	case p.limits.growing != 0 || p.limits.releasing != 0 || p.activity.limiting ||
		p.waiters.count.Load() != 0 || p.activity.driverCalls != 0:
		explore.Failf("not at rest: %+v", p.limits)
	}
}

// poolOp is an operation whose result is explained at the end.
type poolOp struct {
	begun, end int
	what       byte // a: an allocation; f: a free; l: a change of the limit
	ok         bool
	n          int64 // the limit of l, and the units of others
}

// timed notes an operation.
func (p *pool) timed(what byte, n int64, f func() bool) bool {
	o := poolOp{what: what, n: n, begun: explore.Begin()}
	o.ok = f()
	o.end = explore.End(number1(o.ok))
	p.ops = append(p.ops, o)
	return o.ok
}

func number1(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// setLimit changes the limit. What the source may give out is bounded by the old limit until a lower one
// holds.
func (p *pool) setLimit(n int64) {
	p.source.most = max(p.source.most, n)
	if p.timed('l', n, func() bool {
		err := p.SetLimit(n)
		wantErr("SetLimit", err, poolrt.ErrLive)
		return err == nil
	}) {
		if p.source.most = n; p.source.bytes > n {
			explore.Failf("%d bytes are reserved under a limit of %d", p.source.bytes, n)
		}
	}
}

// closes closes the pool, unless blocks are live. A closed pool has nothing, and does not call source and
// driver any more.
func (p *pool) closes() {
	err := p.Close(nil)
	if wantErr("Close", err, poolrt.ErrLive); err != nil {
		return
	}
	if p.source.bytes != 0 || p.limits.reserved != 0 || p.line.unreleased() != 0 {
		explore.Failf("a closed pool has %d bytes, of %d reserved, and %d fences",
			p.source.bytes, p.limits.reserved, p.line.unreleased())
	}
	p.source.ended, p.line.ended = true, true
}

// explained reports whether operations can follow each other in an order that agrees with their times: an
// allocation fails only when the limit has no room beside the live units, and a lower limit holds.
func (p *pool) explained(done uint64, live, limit int64, seen map[[3]int64]bool) bool {
	if done == 1<<len(p.ops)-1 {
		return true
	}
	key := [3]int64{int64(done), live, limit}
	if seen[key] {
		return false
	}
	seen[key] = true
	first := 1 << 30
	for i, o := range p.ops {
		if done>>i&1 == 0 {
			first = min(first, o.end)
		}
	}
	for i, o := range p.ops {
		if done>>i&1 != 0 || o.begun > first {
			continue
		}
		nowLive, nowLimit := live, limit
		switch {
		case o.what == 'a' && o.ok:
			nowLive += o.n
		case o.what == 'f':
			nowLive -= o.n
		case o.what == 'l' && o.ok:
			nowLimit = o.n
		}
		fails := o.what == 'a' && !o.ok
		if nowLive > nowLimit || fails && live+o.n <= limit {
			continue
		}
		if p.explained(done|1<<i, nowLive, nowLimit, seen) {
			return true
		}
	}
	return false
}

// liveBytes adds up the blocks of a pool with ordering driver.
func (p *pool) liveBytes() (n int64) {
	for addr := range p.live {
		n += p.bytes[addr]
	}
	return n
}

// wantErr reports a fault unless err matches one of the errors, or is nil.
func wantErr(what string, err error, allowed ...error) {
	for _, a := range allowed {
		if err == nil || errors.Is(err, a) {
			return
		}
	}
	if err != nil {
		explore.Failf("%s: %v", what, err)
	}
}
