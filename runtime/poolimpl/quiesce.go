package poolimpl

import (
	"errors"
	"slices"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// drainRounds is how often quiesce drains again because blocks were freed meanwhile.
const drainRounds = 64

// strictness is what quiesce does about live blocks and about streams that fail.
type strictness uint8

const (
	refuseLive strictness = iota // refuse while blocks are live, in a pool with a free for one block
	keepLive                     // live blocks do not matter
	forced                       // nor do they; and do not wait for streams that fail
)

// quiesce waits until no other caller is changing what the pool holds or is calling the driver, and no stream is using blocks that were freed. It
// refuses if frees on streams do not end, unless it is forced. The lock is released meanwhile. Without an error, the queues of streams are stopped: the caller
// calls resume before it releases e.mu.
func (e *Engine) quiesce(op string, how strictness) error {
	for range drainRounds {
		e.waitOthers()
		switch {
		case how == refuseLive && !e.life.closed && !e.config.Uncounted && e.usage().Live > 0:
			return e.liveError(op)
		case e.streams.stop():
			return nil
		}
		if err := e.order.drain(); err != nil {
			if how == forced {
				break
			}
			return e.newError(op, err)
		}
	}
	for how == forced {
		e.waitOthers()
		if e.streams.queues.stop(); e.streams.calls.Load() == 0 {
			return nil
		}
		e.streams.queues.resume()
	}
	return detailed(e.newError(op, poolrt.ErrLive), "blocks are freed on streams all the time")
}

// waitOthers waits until no other caller is in the middle of an operation with the lock released.
func (e *Engine) waitOthers() {
	for e.activity.waitIdle(request{}) || e.streams.awaitDriver() || e.clearing.awaitClears() {
	}
}

// drain waits for all streams that have pending frees, and reclaims those frees. An error of the driver about one stream does not prevent the others from
// being drained. The fences stay pinned until drain ends: meanwhile another caller may find that a stream has passed one of them.
func (e onStreams) drain() error {
	errs := []error{e.streams.sealEpochs((*streams).sealAll)}
	fences := e.streams.pinLast()
	defer e.streams.fences.unpinAll(fences)
	for _, fence := range fences {
		err := e.streams.driver().with(fence, Timeline.Sync)
		if err == nil {
			e.passedFence(fence)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// pinLast lists fences that together are behind all sealed epochs, ranges in flight and pending foreign blocks, and pins them.
func (s *streams) pinLast() (pinned []Fence) {
	for _, q := range s.queues.list {
		if last := q.pinLast(&s.fences); last != 0 {
			pinned = append(pinned, last)
		}
	}
	pin := func(fence Fence) {
		s.fences.pin(fence)
		pinned = append(pinned, fence)
	}
	for _, f := range s.inFlight {
		pin(f.marks[len(f.marks)-1].fence)
	}
	for _, p := range s.pendingForeign {
		if p.fence != 0 {
			pin(p.fence)
		}
	}
	return pinned
}

// Close returns all memory and closes the pool. While blocks are live it refuses with [poolrt.ErrLive] and their number, returns nothing, and the pool can
// still be used. Closing twice is no error. Waiting allocations fail with [poolrt.ErrClosed]. If the source refuses to take chunks back, Close reports it,
// and another Close tries again. reset sets the core to its zero value; it may be nil for a [SharedCore], which does so itself.
func (e *Engine) Close(reset func()) error { return e.close(reset, false) }

// CloseForce is Close for a pool that may have live blocks: their memory is returned too, and using them afterwards is a fault.
func (e *Engine) CloseForce(reset func()) error { return e.close(reset, true) }

// close quiesces the pool and closes it, unless it is closed already. Then it returns what is unreturned. The caller does not hold e.mu.
func (e *Engine) close(reset func(), force bool) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	defer e.admitClears()
	how := refuseLive
	if force {
		how = forced
	}
	if err := e.quiesce("close", how); err != nil {
		return err
	}
	if force {
		borrowed := slices.Concat(e.foreign.evictBorrowed(), e.streams.pendingBorrowed())
		defer func() { err = Join(err, e.giveBackAll(borrowed)) }() // also if a source panics
	}
	if !e.life.closed {
		if !force && e.graphs.anyKept() {
			e.streams.queues.resume()
			return detailed(e.newError("close", poolrt.ErrLive), "the pool has memory that is private to %s: close these, and what was instantiated from them",
				figure.Count(int64(len(e.graphs.list)), "graph"))
		}
		if Debug && force && !e.config.Uncounted && e.usage().Live > 0 {
			lost := e.liveError("close")
			e.figures.queueEvent(poolrt.EventLeak, lost.Live, lost)
		}
		chunks := e.life.sleep.mapped(&e.memory) // before the core forgets where pages have memory
		if e.core.shared != nil && !e.core.shared.Shut(force) {
			e.streams.queues.resume()
			return e.liveError("close")
		}
		e.end(chunks)
		if e.core.shared == nil {
			reset()
		}
		e.wakeNext() // each waiter that fails wakes the next
	}
	return e.returnAll()
}

// end closes the pool: all that it has become unreturned, its chunks among it, and its live blocks free. The queues of streams are stopped; they end.
func (e *Engine) end(chunks []Chunk) {
	u := e.counted()
	e.life.final = Usage{Allocs: u.Allocs, PeakBytes: u.PeakBytes}
	if Debug {
		e.observed.debug.swept(e, true)
	}
	e.observed.tracing.swept(e)
	e.observed.samples.Swept()
	e.life.opened, e.life.primed, e.life.closed = true, true, true
	e.life.unreturned = slices.Concat(chunks, e.foreign.evictAll(e.streams.pendingForeign), e.graphs.evictAll())
	if d := e.core.driver; d != nil {
		e.life.unreturned = append(e.life.unreturned, d.closed(e)...)
	}
	e.life.sleep = sleep{}
	e.setSleep(awake)
	e.chunks.clear()
	e.guards.clear()
	e.foreign.lending.blocks = nil
	e.streams.reset()
	e.budget.Leave()
}

// returnAll returns to the source what a closed pool still has, and unbinds the pool.
func (e *Engine) returnAll() error {
	chunks := e.life.unreturned
	e.life.unreturned = nil
	switch {
	case e.config.numbers(): // the numbers are the user's
		for _, c := range chunks {
			e.limits.sub(e.budget, c.Size, 1)
		}
		e.name.unregister(e)
		return nil
	case len(chunks) > 0:
		if d := e.core.driver; d != nil {
			d.waitBehind(e)
		}
		if _, err := e.release(poolrt.EventTrim, chunks, func(c Chunk) { e.life.unreturned = append(e.life.unreturned, c) }); err != nil {
			return e.newError("close", err)
		}
	}
	if err := e.order.releaseFences(); err != nil {
		return e.newError("close", &causedBy{poolrt.ErrNotReturned, err})
	}
	e.waitOthers() // others may be returning chunks
	if err := errors.Join(e.unbind(), e.memory.places.release()); err != nil {
		return e.newError("close", err)
	}
	e.name.unregister(e)
	return nil
}
