package poolimpl

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// The addresses of a pool of pages are a few ranges. Each is a chunk of the table, in a slot of its own, whether it has memory or not; a block lies in one
// of them. Addresses cost no memory, so the pool reserves more of them than it may have memory: free pages can then be used wherever the live blocks lie.

// NoAddresses is the error of a request, or of a pool that is opened, for which there may be memory, but no row of addresses.
type NoAddresses struct {
	Need  int64 // bytes in a row
	Cause error
	First bool // the pool has none so far
}

func (n *NoAddresses) Error() string {
	return fmt.Sprintf("addresses, not memory: no %d bytes in a row are left: %v", n.Need, n.Cause)
}

func (n *NoAddresses) Unwrap() []error { return []error{poolrt.ErrOutOfMemory, n.Cause} }

// ErrOneRange says why a pool does not reserve more addresses.
var ErrOneRange = errors.New("the pool has one range of addresses, which other processes may share")

// enter adds a range of addresses without memory.
func (l *paged) enter(x Extent) {
	slot := l.e.chunks.put(x.chunk())
	l.core.Reserve(slot, x.Addr, x.Size, uint64(l.Page))
}

// rangeOf returns the range that an address lies in.
func (l *paged) rangeOf(addr uint64) Extent {
	slot, _ := l.e.chunks.find(addr)
	c := l.e.chunks.at(slot)
	return c.extent()
}

// used returns the bytes that live and pending blocks take up.
func (l *paged) used() (n uint64) {
	for slot := range l.e.chunks.all() {
		n += l.core.Used(slot)
	}
	return n
}

// needs returns the bytes of pages in a row.
func (l *paged) needs(r request, chunk int64) int64 {
	if chunk == poolrt.NoLimit {
		return chunk
	}
	return l.row(r)
}

// row returns how many bytes of addresses in a row are sure to hold the request, in whole pages.
func (l *paged) row(r request) int64 {
	return roundUp(int64(max(r.bytes, 1))+max(int64(r.align), l.Page)-l.Page, l.Page)
}

// more reserves another range of addresses, if there is memory for the request. The lock is released meanwhile. The caller tries the request again.
func (l *paged) more(r request) (change, error) {
	e, need := l.e, l.row(r)
	free := bytesOf(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit)))
	if l.mayMove(r) {
		free = total(l.core.FreePages())
	}
	if need > e.limits.room(e.budget)+free {
		return unchanged, poolrt.ErrLimit
	}
	if l.adding { // the other caller's range may serve this request, too
		return unchanged, poolrt.ErrLimit
	}
	x, err := l.reserve(need)
	if err != nil && l.returnRanges() > 0 {
		x, err = l.reserve(need)
	}
	if err != nil && !r.gaveAllBack { // so that more ranges are empty
		if n, _ := e.shed(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit))); n > 0 {
			return gaveAllBack, nil
		}
	}
	if err != nil {
		return unchanged, &causedBy{poolrt.ErrOutOfMemory, &NoAddresses{Need: need, Cause: err}}
	}
	l.enter(x)
	return reserved, nil
}

// reserve obtains a range of addresses from the source. The lock is released meanwhile.
func (l *paged) reserve(bytes int64) (x Extent, err error) {
	if l.More == nil {
		return Extent{}, ErrOneRange
	}
	l.adding, err = true, errPanic
	defer func() { l.adding = false }()
	l.e.activity.visit(func() { x, err = l.More(bytes) })
	return x, err
}

// returnRanges frees the ranges without memory, except the first, and returns how many there were. The lock is released meanwhile. What the source refuses
// to take back goes when the pool is closed. Ranges where memory may be about to come stay: others are mapping pages, or failing to unmap some.
func (l *paged) returnRanges() int {
	if l.moving || l.e.limits.growing > 0 || l.e.limits.releasing > 0 {
		return 0
	}
	var empty []Extent
	for slot, c := range l.e.chunks.all() {
		x := c.extent()
		if holes := l.core.Holes(x); x != l.First && len(holes) == 1 && holes[0] == x {
			l.core.Remove(slot)
			l.e.chunks.drop(slot)
			empty = append(empty, x)
		}
	}
	if len(empty) > 0 {
		l.e.activity.visit(func() {
			for _, x := range empty {
				_ = l.Less(x)
			}
		})
	}
	return len(empty)
}

// mayMove reports whether pages in flight may move for a request.
func (l *paged) mayMove(r request) bool {
	s := &l.e.streams
	return r.waits && !r.moved && s.err == nil && len(s.inFlight) > 0 && l.Move != nil && !l.Stays && l.e.core.moving != nil
}
