package poolimpl

import (
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// limits counts bytes. reserved + growing <= limit, and bound <= limit. Growth keeps reserved + growing <= bound; while SetLimit is at work, reserved may
// exceed bound. While growing > 0, one caller is obtaining that many bytes from the source, and has reserved them in the budget. releasing is a part of
// reserved.
type limits struct {
	limit     int64 // in force: Config.Limit, or what WithLimit and SetLimit have made of it
	bound     int64 // of growth: limit, or lower while SetLimit is at work
	reserved  int64 // bytes that the source has supplied and not got back
	growing   int64 // bytes that one caller is obtaining from the source; 0: none is
	releasing int64 // bytes of reserved that callers are returning
	released  int64 // bytes that the source has got back so far
	chunks    int64 // number of chunks, or of pages, that make up reserved
	primes    int64 // calls of Prime so far that have reserved all
	primed    int64 // the most that one of them has asked for since Trim
}

// held returns the bytes that are reserved and are not being returned.
func (l *limits) held() int64 { return l.reserved - l.releasing }

// room returns the bytes that the limit and the budget leave.
func (l *limits) room(b *budget.Member) int64 { return min(l.bound-l.reserved, b.Available()) }

// claim reserves want bytes for growth or, if there is less room, as many whole units as there is room for, at least need bytes. It returns 0 if there is no
// room for need.
func (l *limits) claim(b *budget.Member, unit, need, want int64) int64 {
	for {
		size := min(want, roundDown(l.room(b), unit))
		if size < need {
			return 0
		}
		if b.Reserve(size) {
			l.growing = size
			return size
		}
	}
}

// claimExactly reserves size bytes for one block, or says why it cannot.
func (l *limits) claimExactly(b *budget.Member, size int64) error {
	switch {
	case size > min(l.limit, b.Budget().Limit()):
		return poolrt.ErrTooLarge
	case l.growing > 0 || size > l.bound-l.reserved || !b.Reserve(size):
		return poolrt.ErrLimit
	}
	l.growing = size
	return nil
}

// notSupplied is the result of a failed call of the source. If the source got memory back after released was read, there is no error and the allocation tries
// again: whoever returned that memory found nobody waiting.
func (l *limits) notSupplied(r request, err error, released int64) (change, error) {
	if l.released > released && !r.prime {
		return freed, nil
	}
	return unchanged, sourceError(err)
}

// sub subtracts chunks that the source has got back.
func (l *limits) sub(b *budget.Member, bytes, chunks int64) {
	l.reserved -= bytes
	l.chunks -= chunks
	l.released += bytes
	b.Release(bytes)
}

// SetLimit changes the limit to the given number of bytes, up to Config.MaxLimit. A lower limit returns empty
// chunks as needed; if chunks in use exceed
// it, SetLimit refuses with [poolrt.ErrLive], and the limit stays; so it does below the numbers that Track has added, used or not. A higher one wakes those who wait
// for memory. Calls of SetLimit take effect one after the other: one that finds another at work waits for it. Any goroutine may call SetLimit, unless the pool has
// no lock. Cost: as Trim for a lower limit, little for a higher one.
func (e *Engine) SetLimit(bytes int64) error {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	_, _ = e.poll()
	for (e.activity.limiting || e.activity.binding) && e.waitIdle(request{}) {
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
	if wrong := e.refuseLimit(bytes); wrong != nil {
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
		case !e.waitIdle(request{}):
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
	if pending := e.pendingFrees(); len(pending) > 0 {
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

// check refuses a request that neither waiting nor growth could serve.
func (e *Engine) check(r request) error {
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case e.life.badItem != nil:
		return e.life.badItem
	case e.config.Imported:
		return errNotAllocated
	case e.streams.resting:
		return poolrt.ErrAsleep
	case e.memory.need(e.core.Core, r) > e.largest():
		return poolrt.ErrTooLarge
	}
	return nil
}
