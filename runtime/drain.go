package runtime

import "errors"

// drainRounds is how often a drain starts again because blocks were freed meanwhile.
const drainRounds = 64

// quiet waits until nobody is changing what the pool holds, no stream may be at work in it, and nobody asks the driver about it. The lock
// is released meanwhile, so that blocks may be taken: those that count keep the operation from going on.
func (e *Engine) quiet(op string) error {
	for range drainRounds {
		e.still()
		switch {
		case !e.closed && !e.config.Uncounted && e.usage().Live > 0:
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

// quieten is quiet that gives up what cannot be waited for.
func (e *Engine) quieten() {
	for range drainRounds {
		e.still()
		if e.pending() == 0 || e.drain() != nil {
			break
		}
	}
	e.still()
}

// still waits until nobody else is in the middle of something with the lock released.
func (e *Engine) still() {
	for e.settle() || e.awaitCall() {
	}
}

// drain waits for all streams that have frees, and retires those. It does what it can also when the driver fails at some.
func (e *Engine) drain() error {
	errs := []error{e.closeEpochs()}
	for _, m := range e.lastMarks() {
		err := e.sync(m)
		if err == nil {
			e.passedMark(m)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lastMarks lists marks that together are behind everything that is marked.
func (e *Engine) lastMarks() (marks []Mark) {
	for i := range e.lanes.lanes {
		if c := e.lanes.lanes[i].closed; len(c) > 0 {
			marks = append(marks, c[len(c)-1].mark)
		}
	}
	for i := range e.hot {
		marks = append(marks, e.hot[i].mark)
	}
	for _, p := range e.loans.parked {
		marks = append(marks, p.mark)
	}
	return marks
}

// dropMarks drops all marks. Nothing is waited for any more.
func (e *Engine) dropMarks() {
	for i := range e.lanes.lanes {
		for _, c := range e.lanes.lanes[i].closed {
			e.drop(c.mark)
		}
	}
	for i := range e.hot {
		e.drop(e.hot[i].mark)
	}
}
