package poolrt

import (
	"fmt"

	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Budget is a hard limit that several pools share. A pool file names its budgets, and each pool that has one returns it with method Budget; [NewBudget] makes others.
//
// A pool may have a guarantee in its budget: bytes that it can always have, without taking from anyone. A pool that finds no room beyond its guarantee has others give
// back what they do not use, those of the lowest priority first. All methods are safe for concurrent use, and accept a nil receiver, which limits nothing.
type Budget budget.Budget

// NewBudget makes a budget of limit bytes for pools of this program. A negative limit is 0. Pools join with [WithBudget].
func NewBudget(name string, limit int64) *Budget { return (*Budget)(budget.New(name, max(limit, 0))) }

func (b *Budget) shared() *budget.Budget { return (*budget.Budget)(b) }

// Name returns the budget's name, or "" for a nil budget.
func (b *Budget) Name() string { return b.shared().Name() }

// Limit returns the bytes that the pools may reserve together, or NoLimit for a nil budget.
func (b *Budget) Limit() int64 { return b.shared().Limit() }

// Reserved returns the bytes that the pools have reserved or are obtaining from their sources.
func (b *Budget) Reserved() int64 { return b.shared().Held() }

// Info describes the budget.
func (b *Budget) Info() BudgetInfo {
	s := b.shared()
	if s == nil {
		return BudgetInfo{}
	}
	charged, held := s.Charged(), s.Held()
	i := BudgetInfo{Name: s.Name(), Limit: s.Limit(), Reserved: held, Kept: max(charged-held, 0), Host: s.Host(), Leased: s.Leased(), Elsewhere: s.Elsewhere()}
	if err := s.Failure(); err != nil {
		i.Failure = err.Error()
	}
	return i
}

// SetLimit changes the limit at once. Pools that hold more together keep their memory, and none grows until they hold less. A limit below the sum of the
// guarantees of its pools is refused with [ErrLimit], and a negative one with [ErrBadSize]; then the limit stays. A nil budget has no limit to change, which is
// [ErrUnsupported]. Cost: a lock, and a wake-up of those who wait for room.
func (b *Budget) SetLimit(bytes int64) error {
	s := b.shared()
	fail := func(err error, format string, args ...any) error {
		return &PoolError{Pool: "budget " + s.Name(), Op: "set limit", Err: err, Reserved: s.Held(), Limit: s.Limit(), Unit: "bytes", Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case s == nil:
		return &PoolError{Pool: "no budget", Op: "set limit", Err: ErrUnsupported}
	case s.Host():
		return fail(ErrUnsupported, "the limit is that of all processes which share the budget: it changes when none uses it")
	case bytes < 0:
		return fail(ErrBadSize, "%d: a limit is not negative", bytes)
	}
	if guaranteed, ok := s.SetLimit(bytes); !ok {
		return fail(ErrLimit, "%d: the guarantees of its pools are %d together", bytes, guaranteed)
	}
	return nil
}

// WithBudget puts the pool into a budget, in place of the one of the pool file, with a guarantee and a priority from 0 to 100; nil: into none. NewFooPool fails with
// [ErrBadSize] if the guarantee is negative, above the largest limit that may be set or above the limit of the budget, or not 0 without a budget, or if the priority
// is out of range; with [ErrUnsupported] for a pool of numbers. Like any first use, it fails with [ErrLimit] if other pools hold so much of the budget that it has
// no room for the guarantee.
func WithBudget(b *Budget, guarantee int64, priority int) Option {
	return func(s *registry.Settings) {
		s.Budget, s.Guarantee, s.Priority = b.shared(), guarantee, priority
	}
}
