package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TrimPolicy is [poolrt.TrimPolicy], with what the engine asks of it.
type TrimPolicy poolrt.TrimPolicy

// onFree returns the policy that applies to frees, or nil.
func (p *TrimPolicy) onFree() *TrimPolicy {
	if p == nil || p.Growth {
		return nil
	}
	return p
}

// delays reports whether empty chunks stay for a while before they are returned.
func (p *TrimPolicy) delays() bool { return p != nil && p.Idle > 0 }

// excess returns how many of the held bytes TrimPolicy.Growth returns before size bytes are added: as many as the pool would then hold beyond its peak,
// without those that the policy keeps.
func (p *TrimPolicy) excess(size, held, peak int64) int64 {
	if p == nil || !p.Growth || size > poolrt.NoLimit-held {
		return 0
	}
	return max(min(held+size-peak, held-p.Keep), 0)
}

// Trim returns empty chunks to the source as long as the pool still holds keep bytes afterwards. The result is the number of bytes returned. Chunks with a
// live block stay. Memory that is cached for a size class counts as free. With keep 0, a pool that holds nothing afterwards also returns what its source keeps
// besides chunks, such as streams for the source's own work; and of host memory on Linux, those pages of the other chunks go back in which no block lies, which does not
// count for the result, as the chunks stay. [poolrt.ChunkSnapshot] says which bytes are resident. An error of the driver about frees on streams does not prevent other chunks from being returned.
// Any goroutine may call Trim, unless the pool has no lock. Cost: one pass over the chunks, and a call of the source for each chunk that is returned.
func (e *Engine) Trim(keep int64) (released int64, err error) {
	return e.trimDownTo(func() int64 { return keep })
}

// trimDownTo is Trim for a number of bytes that is known once e.mu is held.
func (e *Engine) trimDownTo(floor func() int64) (released int64, err error) {
	defer e.tidyBudget()
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	keep := floor()
	switch {
	case e.life.closed:
		return 0, e.newError("trim", poolrt.ErrClosed)
	case keep < 0:
		return 0, e.newError("trim", poolrt.ErrBadSize)
	}
	if err := e.nowhere(); err != nil {
		return 0, e.newError("trim", err)
	}
	e.limits.primed = min(e.limits.primed, keep)
	_, asked := e.poll()
	released, err = e.trim(keep)
	e.memory.layout.tidy()
	if err == nil {
		err = asked
	}
	if err == nil && keep == 0 {
		e.dropFree()
		err = Join(e.trimBacking(), e.trimBeside())
	}
	if err != nil {
		return released, e.newError("trim", err)
	}
	return released, nil
}

// trimBeside returns what the source keeps besides chunks, if the pool holds no memory. The lock is released meanwhile.
func (e *Engine) trimBeside() (err error) {
	trim := e.memory.Bound.Trim
	if trim == nil || e.limits.held() > 0 {
		return nil
	}
	e.activity.visit(&e.poolLock, func() { err = trim() })
	return err
}

// trim is Trim for a caller that holds e.mu.
func (e *Engine) trim(keep int64) (int64, error) {
	again, failed := e.retryUnreturned()
	e.memory.layout.flush()
	released, err := e.shedTo(keep)
	if err == nil {
		err = failed
	}
	return again + released, err
}

// trimFor returns chunks of n bytes or more, as far as so many are empty, to make room for another pool of the budget: none that would leave the pool with less than
// its guarantee. If that is not enough and across is set, a chunk that the guarantee needs a part of goes as well: the budget keeps that part. What goes back by itself
// comes first: memory of graphs that are gone, and what streams have passed under the trim policy. The caller does not hold e.mu.
func (e *Engine) trimFor(n int64, to string, across bool) (released int64) {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	before := e.limits.released
	_, _ = e.retryUnreturned()
	_, _ = e.poll()
	lacking := func() int64 { return n - (e.limits.released - before) }
	if lacking() > 0 {
		_, _ = e.shed(e.surplusOf(lacking(), e.limits.held()-e.guarantee()))
	}
	if rest := min(lacking(), e.limits.held()-e.guarantee()); across && rest > 0 {
		_, _ = e.shed(e.surplusOf(rest, poolrt.NoLimit))
	}
	released = e.limits.released - before
	e.queueGiven(released, to)
	return released
}

