package poolimpl

import (
	"slices"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// fakeStreamCore is fakeCore for a pool with streams.
type fakeStreamCore struct {
	fakeCore
	pending map[uint64]uint64 // address: bytes
}

func (c *fakeStreamCore) find(addr, bytes uint64) (slot uint32, off uint64, ok bool) {
	for slot, ch := range c.chunks {
		for _, b := range ch.blocks {
			if ch.base+b.off == addr && b.size == bytes {
				return slot, b.off, true
			}
		}
	}
	return 0, 0, false
}

func (c *fakeStreamCore) Defer(addr, bytes uint64) Verdict {
	if _, ok := c.pending[addr]; ok {
		return Double
	}
	if _, _, ok := c.find(addr, bytes); !ok {
		return Foreign
	}
	if c.pending == nil {
		c.pending = map[uint64]uint64{}
	}
	c.pending[addr] = bytes
	c.live--
	c.bytes -= bytes
	return Freed
}

func (c *fakeStreamCore) Reuse(addr, bytes uint64) (uint32, uint64) {
	delete(c.pending, addr)
	c.live++
	c.bytes += bytes
	slot, off, _ := c.find(addr, bytes)
	return slot, off
}

func (c *fakeStreamCore) Reclaim(addr, bytes uint64) (uint32, Verdict) {
	delete(c.pending, addr)
	c.live++
	c.bytes += bytes
	return c.Free(addr, bytes)
}

func (c *fakeStreamCore) Undo(addr, bytes uint64) (uint32, Verdict) { return c.Free(addr, bytes) }

// boundSource is fakeSource on a device.
type boundSource struct {
	*fakeSource
	line *fakeTimeline
	err  error
	// unfinished is the Close of a Bind that fails
	unfinished func() error

	mu     sync.Mutex
	binds  int
	ends   int
	device int          // of the last Bind
	hook   func()       // called by Bind, without a lock
	stream func(Stream) // what Watch was given
}

func (s *boundSource) Bind(ask Binding) (Bound, error) {
	if s.hook != nil {
		s.hook()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return Bound{Close: s.unfinished}, s.err
	}
	s.binds++
	s.device = ask.Device
	b := Bound{Source: s.fakeSource, Allocator: "device", Device: ask.Device, Close: s.end, Watch: s.watch}
	if s.line != nil {
		b.Timeline = s.line
	}
	return b, nil
}

func (s *boundSource) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends++
	return nil
}

func (s *boundSource) watch(f func(Stream)) (stop func()) {
	s.stream = f
	return func() {}
}

// streamRig is a pool with streams, as a generated shell makes it. With shared set, its fast path does not take the pool's lock.
type streamRig struct {
	Engine
	core   fakeStreamCore
	shared *sharedStreamCore
	config Config
	source *boundSource
	line   *fakeTimeline
	t      testing.TB
}

func newStreamRig(t testing.TB, change func(*Config)) *streamRig {
	line := newTimeline()
	p := &streamRig{source: &boundSource{fakeSource: &fakeSource{t: t}, line: line}, line: line, t: t}
	p.config = Config{
		Name: "test.Streams", Allocator: "device", Binder: p.source, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1,
		Limit: poolrt.NoLimit, WaitTimeout: 1e9, Ladder: []Rung{PollRung{}, WaitRung{}, ErrorRung{}}, Order: OnStreams{},
	}
	if change != nil {
		change(&p.config)
	}
	p.core.emptied = p.config.Trim != nil
	return p
}

// newSharedRig is newStreamRig for a pool with a SharedCore.
func newSharedRig(t testing.TB, change func(*Config)) *streamRig {
	p := newStreamRig(t, change)
	p.shared = &sharedStreamCore{core: &p.core}
	return p
}

func (p *streamRig) ready() *Engine {
	if p.shared != nil {
		return p.Init(&p.config, p.shared)
	}
	return p.Init(&p.config, &p.core)
}

func (p *streamRig) allocOn(s Stream, bytes uint64) (block, error) {
	defer p.check()
	if p.shared != nil {
		return p.allocShared(&s, bytes)
	}
	p.Lock()
	if addr, ok := p.Engine.Reuse(s, bytes); ok {
		p.core.Reuse(addr, bytes)
		p.Unlock()
		return block{addr, bytes}, nil
	}
	p.Unlock()
	b, err := p.ready().AllocOn(s, 1, bytes, 1)
	return block{b.Addr, bytes}, err
}

