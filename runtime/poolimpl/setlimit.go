package poolimpl

import (
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// SetLimit changes the limit to the given number of bytes, up to Config.MaxLimit. A lower limit returns empty chunks as needed; if chunks in use exceed it,
// SetLimit refuses with [poolrt.ErrLive], and the limit stays; so it does below the numbers that Track has added, used or not. A higher one wakes those who
// wait for memory. Calls of SetLimit take effect one after the other: one that finds another at work waits for it. Any goroutine may call SetLimit, unless the
// pool has no lock. Cost: as Trim for a lower limit, little for a higher one.
func (e *Engine) SetLimit(bytes int64) error {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	_, _ = e.order.pollAll()
	for (e.activity.limiting || e.activity.binding) && e.activity.waitIdle(request{}) {
	}
	if err := e.setLimit(bytes); err != nil {
		if e.streams.err != nil && e.streams.pending() > 0 && err.Cause == nil {
			err.Cause = e.streams.err // why chunks are still in use
		}
		return err
	}
	return nil
}

// setLimit is SetLimit while no other call lowers the limit.
func (e *Engine) setLimit(bytes int64) *poolrt.PoolError {
	if e.life.closed {
		return e.newError("set limit", poolrt.ErrClosed)
	}
	if err := e.nowhere(); err != nil {
		return e.newError("set limit", err)
	}
	if wrong := e.config.refuseLimit(bytes); wrong != nil {
		return wrong.of(e, "set limit")
	}
	if bytes < e.limits.limit {
		return e.lower(bytes)
	}
	e.raise(bytes)
	return nil
}

// raise raises the limit. A pool that can have one chunk only gives an empty one back that the lower limit has cut short: it would stay in the way of a whole one.
func (e *Engine) raise(bytes int64) {
	e.limits.limit, e.limits.bound = bytes, bytes
	e.fullness.noteRoom()
	e.admit()
	if e.memory.single && e.limits.reserved < min(e.memory.unit, roundDown(bytes, e.memory.Granularity)) {
		_, _ = e.trim(0)
	}
	e.wakeNext()
}

// lower lowers the limit.
func (e *Engine) lower(bytes int64) *poolrt.PoolError {
	// From here on the pool cannot grow beyond the new limit, and the new limit is visible only once it holds.
	e.limits.bound, e.activity.limiting = bytes, true
	e.admit()
	defer func() { // also if the source panics
		e.limits.bound, e.activity.limiting = e.limits.limit, false
		e.admit()
		e.wakeNext()
	}()
	if err := e.shrink(bytes); err != nil {
		return err
	}
	e.limits.limit = bytes
	return nil
}

// shrink returns empty chunks until at most so many bytes are reserved. Bytes that others are obtaining from the source count as in use. shrink waits for
// bytes that others are returning.
func (e *Engine) shrink(bytes int64) *poolrt.PoolError {
	inUse := func(needed int64) *poolrt.PoolError {
		p := e.newError("set limit", poolrt.ErrLive)
		if e.config.numbers() {
			return detailed(p, "%d: %d numbers are tracked, and only Untrack takes some away", bytes, needed)
		}
		return detailed(p, "%d: chunks in use hold %d%s", bytes, needed, e.users())
	}
	for e.limits.reserved+e.limits.growing > bytes {
		e.memory.layout.flush()
		if needed := e.memory.inUse(&e.limits, slices.Concat(e.foreign.direct.unreturned, e.graphs.unreturned)) + e.limits.growing; needed > bytes {
			return inUse(needed)
		}
		switch any, err := e.shedAbove(bytes - e.limits.growing); {
		case err != nil:
			return e.newError("set limit", err)
		case any:
		case e.limits.releasing == 0: // a chunk that was empty has a block again: the lock does not stop allocations of a shared core
			return inUse(e.limits.reserved + e.limits.growing)
		case !e.activity.waitIdle(request{}):
			return e.newError("set limit", poolrt.ErrLimit)
		}
	}
	return nil
}

// users says what keeps chunks of the pool in use.
func (e *Engine) users() string {
	var by sentences
	if n := e.counted().Live; n > 0 {
		by.add("%s", figure.Count(int64(n), "live block"))
	}
	if n := e.graphs.bytes; n > 0 {
		by.add("%d private to graphs", n)
	}
	if slices.ContainsFunc(e.chunks.cold, func(c chunkState) bool { return c.shares > 0 }) {
		by.add("what was shared with other processes")
	}
	if pending := e.order.pendingFrees(); len(pending) > 0 {
		p, more := pending[0], ""
		if n := len(pending) - 1; n > 0 {
			more = " and others behind " + figure.Count(int64(n), "more stream")
		}
		by.add("%d in %s behind stream %d%s: wait for the work there, then try again", p.Bytes, figure.Count(p.Blocks, "block"), p.Stream, more)
	}
	if len(by) == 0 { // by now
		return ""
	}
	return ": " + strings.Join(by, ", ")
}

// shedAbove returns surplus while the pool holds more than so many bytes. It reports whether there was any.
func (e *Engine) shedAbove(bytes int64) (any bool, err error) {
	if n, err := e.retryUnreturned(); n > 0 || err != nil {
		return true, err
	}
	due := e.memory.collect(lastFirst, e.memory.atLeast(e.limits.held()-bytes))
	_, err = e.shed(due)
	return len(due) > 0, err
}
