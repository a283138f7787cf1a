package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// rounded returns the bytes of whole units of the source; not above 0 if that is too much for a number.
func (d *DriverBlocks) rounded(bytes uint64) int64 {
	return (int64(bytes) + d.terms.mask) &^ d.terms.mask
}

// claim reserves bytes for a block within limit and budget. crossed reports that this crossed the soft limit.
func (d *DriverBlocks) claim(n int64) (ok, crossed bool) {
	for {
		before := d.reserved.Load()
		if n <= 0 || n > d.bound.Load()-before {
			return false, false
		}
		if now := before + n; d.reserve(before, now) {
			if now <= d.peak.Load() && now <= d.bound.Load() && !d.terms.watched {
				return true, false
			}
			return d.claimed(before, now)
		}
	}
}

// reserve changes the bytes that are claimed, unless another caller was faster: then callers meet.
func (d *DriverBlocks) reserve(before, now int64) bool {
	if d.reserved.CompareAndSwap(before, now) {
		return true
	}
	d.met()
	return false
}

// claimed goes on with a claim that may be refused after all, or has consequences.
//
//go:noinline
func (d *DriverBlocks) claimed(before, now int64) (ok, crossed bool) {
	if now > d.bound.Load() || !d.budget.Reserve(now-before) { // the limit was lowered, or the pool closed, since it was read
		d.reserved.Add(before - now)
		return false, false
	}
	for {
		peak := d.peak.Load()
		if now <= peak || d.peak.CompareAndSwap(peak, now) {
			return true, before <= d.config.SoftLimit && now > d.config.SoftLimit && d.config.SoftLimit > 0
		}
	}
}

// unclaim ends a claim.
func (d *DriverBlocks) unclaim(n int64) {
	d.reserved.Add(-n)
	if d.terms.watched {
		d.budget.Release(n)
	}
}

// fits reports whether there is room for a request that has failed for lack of it. Claims need no lock, so there may have been room
// all the time: a lower limit was refused meanwhile, or Close. And a free that came while a waiter tried, and so was not in the queue,
// has woken nobody: whoever puts a waiter back asks fits afterwards, as who ends a claim looks for waiters afterwards. What other
// processes leave of a budget is only known when they are asked, so then fits does not say that there is room.
func (d *DriverBlocks) fits(bytes uint64, failed error) bool {
	if reason(failed) != poolrt.ErrLimit || d.budget.Budget().Host() {
		return false
	}
	n := d.rounded(bytes)
	return n > 0 && n <= d.bound.Load()-d.reserved.Load() && n <= d.budget.Available()
}

// post adds to limits and figures what callers have changed without the lock.
func (d *DriverBlocks) post(e *Engine) {
	now := d.reserved.Load()
	e.limits.reserved += now - d.posted
	d.posted = now
	e.figures.note(max(e.limits.reserved, d.peak.Load()))
}

// admit puts the limit in force: callers may allocate without the lock once the pool is open.
func (d *DriverBlocks) admit(e *Engine) {
	if !e.life.opened || e.life.closed || e.life.badItem != nil || e.config.Imported || e.memory.Streams == nil {
		d.bound.Store(0)
		return
	}
	d.bound.Store(e.limits.bound)
	d.post(e) // what was claimed before the limit was lowered counts
}
