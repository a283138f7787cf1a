package poolimpl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Wake maps memory to the addresses of a pool asleep, and copies the contents back that Sleep has saved. A pool that is awake stays as it is. All or nothing:
// if Wake fails, the pool is asleep as before, and Wake can be called again; the error matches [poolrt.ErrLimit] or [poolrt.ErrOutOfMemory] if there is not
// enough memory. Once Wake has returned, all streams may use the blocks. Wake looks at the context between copies. Any goroutine may call Wake, unless the pool
// has no lock. Cost: calls of the driver as those of Sleep.
func (e *Engine) Wake(ctx context.Context) error {
	e.lock()
	defer e.unlockAndNotify()
	for e.activity.turning && e.activity.waitIdle(request{}) {
	}
	switch {
	case e.life.closed:
		return e.newError("wake", poolrt.ErrClosed)
	case e.life.sleep.state != asleep:
		return nil
	}
	defer e.activity.begin(&e.activity.turning)()
	pages := e.memory.sleeping()
	size, err := pages.wake(ctx)
	if err != nil {
		failed := e.lacking("wake", err, size)
		if failed.Err == poolrt.ErrLimit && failed.Detail == "" {
			failed.Detail = fmt.Sprintf("the limits leave %d", max(e.limits.room(e.budget), 0))
		}
		return failed
	}
	if Debug && !e.life.sleep.saved {
		e.observed.debug.unguardAll()
	}
	e.wakeUp()
	e.figures.queueEvent(poolrt.EventWake, size, nil)
	if e.config.Sleep.Release {
		_ = pages.dropBacking() // as in fallAsleep
	}
	return nil
}

// vacateFreed makes holes of the pages whose blocks were freed while they had no memory.
func (l *paged) vacateFreed() {
	l.core.Vacate(l.joined(without(l.core.FreePages(), l.e.life.sleep.stuckPages())))
}

// wake maps memory to all pages asleep, or to none, and restores their contents. It returns the bytes of these pages. The lock is released meanwhile.
func (l *paged) wake(ctx context.Context) (int64, error) {
	e := l.e
	l.vacateFreed()
	_, _ = e.retryUnreturned() // memory of graphs that are gone is room
	rows := without(l.rows(), e.life.sleep.stuckPages())
	size := total(rows)
	if size == 0 {
		return 0, nil
	}
	claimed := e.limits.claim(e.budget, l.Page, size, size)
	if claimed == 0 && e.reclaim(anyWay, func() int64 { return e.budget.Lacking(size) }) && !e.life.closed {
		claimed = e.limits.claim(e.budget, l.Page, size, size)
	}
	switch {
	case e.life.closed:
		return size, poolrt.ErrClosed
	case claimed == 0:
		return size, poolrt.ErrLimit
	}
	err := e.withClaim(size, func() error { return l.mapAgain(ctx, rows) })
	if err == nil {
		e.limits.add(&e.figures, size, size/l.Page)
	} else if errors.Is(err, poolrt.ErrOutOfMemory) {
		err = sourceError(err)
	}
	return size, err
}

// mapAgain maps memory to rows of pages, and restores what was saved of them: mapping runs ahead of the copies. After an error none has memory, except what the
// source refuses to take back: such a page is not mapped again. The caller does not hold e.mu.
func (l *paged) mapAgain(ctx context.Context, rows []Extent) (err error) {
	saved := l.e.life.sleep.saved
	parts := slices.Values(rows)
	if saved {
		parts = steps(rows, max(l.e.config.Sleep.BatchBytes()/l.Page, 1)*l.Page)
	}
	var mapped []Extent
	for x := range parts {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = l.mapPart(x, saved); err != nil {
			break
		}
		mapped = append(mapped, x)
		if saved {
			err = l.restore(ctx, x)
		}
		if err != nil {
			break
		}
	}
	if saved {
		err = errors.Join(err, l.Sleeper.Restored())
	}
	if err == nil {
		return nil
	}
	for _, x := range mapped {
		if back := l.e.memory.free(x.chunk()); back != nil {
			err = errors.Join(err, fmt.Errorf("pages at %#x: %w", x.Addr, back))
		}
	}
	return err
}

// mapPart maps memory to pages. What was not saved is cleared if blocks must be zero when memory is new.
func (l *paged) mapPart(x Extent, saved bool) error {
	if !saved {
		return l.mapMemory([]Extent{x})
	}
	defer l.e.memory.meter.end(l.e.memory.meter.begin())
	return l.Map([]Extent{x})
}
