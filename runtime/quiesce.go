package runtime

import "errors"

// drainRounds is how often a drain starts again because blocks were freed meanwhile.
const drainRounds = 64

// quiesce waits until nobody is changing what the pool holds, no stream may be at work in it, and nobody asks the driver about it. The lock
// is released meanwhile, so that blocks may be taken: those that count keep the operation from going on.
func (e *Engine) quiesce(op string) error {
	for range drainRounds {
		e.waitOthers()
		switch {
		case !e.life.closed && !e.config.Uncounted && e.usage().Live > 0:
			return e.liveError(op)
		case e.pending() == 0:
			return nil
		}
		if err := e.drain(); err != nil {
			return e.newError(op, err)
		}
	}
	err := e.newError(op, ErrLive)
	err.Detail = "blocks are freed on streams all the time"
	return err
}

// quiesceForced is quiet that gives up what cannot be waited for.
func (e *Engine) quiesceForced() {
	for range drainRounds {
		e.waitOthers()
		if e.pending() == 0 || e.drain() != nil {
			break
		}
	}
	e.waitOthers()
}

// waitOthers waits until nobody else is in the middle of something with the lock released.
func (e *Engine) waitOthers() {
	for e.waitIdle() || e.awaitDriver() {
	}
}

// drain waits for all streams that have frees, and retires those. It does what it can also when the driver fails at some.
func (e *Engine) drain() error {
	errs := []error{e.sealEpochs()}
	for _, fence := range e.lastFences() {
		err := e.sync(fence)
		if err == nil {
			e.passedFence(fence)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lastFences lists marks that together are behind everything that is marked.
func (e *Engine) lastFences() (fences []Fence) {
	for i := range e.streams.queues.list {
		if c := e.streams.queues.list[i].sealed; len(c) > 0 {
			fences = append(fences, c[len(c)-1].fence)
		}
	}
	for i := range e.streams.inFlight {
		fences = append(fences, e.streams.inFlight[i].fence)
	}
	for _, p := range e.foreign.pending {
		fences = append(fences, p.fence)
	}
	return fences
}

// dropFences drops all marks. Nothing is waited for any more.
func (e *Engine) dropFences() {
	for i := range e.streams.queues.list {
		for _, c := range e.streams.queues.list[i].sealed {
			e.dropFence(c.fence)
		}
	}
	for i := range e.streams.inFlight {
		e.dropFence(e.streams.inFlight[i].fence)
	}
}
