package poolrt

import (
	"errors"
	"fmt"
	"slices"
)

// Pool is what every generated pool is. The methods are described at each pool.
type Pool interface {
	Stats() Stats
	Trim(keep int64) (released int64, err error)
	Close() error
}

// Group is a list of pools, of any pool files and packages, that a program trims or closes together. It does not change. Its methods call those of the pools, one
// pool after the other: they are safe for concurrent use if those are, and a pool with concurrency none belongs to the goroutine that uses it.
//
// A generated package with two pools or more has the variable Pools: the group of the pools that its package functions act on.
type Group struct {
	name  string
	pools []Pool
}

// NewGroup makes a group of pools. The name stands in errors of the group itself. A nil pool is left out. The group keeps the slice, which the caller must no longer
// change.
func NewGroup(name string, pools ...Pool) *Group {
	return &Group{name, pools} // so little that the compiler lays out groups of package level, and the linker drops those that are not used
}

// all lists the pools that are not nil.
func (g *Group) all() []Pool {
	return slices.DeleteFunc(slices.Clone(g.pools), func(p Pool) bool { return p == nil })
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

// TrimAll returns empty chunks of the pools, in the order of the list, as long as they hold keep bytes together afterwards. Of a pool with device: each it trims that
// of the current device. The result is the number of bytes returned. TrimAll goes on after an error, and joins the errors. A negative keep is refused with
// [ErrBadSize]. Cost: Stats of each pool, and Trim until enough is returned.
func (g *Group) TrimAll(keep int64) (released int64, err error) {
	if keep < 0 {
		return 0, &PoolError{Pool: g.name, Op: "trim", Err: ErrBadSize, Detail: fmt.Sprintf("%d: the bytes to keep are not negative", keep)}
	}
	pools := g.all()
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
