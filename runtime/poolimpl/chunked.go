package poolimpl

import (
	"iter"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// chunked is the layout of a pool whose memory comes as chunks, each in a slot of its own.
type chunked struct{ e *Engine }

// grow adds a chunk that is sure to serve the request.
func (l chunked) grow(r request) (refused bool, err error) {
	e := l.e
	need, want := e.chunkSizes(r)
	if trimmed, refused := e.trimBeforeGrowth(r, want, Extent{}); trimmed {
		return refused, nil
	}
	size := e.limits.claim(e.config.Budget, e.memory.Granularity, need, want)
	if size == 0 {
		return false, poolrt.ErrLimit
	}
	released := e.limits.released
	c, err := e.fetch(size, max(int64(r.align), e.config.Alignment))
	if err != nil {
		return false, e.limits.notSupplied(r, err, released)
	}
	if e.config.Double && size == e.memory.next {
		e.memory.next += min(size, e.memory.growable(e.config.MaxChunk)-size)
	}
	e.addReserved(size, 1)
	l.insert(c)
	e.queueEvent(poolrt.EventGrowth, size, nil)
	return false, nil
}

// surplus yields the empty chunks.
func (l chunked) surplus(o order) iter.Seq[surplus] {
	if o.fit > 0 {
		return l.bestFit(o.fit)
	}
	return func(yield func(surplus) bool) {
		for slot := len(l.e.chunks.hot) - 1; slot >= 0; slot-- {
			if l.empty(uint32(slot)) && !yield(l.at(uint32(slot))) {
				return
			}
		}
	}
}

// bestFit yields empty chunks until they come to n bytes, or to all: the largest ones and, for what is then missing, the smallest that does. Cost: a
// look at each chunk at most, which is little beside giving a chunk back.
func (l chunked) bestFit(n int64) iter.Seq[surplus] {
	return func(yield func(surplus) bool) {
		smaller := l.e.chunks.bySize
		for missing := n; missing > 0; {
			at := l.nearest(smaller, missing)
			if at < 0 {
				return
			}
			s := l.at(smaller[at])
			if !yield(s) {
				return
			}
			missing -= int64(s.Size)
			smaller = smaller[:at] // the chunks behind it have been yielded, or are not empty
		}
	}
}

// nearest returns the place of the smallest empty chunk of at least n bytes, or of the largest if there is none; -1 if no chunk is empty.
func (l chunked) nearest(bySize []uint32, n int64) int {
	from := min(l.e.chunks.searchSize(n, 0), len(bySize))
	if k := slices.IndexFunc(bySize[from:], l.empty); k >= 0 {
		return from + k
	}
	for at, slot := range slices.Backward(bySize[:from]) {
		if l.empty(slot) {
			return at
		}
	}
	return -1
}

// empty reports whether a slot has a chunk that may go: without live blocks, not in flight and not shared.
func (l chunked) empty(slot uint32) bool {
	e := l.e
	if !e.chunks.holds(slot) || e.core.Used(slot) != 0 {
		return false
	}
	c := &e.chunks.hot[slot]
	return !e.streams.inFlightAt(c.Addr, uint64(c.Size)) && e.chunks.cold[slot].shares == 0
}

// at is a chunk as surplus.
func (l chunked) at(slot uint32) surplus {
	c := &l.e.chunks.hot[slot]
	return surplus{slot: slot, Extent: Extent{c.Addr, uint64(c.Size)}, since: l.e.chunks.cold[slot].emptied}
}

// remove takes chunks from the core, save for those that a [SharedCore] has handed a block of by now.
func (l chunked) remove(due []surplus) (chunks []Chunk) {
	for _, s := range due {
		if c, ok := l.evict(s.slot); ok {
			chunks = append(chunks, c)
		}
	}
	if len(chunks) > 0 {
		l.capNext()
	}
	return chunks
}

// evict takes one chunk from the core.
func (l chunked) evict(slot uint32) (c Chunk, ok bool) {
	core := &l.e.core
	if core.shared == nil {
		core.Remove(slot)
	} else if !core.shared.Evict(slot) {
		return Chunk{}, false
	}
	return l.e.chunks.drop(slot), true
}

// restart makes all chunks as new ones, and reports whether that was so: it stops at one that has a live block.
func (l chunked) restart() bool {
	for slot := range l.e.chunks.all() {
		c, ok := l.evict(slot)
		if !ok {
			return false
		}
		l.insert(c)
	}
	return true
}

// capNext makes the next chunk no more than twice the largest that is left. Otherwise a pool whose load comes and goes would ask for more each time.
func (l chunked) capNext() {
	m := &l.e.memory
	if m.next <= m.unit {
		return
	}
	var largest int64
	for _, c := range l.e.chunks.all() {
		largest = max(largest, c.Size)
	}
	if largest < m.next/2 {
		m.next = max(m.unit, 2*largest)
	}
}

// insert gives a chunk to the core.
func (l chunked) insert(c Chunk) {
	slot := l.e.chunks.put(c)
	l.e.core.Add(slot, c.Addr, uint64(c.Size))
	if l.e.config.Trim.delays() {
		l.markIdle(slot)
	}
}

// markIdle notes that a chunk is empty from now on.
func (l chunked) markIdle(slot uint32) {
	l.e.chunks.cold[slot].emptied = l.e.life.idleFromNow(l.e.config.Trim.Idle)
}

// emptied follows the trim policy. Without a policy, a chunk is one block, and goes with it.
func (l chunked) emptied(v vacancy) {
	e, policy := l.e, l.e.config.Trim.onFree()
	if policy != nil && policy.Idle == 0 && e.limits.held()-e.chunks.hot[v.slot].Size < policy.Keep {
		return // the chunk stays, empty or not: to find that out may take a while
	}
	if e.memory.Source == nil || !l.empty(v.slot) { // numbers stay; and the chunk may have been used again meanwhile
		return
	}
	if policy != nil && policy.Idle > 0 {
		l.markIdle(v.slot)
		e.expire()
		return
	}
	if c, ok := l.evict(v.slot); ok {
		l.capNext()
		_, _ = e.release([]Chunk{c}, l.insert)
	}
}

// flush has nothing to do: what a core caches in a chunk goes with the chunk.
func (l chunked) flush() bool { return false }

// chunks lists the chunks of the table.
func (l chunked) chunks() (list []Chunk) {
	for _, c := range l.e.chunks.all() {
		list = append(list, c)
	}
	return list
}
