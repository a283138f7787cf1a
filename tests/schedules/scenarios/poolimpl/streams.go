//go:build explored

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// allocOn allocates one unit on a stream, or nil for any use, as a generated pool with a SharedCore does.
func (p *pool) allocOn(on *Stream) (addr uint64, ok bool) {
	addr, err := p.allocUnitOn(on)
	if wantErr("alloc", err, poolrt.ErrLimit, poolrt.ErrClosed); err != nil {
		return 0, false
	}
	p.got(addr, on)
	return addr, true
}

func (p *pool) allocUnitOn(on *Stream) (addr uint64, err error) {
	core := p.core.(fewStreams)
	id := noStream.ID
	if on != nil {
		id = on.ID
		if q, addr := p.LockReuse(id, 1); q != nil {
			core.Reuse(addr, 1)
			q.Unlock()
			return addr, nil
		}
	}
	if slot, off, ok := core.Alloc(1, 1); ok {
		if addr = p.Addr(slot) + off; !p.SharedInFlightOn(id, addr, 1) {
			return addr, nil
		}
		p.Undo(addr, 1)
	}
	b, err := Block{}, error(nil)
	if on == nil {
		b, err = p.ready().Alloc(1, 1, 1)
	} else {
		b, err = p.ready().AllocOn(*on, 1, 1, 1)
	}
	return b.Addr, err
}

// freeOn frees a block of one unit on a stream that uses it.
func (p *pool) freeOn(addr uint64, on Stream) {
	at := p.line.use(on)
	p.gives(addr)
	p.freed[addr] = at
	wantErr("a free", p.freeUnitOn(addr, on))
}

func (p *pool) freeUnitOn(addr uint64, on Stream) error {
	q := p.LockQueue(on.ID)
	if q == nil {
		return p.ready().FreeOnNew(on, addr, 1)
	}
	v := p.core.(fewStreams).Defer(addr, 1)
	due := v == Freed && q.Defer(addr, 1)
	q.Unlock()
	if v == Freed && !due && !p.HasWaiters() {
		return nil
	}
	return p.ready().FreeOnSlow(on, v, addr, 1)
}

