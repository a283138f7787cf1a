package poolrt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// Pool is what every generated pool is. The methods are described at each pool.
type Pool interface {
	Stats() Stats
	Trim(keep int64) (released int64, err error)
	Close() error
}

// Group is a list of pools, of any pool files and packages, that a program trims, puts to sleep, or closes together. It does not change. Its methods call those of
// the pools, one pool after the other: they are safe for concurrent use if those are, and a pool with concurrency none belongs to the goroutine that uses it.
//
// A generated package with two pools or more has the variable Pools: the group of the pools that its package functions act on.
type Group struct {
	name  string
	pools []Pool
}

// NewGroup makes a group of pools. The name stands in errors of the group itself. A nil pool is left out, and one that is listed again counts once, where it is
// first. The group keeps the slice, which the caller must no longer change.
func NewGroup(name string, pools ...Pool) *Group {
	return &Group{name, pools} // so little that the compiler lays out groups of package level, and the linker drops those that are not used
}

// all lists the pools that are not nil, each once: what a pool holds must not count twice. Go refuses to compare some types; pools of these are all different.
func (g *Group) all() (list []Pool) {
	for _, p := range g.pools {
		if p == nil || reflect.ValueOf(p).Comparable() && slices.Contains(list, p) {
			continue
		}
		list = append(list, p)
	}
	return list
}

// CloseAll closes the pools, the last of the list first, and goes on after an error. The result joins the errors of all pools that are still open, [ErrLive] for those
// with live blocks; nil if none is. CloseAll can be repeated.
func (g *Group) CloseAll() error {
	var errs []error
	for _, p := range slices.Backward(g.all()) {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// priorityOf returns the priority of a pool: the usual one if it has no method Priority.
func priorityOf(p Pool) int {
	if r, ok := p.(interface{ Priority() int }); ok {
		return r.Priority()
	}
	return budget.UsualPriority
}

// ranked lists the pools by priority, the lowest first, and otherwise in the order of the list.
func (g *Group) ranked() []Pool {
	return slices.SortedStableFunc(slices.Values(g.all()), func(p, q Pool) int { return cmp.Compare(priorityOf(p), priorityOf(q)) })
}

// TrimAll returns empty chunks of the pools, those of the lowest priority first and otherwise in the order of the list, as long as they hold at least keep bytes
// together afterwards. Of a pool with device: each it trims that of the current device. The result is the number of bytes returned. TrimAll goes on after an error,
// and joins the errors. A negative keep is refused with [ErrBadSize]. Cost: Stats of each pool, and Trim until enough is returned.
func (g *Group) TrimAll(keep int64) (released int64, err error) {
	if keep < 0 {
		return 0, &PoolError{Pool: g.name, Op: "trim", Err: ErrBadSize, Detail: fmt.Sprintf("%d: the bytes to keep are not negative", keep)}
	}
	pools := g.ranked()
	held, total := make([]int64, len(pools)), int64(0)
	for i, p := range pools {
		held[i] = p.Stats().Reserved
		total += held[i]
	}
	var errs []error
	for i, p := range pools {
		if keep > 0 && total <= keep {
			break
		}
		n, err := p.Trim(max(held[i]-(total-keep), 0))
		total, released, errs = total-n, released+n, append(errs, err)
	}
	return released, errors.Join(errs...)
}

// sleeper is a pool with the key sleep.
type sleeper interface {
	Pool
	Sleep(context.Context, ...SleepOption) error
	Wake(context.Context) error
}

// sleepers lists the pools that have the key sleep, the lowest priority first.
func (g *Group) sleepers() (list []sleeper) {
	for _, p := range g.ranked() {
		if s, ok := p.(sleeper); ok {
			list = append(list, s)
		}
	}
	return list
}

// SleepAll puts the pools that have the key sleep to sleep, in the order of TrimAll; other pools stay as they are. All or none: if one cannot sleep, those that this
// call has put to sleep are woken, the last one first, and the error is the first one, joined with those of pools that could not be woken. A pool that is asleep
// already is no failure, and is not woken. Nor is [ErrNotReturned] one: all pools are asleep if the error matches that. Of a pool with device: each that of the
// current device sleeps. Cost: Sleep of each pool.
func (g *Group) SleepAll(ctx context.Context, options ...SleepOption) error {
	var slept []sleeper
	var kept []error // what the driver did not take back
	for _, p := range g.sleepers() {
		err := p.Sleep(ctx, options...)
		switch {
		case errors.Is(err, ErrAsleep):
			continue
		case errors.Is(err, ErrNotReturned):
			kept = append(kept, err)
		case err != nil:
			errs := []error{err}
			for _, q := range slices.Backward(slept) {
				errs = append(errs, q.Wake(context.WithoutCancel(ctx)))
			}
			return errors.Join(errs...)
		}
		slept = append(slept, p)
	}
	return errors.Join(kept...)
}

// WakeAll wakes the pools that are asleep: first those with memory of the host for their contents, which the key sleep may release when they have woken, then the
// others, each by priority, the highest first. It stops at the first failure: the pools that are not awake sleep on, and WakeAll can be repeated. Cost: Stats and Wake of
// each pool.
func (g *Group) WakeAll(ctx context.Context) error {
	var backed, others []sleeper
	for _, p := range g.sleepers() {
		if p.Stats().Backing > 0 {
			backed = append(backed, p)
		} else {
			others = append(others, p)
		}
	}
	highestFirst := func(p, q sleeper) int { return cmp.Compare(priorityOf(q), priorityOf(p)) }
	slices.SortStableFunc(backed, highestFirst)
	slices.SortStableFunc(others, highestFirst)
	for _, p := range append(backed, others...) {
		if err := p.Wake(ctx); err != nil {
			return err
		}
	}
	return nil
}
