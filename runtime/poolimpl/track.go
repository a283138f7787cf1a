package poolimpl

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Track makes the numbers first to first+n-1 available for allocation. They count against the limit of the pool. Track refuses numbers that the pool already
// has, and an empty range, with [poolrt.ErrBadSize]; a range above the limit with [poolrt.ErrLimit]; and one that is too long for the suballocator with
// [poolrt.ErrTooLarge]. Any goroutine may call Track, unless the pool has no lock. Cost: a binary search of the ranges.
func (e *Engine) Track(first, n uint64) error {
	e.lock()
	defer e.unlockAndNotify()
	e.open()
	if err := e.track(first, n); err != nil {
		err.Request = clampInt64(n)
		return err
	}
	return nil
}

func (e *Engine) track(first, n uint64) *poolrt.PoolError {
	detail := func(err error, format string, args ...any) *poolrt.PoolError {
		p := e.newError("track", err)
		p.Detail = fmt.Sprintf(format, args...)
		return p
	}
	largest := e.config.MaxChunk
	switch {
	case e.life.closed:
		return e.newError("track", poolrt.ErrClosed)
	case n == 0 || n > uint64(poolrt.NoLimit) || first+(n-1) < first:
		return detail(poolrt.ErrBadSize, "%d numbers from %d on", n, first)
	case largest > 0 && n > uint64(largest):
		return detail(poolrt.ErrTooLarge, "%d numbers in one range, the largest is %d; track several ranges", n, largest)
	case int64(n) > e.limits.limit-e.limits.reserved:
		return e.newError("track", poolrt.ErrLimit)
	}
	for slot := range e.chunks.overlapping(first, n) {
		c := e.chunks.hot[slot]
		return detail(poolrt.ErrBadSize, "overlaps the numbers %d to %d", c.Addr, c.Addr+uint64(c.Size-1))
	}
	if !e.budget.Reserve(int64(n)) {
		return e.newError("track", poolrt.ErrLimit)
	}
	e.limits.add(&e.figures, int64(n), 1)
	e.memory.layout.insert(Chunk{Addr: first, Size: int64(n)})
	e.wakeNext()
	return nil
}

// Untrack removes a range that Track has added. While one of its numbers is in use, Untrack refuses with [poolrt.ErrLive]; if Track has not added exactly
// this range, with [poolrt.ErrForeign]. Any goroutine may call Untrack, unless the pool has no lock. Cost: a binary search of the ranges.
func (e *Engine) Untrack(first, n uint64) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return e.newError("untrack", poolrt.ErrClosed)
	}
	slot, ok := e.chunks.find(first)
	if c := e.chunks.hot; !ok || c[slot].Addr != first || uint64(c[slot].Size) != n {
		err := e.newError("untrack", poolrt.ErrForeign)
		err.Detail = fmt.Sprintf("no range of %d numbers from %d on is tracked", n, first)
		return err
	}
	if e.core.Used(slot) > 0 {
		return e.newError("untrack", poolrt.ErrLive)
	}
	if _, ok := (chunked{e}).evict(slot); !ok {
		return e.newError("untrack", poolrt.ErrLive)
	}
	e.limits.sub(e.budget, int64(n), 1)
	return nil
}