// surplusOf lists surplus of n bytes or more, by best fit, but not more than most; if there is less, as much as there is.
func (e *Engine) surplusOf(n, most int64) []surplus {
	due := e.memory.collect(order{fit: n}, e.memory.between(n, most))
	if bytesOf(due) < n && e.memory.layout.flush() {
		due = e.memory.collect(order{fit: n}, e.memory.between(n, most))
	}
	if bytesOf(due) < min(n, most) { // what fits best may be more than most
		due = e.memory.collect(lastFirst, e.memory.between(n, most))
	}
	return due
}

// shedTo returns surplus as long as the pool still holds keep bytes afterwards.
func (e *Engine) shedTo(keep int64) (released int64, err error) {
	left := e.limits.held() - keep
	if left < max(e.memory.page(), 1) { // saves a pass over the chunks, and the Go memory for their list
		return 0, nil
	}
	return e.shed(e.memory.collect(lastFirst, e.memory.atMost(left)))
}

// expire returns what has been empty for TrimPolicy.Idle. Until the first chunk is due, it only reads the clock. Cost then: one pass over the chunks. Under a policy
// without Idle it returns what frees have emptied unseen, at the same cost.
func (e *Engine) expire() {
	if !e.config.reportsEmptied() && e.shedAtOnce() {
		return
	}
	if e.life.trimAt.IsZero() {
		return
	}
	now := time.Now()
	if now.Before(e.life.trimAt) {
		return
	}
	e.life.trimAt = time.Time{}
	policy := e.life.trim
	left := e.limits.held() - policy.Keep
	if left >= max(e.memory.page(), 1) { // else all chunks stay until the pool has grown
		e.memory.layout.flush()
	}
	want := e.memory.atMost(left)
	_, _ = e.shed(e.memory.collect(lastFirst, func(s surplus) int64 {
		if due := s.since.Add(policy.Idle); now.Before(due) {
			e.life.schedule(due)
			return 0
		}
		return want(s)
	}))
}

// shedAtOnce returns surplus under a policy without Idle, and reports whether the pool has one.
func (e *Engine) shedAtOnce() (has bool) {
	p := e.life.trim.onFree()
	if has = p != nil && p.Idle == 0; has {
		_, _ = e.shedTo(p.Keep)
	}
	return has
}

// schedule makes expire look at the chunks at the given time, or earlier if that is due already.
func (l *life) schedule(at time.Time) {
	if l.trimAt.IsZero() || at.Before(l.trimAt) {
		l.trimAt = at
	}
}

// idleFromNow returns the current time, for chunks that become empty now, and makes expire look at them when they have been empty for idle.
func (l *life) idleFromNow(idle time.Duration) time.Time {
	now := time.Now()
	l.schedule(now.Add(idle))
	return now
}

// beforeGrowth does what comes before size bytes are added: it lets the request wait for other streams, or returns surplus. Unless the result is unchanged, the
// caller has to try again.
func (e *Engine) beforeGrowth(r request, size int64, gap Extent) change {
	if e.waitsFirst(r, size) {
		e.recoverOthers()
		return mayWait
	}
	return e.trimBeforeGrowth(r, size, gap)
}

// trimBeforeGrowth returns surplus before size bytes are added that would raise the peak: surplus that cannot serve the request is fragmentation. Pages in
// the gap stay, since the request needs them. Unless the result is unchanged, the caller has to try again.
func (e *Engine) trimBeforeGrowth(r request, size int64, gap Extent) change {
	if r.prime || r.refused || r.gaveBack {
		return unchanged
	}
	n := e.life.trim.excess(size, e.limits.held(), e.figures.peakReserved)
	if n == 0 {
		return unchanged
	}
	due := e.memory.collect(order{fit: n, outside: gap}, e.memory.atLeast(n))
	if bytesOf(due) < n && !r.uncached && e.memory.layout.flush() { // once: blocks that the request puts aside are cached again
		return uncached
	}
	if len(due) == 0 {
		return unchanged
	}
	if released, _ := e.shed(due); released == 0 {
		return refusedBack
	}
	return gaveBack
}

// sweep runs undo, which frees any number of blocks at once, and follows the trim policy.
func (e *Engine) sweep(undo func()) {
	e.life.sweeps++
	if !e.life.trim.delays() {
		undo()
		if policy := e.life.trim.onFree(); policy != nil {
			_, _ = e.trim(policy.Keep)
		}
		return
	}
	e.memory.layout.noteUsed()
	undo() // not passed to the layout: the closure would take Go memory
	e.memory.layout.noteEmptied()
	e.expire()
}
