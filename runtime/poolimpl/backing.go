package poolimpl

import (
	"context"
	"errors"
	"iter"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// The backing of a pool is memory of the host for the contents of pages asleep.

// save copies rows of pages to the host. The caller does not hold e.mu.
func (l *paged) save(ctx context.Context, rows []Extent) error {
	err := l.Sleeper.Reserve(ctx, total(rows))
	if err != nil {
		return err
	}
	queued := 0
	for x := range l.steps(rows) {
		if err = ctx.Err(); err == nil {
			err = l.Sleeper.Save(x)
		}
		if queued++; err == nil && queued%copiesAhead == 0 {
			err = l.Sleeper.Saved()
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, l.Sleeper.Saved())
}

// sleepStep is how many bytes are copied by one call, and copiesAhead how many calls come between two waits, when the context is looked at. Together they take
// a few milliseconds.
const (
	sleepStep   = 64 << 20
	copiesAhead = 4
)

// steps divides rows of pages into parts of sleepStep, or of a page if that is larger.
func (l *paged) steps(rows []Extent) iter.Seq[Extent] {
	step := uint64(max(sleepStep/l.Page, 1) * l.Page)
	return func(yield func(Extent) bool) {
		for _, x := range rows {
			for ; x.Size > 0; x.Addr, x.Size = x.Addr+min(step, x.Size), x.Size-min(step, x.Size) {
				if !yield(Extent{x.Addr, min(step, x.Size)}) {
					return
				}
			}
		}
	}
}

// trimBacking is dropBacking for Trim. While another caller makes the pool fall asleep or wake, that caller decides.
func (e *Engine) trimBacking() error {
	pages, ok := e.memory.layout.(*paged)
	if !ok || pages.Sleeper == nil || e.activity.turning {
		return nil
	}
	e.activity.turning = true
	defer func() {
		e.activity.turning = false
		e.activity.wakeIdle()
	}()
	return e.dropBacking(pages)
}

// dropBacking returns the memory of the host that holds no contents of pages with blocks. The lock is released meanwhile.
func (e *Engine) dropBacking(pages *paged) (err error) {
	var except []Extent
	if e.sleep.state == asleep && e.sleep.saved {
		except = without(pages.rows(), pages.core.FreePages())
	}
	e.activity.visit(&e.poolLock, func() { err = pages.Sleeper.Drop(except) })
	if err != nil {
		return &causedBy{poolrt.ErrNotReturned, err}
	}
	return nil
}
