package poolimpl

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// The backing of a pool is memory of the host for the contents of pages asleep.

// save copies rows of pages to the host. The caller does not hold e.mu.
func (l *paged) save(ctx context.Context, rows []Extent) error {
	err := l.Sleeper.Reserve(ctx, total(rows))
	if err != nil {
		return err
	}
	return errors.Join(inBatches(ctx, rows, l.e.config.Sleep.BatchBytes(), l.Sleeper.Save), l.Sleeper.Saved())
}

// restore copies what was saved of rows of pages back to them. The caller does not hold e.mu.
func (l *paged) restore(ctx context.Context, rows ...Extent) error {
	return inBatches(ctx, rows, l.e.config.Sleep.BatchBytes(), l.Sleeper.Restore)
}

// inBatches calls f with each batch of some rows, until one fails or the context ends.
func inBatches(ctx context.Context, rows []Extent, batch int64, f func(Extent) error) error {
	for x := range steps(rows, batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// defaultBatch takes the copies a millisecond or two.
const defaultBatch = 64 << 20

// BatchBytes returns the bytes that are copied between two looks at the context.
func (s *SleepPolicy) BatchBytes() int64 { return cmp.Or(s.Batch, defaultBatch) }

// trimBacking is dropBacking for Trim. While another caller makes the pool fall asleep or wake, that caller decides.
func (e *Engine) trimBacking() error {
	pages := e.memory.sleeping()
	if pages == nil || e.activity.turning {
		return nil
	}
	defer e.activity.begin(&e.activity.turning)()
	return pages.dropBacking()
}

// dropBacking returns the memory of the host that holds no contents of pages with blocks. The lock is released meanwhile.
func (l *paged) dropBacking() (err error) {
	e := l.e
	var except []Extent
	if e.life.sleep.state == asleep && e.life.sleep.saved {
		except = without(l.rows(), l.core.FreePages())
	}
	e.activity.visit(func() { err = l.Sleeper.Drop(except) })
	if err != nil {
		return &causedBy{poolrt.ErrNotReturned, err}
	}
	return nil
}

// Claim counts bytes of backing against the budget of the key, all or nothing, for a pool of that name. Empty chunks of the pools with that budget make room. The caller
// holds no lock.
func (s *SleepPolicy) Claim(pool string, bytes int64) error {
	b := (*budget.Budget)(s.Budget)
	if err := b.Connect(); err != nil {
		return &causedBy{poolrt.LedgerError(err), err}
	}
	if b.Charge(bytes) {
		return nil
	}
	b.Reclaim(nil, budget.Need{For: pool, Ways: budget.Trim, Lacking: func() int64 { return bytes - b.Free() }})
	if b.Charge(bytes) {
		return nil
	}
	return &causedBy{poolrt.ErrLimit, fmt.Errorf("memory of the host to sleep: %d bytes are needed, and budget %s leaves %d of %d", bytes, b.Name(), max(b.Free(), 0), b.Limit())}
}

// Return gives bytes that Claim has counted back to the budget.
func (s *SleepPolicy) Return(bytes int64) { (*budget.Budget)(s.Budget).Discharge(bytes) }

// reserveBacking obtains memory of the host for so many bytes of pages. The caller does not hold e.mu.
func (l *paged) reserveBacking(bytes int64) error {
	return l.Sleeper.Reserve(context.Background(), roundDown(bytes, l.Page))
}

// primeBacking obtains the backing for all pages within the limit, if the key sleep says so. The lock is released meanwhile.
func (e *Engine) primeBacking() (err error) {
	if s := e.config.Sleep; s == nil || !s.Prime {
		return nil
	}
	for e.activity.turning && e.activity.waitIdle(request{}) {
	}
	pages := e.memory.sleeping()
	if pages == nil || e.life.closed || e.life.sleep.state != awake {
		return nil // another allocator is in force; or others have begun to use the pool, and it may have contents on the host
	}
	bytes := min(e.limits.limit, e.budget.Budget().Limit())
	if bytes == poolrt.NoLimit {
		return &causedBy{poolrt.ErrLimit, errors.New("sleep: prime obtains memory of the host for all that the pool may hold, and there is no limit")}
	}
	defer e.activity.begin(&e.activity.turning)()
	e.activity.visit(func() { err = pages.reserveBacking(bytes) })
	return err
}
