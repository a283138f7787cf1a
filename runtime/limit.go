package runtime

import "fmt"

// SetLimit lowers the limit to the given number of bytes, giving empty chunks back where that is needed. When the chunks with live blocks
// exceed it, it refuses with [ErrLive] and changes nothing. A limit cannot be raised.
func (e *Engine) SetLimit(bytes int64) error {
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	_, _ = e.poll()
	for (e.activity.limiting || e.activity.binding) && e.waitIdle(nil) {
	}
	if err := e.lower(bytes); err != nil {
		if e.streams.err != nil && e.pending() > 0 && err.Cause == nil {
			err.Cause = e.streams.err // why chunks are still in use
		}
		return err
	}
	return nil
}

func (e *Engine) lower(bytes int64) *PoolError {
	switch {
	case e.life.closed:
		return e.newError("set limit", ErrClosed)
	case bytes < 0 || bytes > e.limits.limit:
		err := e.newError("set limit", ErrBadSize)
		err.Detail = badLimit(bytes)
		return err
	}
	// Nobody may grow beyond the new limit from here on, and nobody sees it in force before it holds.
	e.limits.bound, e.activity.limiting = bytes, true
	defer func() { // also when the source panics
		e.limits.bound, e.activity.limiting = e.limits.limit, false
		e.wakeNext()
	}()
	if err := e.shrink(bytes); err != nil {
		return err
	}
	e.limits.limit = bytes
	return nil
}

// badLimit says why a limit is not accepted.
func badLimit(n int64) string {
	if n < 0 {
		return fmt.Sprintf("%d: a limit is not negative", n)
	}
	return fmt.Sprintf("%d: a limit can only be lowered", n)
}

// shrink gives empty chunks back until no more than that many bytes are reserved. What others are asking the source for counts as in
// use; what they are giving back is waited for.
func (e *Engine) shrink(bytes int64) *PoolError {
	for e.limits.reserved+e.limits.growing > bytes {
		if e.paged() {
			e.core.Flush()
		}
		if needed := e.inUse() + e.limits.growing; needed > bytes {
			return e.tooMuchLive(bytes, needed)
		}
		switch any, err := e.releaseSurplus(bytes - e.limits.growing); {
		case err != nil:
			return e.newError("set limit", err)
		case any:
		case e.limits.releasing == 0: // what was empty has a block by now: nobody locks a shared core
			return e.tooMuchLive(bytes, e.limits.reserved+e.limits.growing)
		case !e.waitIdle(nil):
			return e.newError("set limit", ErrLimit)
		}
	}
	return nil
}

// tooMuchLive refuses a limit below what chunks with live blocks hold.
func (e *Engine) tooMuchLive(limit, needed int64) *PoolError {
	err := e.newError("set limit", ErrLive)
	err.Detail = fmt.Sprintf("%d: chunks with live blocks hold %d", limit, needed)
	return err
}

// releaseSurplus gives back what surplus lists, and reports whether that is anything.
func (e *Engine) releaseSurplus(bytes int64) (any bool, err error) {
	if e.paged() {
		n, err := e.trimPages(roundDown(bytes, e.memory.pages.Page))
		return n > 0, err
	}
	if n, err := e.retryUnreturned(); n > 0 || err != nil {
		return true, err
	}
	due := e.surplus(bytes)
	_, err = e.releaseChunks(due)
	return len(due) > 0, err
}

// surplus lists empty chunks to give back until the pool holds no more than that many bytes, as far as there are any.
func (e *Engine) surplus(bytes int64) []uint32 {
	var due []uint32
	left := e.held()
	for slot := len(e.chunks.list) - 1; slot >= 0 && left > bytes; slot-- {
		if e.empty(uint32(slot)) {
			left -= e.chunks.list[slot].Size
			due = append(due, uint32(slot))
		}
	}
	return due
}

// inUse adds up the chunks that have live blocks, or a stream at work in them. Numbered resources are the user's: all of them count.
func (e *Engine) inUse() int64 {
	if e.config.numbers() {
		return e.limits.reserved
	}
	sum := e.foreign.direct.inUse()
	if e.paged() {
		return sum + e.pagesInUse()
	}
	for slot := range e.chunks.list {
		if e.chunks.holds(uint32(slot)) && !e.empty(uint32(slot)) {
			sum += e.chunks.list[slot].Size
		}
	}
	return sum
}