// allocShared allocates as the fast path of a sharded pool does.
func (p *streamRig) allocShared(s *Stream, bytes uint64) (block, error) {
	if s != nil {
		if q, addr := p.LockReuse(s.ID, bytes); q != nil {
			p.shared.Reuse(addr, bytes)
			q.Unlock()
			return block{addr, bytes}, nil
		}
	}
	if slot, off, ok := p.shared.Alloc(bytes, 1); ok {
		b := block{p.Addr(slot) + off, bytes}
		if !p.SharedInFlight() {
			return b, nil
		}
		p.Undo(b.addr, bytes)
	}
	if s == nil {
		b, err := p.ready().Alloc(1, bytes, 1)
		return block{b.Addr, bytes}, err
	}
	b, err := p.ready().AllocOn(*s, 1, bytes, 1)
	return block{b.Addr, bytes}, err
}

// freeShared frees as the fast path of a sharded pool does.
func (p *streamRig) freeShared(b block, s Stream) error {
	q := p.LockQueue(s.ID)
	if q == nil {
		return p.ready().FreeOnNew(s, b.addr, b.bytes)
	}
	v := p.shared.Defer(b.addr, b.bytes)
	due := v == Freed && q.Defer(b.addr, b.bytes)
	q.Unlock()
	if v == Freed && !due && !p.HasWaiters() {
		return nil
	}
	return p.ready().FreeOnSlow(s, v, b.addr, b.bytes)
}

func (p *streamRig) alloc(bytes uint64) (block, error) {
	defer p.check()
	if p.shared != nil {
		return p.allocShared(nil, bytes)
	}
	p.Lock()
	if !p.InFlight() {
		if slot, off, ok := p.core.Alloc(bytes, 1); ok {
			defer p.Unlock()
			return block{p.Addr(slot) + off, bytes}, nil
		}
	}
	p.Unlock()
	b, err := p.ready().Alloc(1, bytes, 1)
	return block{b.Addr, bytes}, err
}

func (p *streamRig) serve() {
	if p.HasWaiters() {
		p.ServeWaiters()
	}
}

func (p *streamRig) freeOn(b block, s Stream) error {
	defer p.check()
	if p.shared != nil {
		return p.freeShared(b, s)
	}
	p.Lock()
	v := p.core.Defer(b.addr, b.bytes)
	due := false
	if v == Freed {
		due = p.Engine.Defer(s, b.addr, b.bytes)
	}
	p.serve()
	p.Unlock()
	if v != Freed || due {
		return p.ready().FreeOnSlow(s, v, b.addr, b.bytes)
	}
	return nil
}

func (p *streamRig) free(b block) error {
	defer p.check()
	if p.shared != nil {
		slot, v := p.shared.Free(b.addr, b.bytes)
		if v == Freed && !p.HasWaiters() {
			return nil
		}
		return p.ready().FreeSlow(slot, v, b.addr, b.bytes)
	}
	p.Lock()
	slot, v := p.core.Free(b.addr, b.bytes)
	p.serve()
	p.Unlock()
	if v != Freed {
		return p.ready().FreeSlow(slot, v, b.addr, b.bytes)
	}
	return nil
}

func (p *streamRig) close() error {
	defer p.check()
	return p.ready().Close(p.reset)
}

func (p *streamRig) closeForce() error {
	defer p.check()
	return p.ready().CloseForce(p.reset)
}

// check checks that fences that the engine needs, or queries, have not been released. That holds between operations.
func (p *streamRig) check() {
	p.t.Helper()
	e := p.ready()
	checkInvariants(p.t, e)
	e.lock()
	defer e.unlock()
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	needed := e.streams.pinLast()
	defer e.streams.fences.unpinAll(needed)
	for _, fence := range slices.Concat(e.streams.fences.inUse, needed) {
		if p.line.released[fence] {
			p.t.Errorf("fence %d was released", fence)
		}
	}
}

func (p *streamRig) reset() { p.core = fakeStreamCore{fakeCore: fakeCore{emptied: p.core.emptied}} }

// ended checks that a closed pool holds no memory and no fences.
func (p *streamRig) ended() {
	p.t.Helper()
	p.line.sound(p.t)
	e := &p.Engine
	if p.source.held() != 0 || e.limits.reserved != 0 || e.streams.calls.Load() != 0 || len(e.streams.fences.inUse)+len(e.streams.fences.dropped) != 0 || e.streams.polling || e.waiters.count.Load() != 0 {
		p.t.Errorf("%d bytes left, reserved %d, calls %d, fences in use %v, to be released %v", p.source.held(), e.limits.reserved, e.streams.calls.Load(), e.streams.fences.inUse, e.streams.fences.dropped)
	}
	if p.source.binds != p.source.ends {
		p.t.Errorf("%d Binds, %d ended", p.source.binds, p.source.ends)
	}
}

func must1[T any](t testing.TB, v T, err error) T {
	t.Helper()
	fatal.If(t, err)
	return v
}

var s1, s2 = Stream{ID: 1}, Stream{ID: 2}
