package runtime

import "slices"

// When memory is short, a stream need not wait for itself: what it freed may be cut and merged anew for its own next allocation, whatever the
// sizes. So the blocks of a lane go back to the suballocator before the stream has passed them; the place that they
// took is hot until then. An allocation that comes to lie on a hot place of its own stream is fine. Another stream is made to wait for the
// mark, by the driver and without waiting here; an allocation without a stream goes elsewhere. While anything is hot, allocations
// take the slow path.

// hotPlace is memory that a stream may still be working with, though the suballocator has it back.
type hotPlace struct {
	stream Stream
	mark   Mark
	frees  int
	ranges hotRanges
	waited []Stream // streams that wait for the mark already
}

// Hot reports whether allocations must take the slow path. Part of the fast path, under the lock.
func (e *Engine) Hot() bool { return len(e.hot) != 0 }

// absorb gives the blocks of a stream's closed epochs back to the core, as hot places. It reports whether there were any.
func (e *Engine) absorb(n *lane) bool {
	k := len(n.closed)
	if k == 0 || !e.lanes.holds(n, n.closed[k-1].number) {
		return false
	}
	last := n.closed[k-1]
	for _, older := range n.closed[:k-1] {
		e.drop(older.mark)
	}
	n.closed, n.done = nil, last.number
	h := hotPlace{stream: n.stream, mark: last.mark}
	e.warm.Store(true) // before anybody can get hold of the blocks
	h.frees = e.retireUpTo(n, last.number, func(b parkedBlock, _ uint32, _ Verdict) {
		h.ranges = append(h.ranges, Extent{b.addr, b.bytes})
	})
	h.ranges = h.ranges.joined()
	e.hot = append(e.hot, h)
	return true
}

// absorbOwn makes what a stream freed available for its own allocation.
func (e *Engine) absorbOwn(s Stream) bool {
	e.lanes.settle()
	if n := e.lanes.find(s); n == nil || e.closeEpoch(n) != nil {
		return false
	}
	n := e.lanes.find(s) // it may have moved, or gone
	return n != nil && e.absorb(n)
}

// absorbAll does so with the epochs of all streams. The allocation that profits waits for those that it needs.
func (e *Engine) absorbAll() (any bool) {
	_ = e.closeEpochs()
	for i := range e.lanes.lanes {
		any = e.absorb(&e.lanes.lanes[i]) || any
	}
	return any
}

func (h hotPlace) behind() Mark { return h.mark }

// coolDown forgets the hot places whose streams have passed, and returns how many frees that were.
func (e *Engine) coolDown() (cooled int, err error) { return retireMarked(e, &e.hot, e.cool) }

// cool forgets one hot place, and follows the pool's policy for the chunks that became empty while they were hot.
func (e *Engine) cool(at int) (frees int) {
	h := e.hot[at]
	e.hot = slices.Delete(e.hot, at, at+1)
	e.warm.Store(len(e.hot) > 0)
	e.drop(h.mark)
	e.returned(h.frees, e.leftBy(h.ranges))
	return h.frees
}

// leftBy lists the places that were hot, for the pool's policy if it has one.
func (e *Engine) leftBy(ranges hotRanges) (vacated []vacancy) {
	switch {
	case e.onFree() == nil:
	case e.paged():
		for _, x := range ranges {
			vacated = append(vacated, vacancy{0, x.Addr, x.Size})
		}
	default:
		for slot := range e.chunks.list {
			if c := &e.chunks.list[slot]; c.Size > 0 && ranges.touch(c.Addr, uint64(c.Size)) {
				vacated = append(vacated, vacancy{uint32(slot), c.Addr, uint64(c.Size)})
			}
		}
	}
	return vacated
}

// isHot reports whether a stream may be at work in a chunk whose blocks are all free.
func (e *Engine) isHot(slot uint32) bool {
	c := &e.chunks.list[slot]
	return e.hotAt(c.Addr, uint64(c.Size))
}

// hotAt reports whether a stream may be at work in a row of addresses.
func (e *Engine) hotAt(addr, bytes uint64) bool {
	return slices.ContainsFunc(e.hot, func(h hotPlace) bool { return h.ranges.touch(addr, bytes) })
}
