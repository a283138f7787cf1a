package runtime

// When memory is short, a stream need not wait for itself: what it freed may be cut and merged anew for its own next allocation, whatever the
// sizes. So the blocks of a lane go back to the suballocator before the stream has passed them; the place that they
// took is hot until then. An allocation that comes to lie on a hot place of its own stream is fine. Another stream is made to wait for the
// mark, by the driver and without waiting here; an allocation without a stream goes elsewhere. While anything is hot, allocations
// take the slow path.

// hotPlace is memory that a stream may still be working with, though the suballocator has it back.
type hotPlace struct {
	stream Stream
	mark   Mark
	ranges []hotRange
	waited []Stream // streams that wait for the mark already
}

type hotRange struct{ addr, bytes uint64 }

// Hot reports whether allocations must take the slow path. Part of the fast path, under the lock.
func (e *Engine) Hot() bool { return len(e.hot) != 0 }

// absorb gives the blocks of a stream's closed epochs back to the core, as hot places. It reports whether there were any.
func (e *Engine) absorb(n *lane) bool {
	k := len(n.closed)
	if k == 0 || n.oldest == 0 || e.lanes.blocks[n.oldest].epoch > n.closed[k-1].number {
		return false
	}
	last := n.closed[k-1]
	older := n.closed[:k-1]
	n.closed, n.done = nil, last.number
	h := hotPlace{stream: n.stream, mark: last.mark}
	e.retireUpTo(n, last.number, func(addr, bytes uint64) { h.ranges = append(h.ranges, hotRange{addr, bytes}) })
	e.hot = append(e.hot, h)
	for _, o := range older {
		e.forget(o.mark)
	}
	return true
}

// absorbOwn makes what a stream freed available for its own allocation.
func (e *Engine) absorbOwn(s Stream) bool {
	e.lanes.settle()
	if e.closeEpoch(e.lanes.lane(s)) != nil {
		return false
	}
	return e.absorb(e.lanes.lane(s))
}

// absorbAll does so with the epochs of all streams. The allocation that profits waits for those that it needs.
func (e *Engine) absorbAll() (any bool) {
	_ = e.closeEpochs()
	for i := 0; i < len(e.lanes.lanes); i++ {
		any = e.absorb(&e.lanes.lanes[i]) || any
	}
	return any
}

// coolDown forgets the hot places whose streams have passed.
func (e *Engine) coolDown() error {
	for i := 0; i < len(e.hot); {
		mark := e.hot[i].mark
		done, err := e.isDone(mark)
		if err != nil {
			return err
		}
		if i >= len(e.hot) || e.hot[i].mark != mark {
			continue
		}
		if !done {
			i++
			continue
		}
		ranges := e.hot[i].ranges
		e.hot = append(e.hot[:i], e.hot[i+1:]...)
		e.forget(mark)
		e.settleEmptied(ranges)
		e.advance()
	}
	return nil
}

// settleEmptied follows the pool's policy for the chunks that became empty while they were hot.
func (e *Engine) settleEmptied(ranges []hotRange) {
	if e.config.Trim == nil {
		return
	}
	for _, x := range ranges {
		for slot := range e.chunks.list {
			if c := &e.chunks.list[slot]; x.addr-c.Addr < uint64(c.Size) {
				e.emptied(uint32(slot))
			}
		}
	}
}

// hotTries bounds how many hot blocks are put aside in search of one that is not.
const hotTries = 1 << 12

// tryHot is try while places are hot: it takes a block that lies on none but the stream's own, or, failing that,
// makes the stream wait.
func (e *Engine) tryHot(r request) (Block, bool) {
	var aside []Block
	defer func() {
		for _, b := range aside {
			e.parking.Undo(b.Addr, r.bytes)
		}
	}()
	for len(aside) < hotTries {
		b, ok := e.tryCore(r)
		if !ok {
			break
		}
		if !e.mustWait(b, r) {
			return b, true
		}
		aside = append(aside, b)
	}
	if r.stream == nil || len(aside) == 0 {
		return Block{}, false
	}
	b := aside[0]
	aside = aside[1:]
	if e.waitFor(b, r) != nil {
		aside = append(aside, b)
		return Block{}, false
	}
	return b, true
}

// mustWait reports whether a block lies on a place that is hot for the request.
func (e *Engine) mustWait(b Block, r request) bool {
	for i := range e.hot {
		if e.hot[i].concerns(b, r) {
			return true
		}
	}
	return false
}

// concerns reports whether the block overlaps the place and the request is not ordered behind its mark.
func (h *hotPlace) concerns(b Block, r request) bool {
	if r.stream != nil {
		if h.stream == *r.stream {
			return false
		}
		for _, s := range h.waited {
			if s == *r.stream {
				return false
			}
		}
	}
	for _, x := range h.ranges {
		if b.Addr < x.addr+x.bytes && x.addr < b.Addr+max(r.bytes, 1) {
			return true
		}
	}
	return false
}

// waitFor makes the request's stream wait for each mark that the block needs. The block is the caller's meanwhile, so nobody else gets it.
func (e *Engine) waitFor(b Block, r request) error {
	for i := 0; i < len(e.hot); i++ {
		if !e.hot[i].concerns(b, r) {
			continue
		}
		mark := e.hot[i].mark
		var err error
		e.outside(func() { err = e.memory.Timeline.Wait(*r.stream, mark) })
		if err != nil {
			return err
		}
		if i < len(e.hot) && e.hot[i].mark == mark {
			e.hot[i].waited = append(e.hot[i].waited, *r.stream)
		} else {
			i = -1 // places have cooled down meanwhile: look again
		}
	}
	return nil
}

// isHot reports whether a stream may be at work in a chunk whose blocks are all free.
func (e *Engine) isHot(slot uint32) bool {
	for i := range e.hot {
		c := &e.chunks.list[slot]
		for _, x := range e.hot[i].ranges {
			if x.addr-c.Addr < uint64(c.Size) {
				return true
			}
		}
	}
	return false
}