// No stream gets memory that another one may still be using, no block is lost, and the counts are exact,
// whatever is freed, allocated and reclaimed at once.
func streamCases() (list []explore.Case) {
	var p *pool
	one, two, three := Stream{ID: 0}, Stream{ID: 1}, Stream{ID: 2}
	alloc := func(on Stream) func() { return func() { p.allocOn(&on) } }
	any := func() { p.allocOn(nil) }
	free := func(on Stream, n ...int) func() {
		return func() {
			for _, i := range n {
				p.freeOn(p.list[i], on)
			}
		}
	}
	pair := func(on Stream, i int) func() { // a free, and an allocation that takes the block again
		return func() {
			p.freeOn(p.list[i], on)
			p.allocOn(&on)
		}
	}
	poll := func() { p.Poll() }
	done := func(on Stream) func() { return func() { p.line.complete(on); p.Poll() } }
	closes := func() { p.closes() }
	// add adds a scenario of a pool whose units are all live at first. before runs before the threads.
	add := func(name string, live int, change func(*Config), before func(), threads ...func()) {
		setup := func() {
			p = newPool(streamPool, int64(live), func(c *Config) {
				c.ChunkSize, c.Ladder = 2, []Rung{PollRung{}, ErrorRung{}}
				if change != nil {
					change(c)
				}
			})
			for range live {
				addr, ok := p.allocOn(nil)
				if !ok {
					explore.Failf("before")
				}
				p.list = append(p.list, addr)
			}
			if before != nil {
				before()
			}
			p.begun()
		}
		finish := func() {
			if p.rest(); p.life.closed {
				return
			}
			for _, s := range []Stream{one, two, three} {
				p.line.complete(s)
			}
			p.Poll()
			if n := p.streams.pending(); n != 0 {
				explore.Failf("%d frees are pending although all work is done", n)
			}
			for len(p.live) < live {
				if _, ok := p.allocOn(nil); !ok {
					explore.Failf("free blocks are lost")
				}
			}
			for addr := range p.live {
				p.free(addr)
			}
			p.rest()
			if p.closes(); !p.life.closed {
				explore.Failf("a pool without live blocks cannot be closed")
			}
		}
		list = append(list, newCase("streams", name, setup, finish, threads...))
	}
	queues := func() { // there is a queue for each stream
		for i, s := range []Stream{one, two} {
			p.freeOn(p.list[i], s)
			p.allocOn(&s)
		}
	}
	add("a stream comes", 2, nil, nil, free(one, 0), alloc(one))
	add("two streams come", 2, nil, nil, free(one, 0), free(two, 1))
	add("a free and its stream's allocation", 2, nil, queues, free(one, 0), alloc(one))
	add("a free and another stream's allocation", 2, nil, queues, free(one, 0), alloc(two))
	add("a free and any allocation", 2, nil, queues, both(free(one, 0), func() { p.line.complete(one) }), any)
	add("frees that fill an epoch", 4, nil, queues, free(one, 0, 1, 2, 3), alloc(one))
	add("frees of two threads on a stream", 4, nil, queues, free(one, 0, 1), free(one, 2, 3))
	add("frees of two threads on a stream, and a poll", 4, nil, queues, free(one, 0, 1, 2), free(one, 3), done(one))
	add("a free and a poll", 2, nil, queues, free(one, 0, 1), done(one))
	add("a free that is taken again, and a poll", 2, nil, queues, pair(one, 0), done(one))
	add("a free, an allocation and a poll", 2, nil, queues, free(one, 0), alloc(two), done(one))
	add("two pairs and a poll", 2, nil, queues, pair(one, 0), pair(one, 1), poll)
	add("two streams and a poll", 2, nil, queues, pair(one, 0), pair(two, 1), poll)
	pending := func() { queues(); p.freeOn(p.list[0], one) }
	add("in flight", 2, nil, pending, alloc(two), any)
	add("in flight, and a free", 2, nil, pending, alloc(two), free(two, 1), any)
	add("in flight, and passed", 2, nil, pending, alloc(two), done(one), any)
	idle := func() { // one of the two queues gets another stream when that comes
		queues()
		p.streams.queues.unused()
	}
	add("a queue gets another stream, and a free", 2, nil, idle, free(one, 0), free(three, 1))
	add("a queue gets another stream, and an allocation", 2, nil, idle, free(three, 0), alloc(one), alloc(three))
	add("a queue gets another stream, and a pair", 2, nil, idle, pair(one, 0), pair(three, 1))
	add("a queue gets another stream, and two allocations", 2, nil, idle, free(one, 0),
		both(free(three, 1), alloc(three), alloc(three)))
	add("a queue gets another stream, and a poll", 2, nil, idle, free(one, 0), both(free(three, 1), poll))
	add("Close and a free", 1, nil, nil, free(one, 0), closes)
	add("Close and a pair", 2, nil, func() { queues(); p.free(p.list[1]) }, pair(one, 0), closes)
	add("Close and the last free", 2, nil, func() { queues(); p.freeOn(p.list[1], two) }, free(one, 0), closes)
	full := func() { // the next free on the stream fills an epoch
		queues()
		free(one, 0, 1, 2)()
	}
	add("Close and a free that fills an epoch", 4, nil, full, free(one, 3), closes)
	add("Close and a free that fills an epoch of a stream without work", 4, nil,
		func() { p.line.eager = true; full() }, free(one, 3), closes)
	add("Reset and the last free", 2, nil, func() { queues(); p.freeOn(p.list[1], two) }, free(one, 0),
		func() { wantErr("Reset", p.Reset(nil), poolrt.ErrLive) }, done(two))
	return list
}
