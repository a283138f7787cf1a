package poolimpl

import (
	"errors"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// drainRounds is how often a drain starts again because blocks were freed meanwhile.
const drainRounds = 64

// quiesce waits until nobody is changing what the pool holds, no stream may be at work in it, and nobody asks the driver about it. It refuses while blocks are live,
// or are freed on streams all the time. With force it does not refuse, and gives up waiting for streams that fail. The lock is released meanwhile.
func (e *Engine) quiesce(op string, force bool) error {
	for range drainRounds {
		e.waitOthers()
		switch {
		case !force && !e.life.closed && !e.config.Uncounted && e.usage().Live > 0:
			return e.liveError(op)
		case e.streams.pending() == 0:
			return nil
		}
		if err := e.drain(); err != nil {
			if force {
				break
			}
			return e.newError(op, err)
		}
	}
	if force {
		e.waitOthers()
		return nil
	}
	return detailed(e.newError(op, poolrt.ErrLive), "blocks are freed on streams all the time")
}

// waitOthers waits until nobody else is in the middle of something with the lock released.
func (e *Engine) waitOthers() {
	for e.waitIdle(request{}) || e.streams.awaitDriver() {
	}
}

// drain waits for all streams that have frees, and reclaims those. If the driver fails at some it still does the others. The fences stay the pool's until all have been
// asked about: another caller may find meanwhile that a stream has passed one.
func (e *Engine) drain() error {
	errs := []error{e.streams.sealEpochs()}
	fences := e.streams.lastFences()
	e.streams.pin(fences...)
	defer e.streams.unpin(fences...)
	for _, fence := range fences {
		err := e.streams.withFence(fence, Timeline.Sync)
		if err == nil {
			e.passedFence(fence)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lastFences lists fences that together are behind all that is sealed, in flight or from elsewhere.
func (s *streams) lastFences() (fences []Fence) {
	for i := range s.queues.list {
		if sealed := s.queues.list[i].sealed; len(sealed) > 0 {
			fences = append(fences, sealed[len(sealed)-1].fence)
		}
	}
	for i := range s.inFlight {
		fences = append(fences, s.inFlight[i].fence)
	}
	for i := range s.foreign {
		fences = append(fences, s.foreign[i].fence)
	}
	return fences
}

// close brings the pool to rest and ends it, unless it has ended. Then it gives back what there is.
func (e *Engine) close(reset func(), force bool) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if err := e.quiesce("close", force); err != nil {
		return err
	}
	if !e.life.closed {
		if Debug && force && !e.config.Uncounted && e.usage().Live > 0 {
			lost := e.liveError("close")
			e.queueEvent(poolrt.EventLeak, lost.Live, lost)
		}
		if e.core.shared != nil && !e.core.shared.Shut(force) {
			return e.liveError("close")
		}
		e.end()
		if e.core.shared == nil {
			reset()
		}
		e.wakeNext() // those who wait are told, one by the other
	}
	return e.returnAll()
}

// end makes the pool a closed one whose chunks are unreturned.
func (e *Engine) end() {
	e.life.final = e.usage()
	if Debug {
		if !e.config.Uncounted {
			e.observed.debug.account(&e.life.final)
		}
		e.observed.debug.swept(e, true)
	}
	if poolrt.Traced {
		e.observed.tracing.swept(e)
	}
	e.life.final.Occupied, e.life.final.LargestFree, e.life.final.Cached = e.life.final.LiveBytes, 0, 0
	e.life.opened, e.life.primed, e.life.closed = true, true, true
	e.life.unreturned = slices.Concat(e.memory.layout.chunks(), e.foreign.evictAll(e.streams.foreign))
	e.chunks.clear()
	e.streams.reset()
	e.config.Budget.leave(e)
}

// returnAll gives what a closed pool still has to the source, and unbinds it.
func (e *Engine) returnAll() error {
	chunks := e.life.unreturned
	e.life.unreturned = nil
	switch {
	case e.config.numbers(): // they are the user's
		for _, c := range chunks {
			e.limits.sub(e.config.Budget, c.Size, 1)
		}
		registry.Unregister(e)
		return nil
	case len(chunks) > 0:
		if _, err := e.release(chunks, func(c Chunk) { e.life.unreturned = append(e.life.unreturned, c) }); err != nil {
			return e.newError("close", err)
		}
	}
	e.streams.releaseFences()
	e.waitOthers() // others may be giving some back
	if err := e.unbind(); err != nil {
		return e.newError("close", err)
	}
	registry.Unregister(e)
	return nil
}
