package poolimpl

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// limits counts bytes: reserved + growing <= bound <= limit. While growing > 0 one caller is at the source, and the budget has been reserved.
// releasing is a part of reserved.
type limits struct {
	limit     int64 // in force: Config.Limit, or lower
	bound     int64 // of growth: limit, or lower still while SetLimit is at work
	reserved  int64 // that the source gave and did not get back
	growing   int64 // that one caller is asking the source for; 0: nobody is
	releasing int64 // of reserved, that callers are giving back
	released  int64 // that the source got back so far
	chunks    int64 // that make up reserved
}

// held is the bytes that are reserved and not on their way back.
func (l *limits) held() int64 { return l.reserved - l.releasing }

// room is what the limit and the budget leave.
func (l *limits) room(b *Budget) int64 { return min(l.bound-l.reserved, b.available()) }

// claim reserves want bytes for growth, or as many units as there is room for, but need bytes at least. It returns 0 when there is no room.
func (l *limits) claim(b *Budget, unit, need, want int64) int64 {
	for {
		size := min(want, roundDown(l.room(b), unit))
		if size < need {
			return 0
		}
		if b.reserve(size) {
			l.growing = size
			return size
		}
	}
}

// claimExactly reserves size bytes for one block, or says why there is no room.
func (l *limits) claimExactly(b *Budget, size int64) error {
	switch {
	case size > min(l.limit, b.Limit()):
		return poolrt.ErrTooLarge
	case l.growing > 0 || size > l.bound-l.reserved || !b.reserve(size):
		return poolrt.ErrLimit
	}
	l.growing = size
	return nil
}

// notSupplied is what comes of a call of the source that has failed. If the source got memory back since released was read, an allocation asks
// again: whoever gave that memory back found nobody waiting.
func (l *limits) notSupplied(r request, err error, released int64) error {
	if l.released > released && !r.prime {
		return nil
	}
	return sourceError(err)
}

// sub takes chunks that are gone off the count.
func (l *limits) sub(b *Budget, bytes, chunks int64) {
	l.reserved -= bytes
	l.chunks -= chunks
	l.released += bytes
	b.release(bytes)
}

// SetLimit lowers the limit to the given number of bytes, and gives empty chunks back where that is needed. While the chunks with live blocks exceed
// the new limit, SetLimit refuses with [poolrt.ErrLive] and changes nothing. A limit cannot be raised. Any goroutine may call SetLimit, unless the pool has
// no lock. Cost: as Trim.
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
	if err := e.lower(bytes); err != nil {
		if e.streams.err != nil && e.streams.pending() > 0 && err.Cause == nil {
			err.Cause = e.streams.err // why chunks are still in use
		}
		return err
	}
	return nil
}

// lower puts a lower limit in force.
func (e *Engine) lower(bytes int64) *poolrt.PoolError {
	switch {
	case e.life.closed:
		return e.newError("set limit", poolrt.ErrClosed)
	case bytes < 0 || bytes > e.limits.limit:
		err := e.newError("set limit", poolrt.ErrBadSize)
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

// shrink gives empty chunks back until no more than that many bytes are reserved. What others are asking the source for counts as in use; what others
// are giving back is waited for.
func (e *Engine) shrink(bytes int64) *poolrt.PoolError {
	tooMuchLive := func(needed int64) *poolrt.PoolError {
		return detailed(e.newError("set limit", poolrt.ErrLive), "%d: chunks with live blocks hold %d", bytes, needed)
	}
	for e.limits.reserved+e.limits.growing > bytes {
		e.memory.layout.flush()
		if needed := e.memory.inUse(&e.limits, e.foreign.direct.unreturned) + e.limits.growing; needed > bytes {
			return tooMuchLive(needed)
		}
		switch any, err := e.shedAbove(bytes - e.limits.growing); {
		case err != nil:
			return e.newError("set limit", err)
		case any:
		case e.limits.releasing == 0: // what was empty has a block by now: nobody locks a shared core
			return tooMuchLive(e.limits.reserved + e.limits.growing)
		case !e.waitIdle(request{}):
			return e.newError("set limit", poolrt.ErrLimit)
		}
	}
	return nil
}

// shedAbove gives back what the pool holds above that many bytes, as far as that is surplus. It reports whether anything was.
func (e *Engine) shedAbove(bytes int64) (any bool, err error) {
	if n, err := e.retryUnreturned(); n > 0 || err != nil {
		return true, err
	}
	due := e.memory.collect(lastFirst, e.memory.atLeast(e.limits.held()-bytes))
	_, err = e.shed(due)
	return len(due) > 0, err
}
