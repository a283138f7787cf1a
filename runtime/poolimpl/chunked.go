package poolimpl

import (
	"errors"
	"iter"
	"slices"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// chunked is the layout of a pool whose memory comes as chunks, each in its own slot.
type chunked struct{ e *Engine }

// grow adds a chunk that is sure to serve the request.
func (l chunked) grow(r request) (change, error) {
	e := l.e
	l.planRange()
	need, want := e.chunkSizes(r)
	if r.exact {
		want = need
	}
	if did := e.beforeGrowth(r, want, Extent{}); did != unchanged {
		return did, nil
	}
	size := e.limits.claim(e.budget, e.memory.Granularity, need, want)
	if size == 0 {
		return unchanged, poolrt.ErrLimit
	}
	released := e.limits.released
	align := max(int64(r.align), e.config.Alignment)
	c, err := l.fetch(size, align)
	if err != nil {
		did, failed := e.limits.notSupplied(r, err, released)
		noRange := e.config.OneRange && !e.memory.single && e.memory.places.refused // one chunk will do
		if failed != nil && (size > need || noRange) && errors.Is(err, poolrt.ErrOutOfMemory) {
			return askedTooMuch, nil
		}
		return did, failed
	}
	if e.config.Double && size == e.memory.next {
		e.memory.next += min(size, e.memory.growable(e.config.MaxChunk)-size)
	}
	e.limits.add(&e.figures, size, 1)
	l.add(c, e.memory.Clean)
	e.figures.queueEvent(poolrt.EventGrowth, size, nil)
	return grown, nil
}

// planRange plans the range of a pool that has had no chunk yet. A pool whose blocks have to lie in one range has a single chunk if there is none. The caller holds
// e.mu.
func (l chunked) planRange() {
	e := l.e
	m, r := &e.memory, &e.memory.places
	if e.core.ranged == nil || len(e.chunks.hot) > 0 || r.room.Size > 0 {
		return
	}
	r.addresses = nil
	most := min(e.config.maxLimit(), mostRange)
	if !r.refused {
		r.plan(m.addresses(), int64(e.core.ranged.Step()), m.unit, max(e.config.Alignment, m.Granularity), most)
	}
	if e.config.OneRange && (r.addresses == nil || r.size < most) {
		r.addresses, m.single, m.unit = nil, true, roundUp(most, m.Granularity)
		m.next = m.unit
	}
}

// fetch obtains the claimed chunk: in the range, or where the source has it.
func (l chunked) fetch(size, align int64) (Chunk, error) {
	e := l.e
	source := e.memory.Source
	if _, ok := source.(interface{ addresses() addresses }); !ok || e.memory.places.addresses == nil {
		return e.fetch(source.Alloc, size, align)
	}
	return e.fetch(func(size, align int64) (Chunk, error) {
		c, err := e.memory.places.alloc(size, align)
		switch {
		case err != nil || c.Size != 0:
			return c, err
		case e.config.OneRange:
			return c, &causedBy{poolrt.ErrOutOfMemory, errors.New("no addresses could be reserved")}
		}
		return source.Alloc(size, align)
	}, size, align)
}

// enterRange makes the range known to the core, before it gets its first chunk.
func (l chunked) enterRange() {
	e := l.e
	r := &e.memory.places
	if r.room.Size == 0 || r.entered {
		return
	}
	r.entered = true
	entries := unsafe.Slice((*uint32)(r.entries.Ptr), r.size/r.unit)
	e.core.ranged.Range(e.chunks.putRange(r.room), r.room.Addr, uint64(r.step), entries)
}

// surplus yields the empty chunks.
func (l chunked) surplus(o order) iter.Seq[surplus] {
	if l.e.core.noneEmpty() {
		return func(func(surplus) bool) {}
	} else if o.fit > 0 {
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

// bestFit yields empty chunks until they add up to n bytes or all have been yielded: the largest ones and, for what is then missing, the smallest that
// suffices. Cost: at most a look at each chunk, which is little beside returning a chunk.
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
			smaller = smaller[:at] // the chunks behind it were yielded or are not empty
		}
	}
}

// nearest returns the index of the smallest empty chunk of at least n bytes, or of the largest if there is none; -1 if no chunk is empty.
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

// anyEmpty reports whether a chunk may be returned.
func (l chunked) anyEmpty() bool {
	if l.e.core.noneEmpty() {
		return false
	}
	for slot := range l.e.chunks.hot {
		if l.empty(uint32(slot)) {
			return true
		}
	}
	return false
}

// empty reports whether a slot has a chunk that may be returned: it has no live block, is not in flight, and is not shared.
func (l chunked) empty(slot uint32) bool {
	e := l.e
	if !e.chunks.holds(slot) || e.core.Used(slot) != 0 {
		return false
	}
	c := &e.chunks.hot[slot]
	return !e.streams.inFlightAt(c.Addr, uint64(c.Size)) && e.chunks.cold[slot].shares == 0
}

// at returns the chunk in a slot as surplus.
func (l chunked) at(slot uint32) surplus {
	c := &l.e.chunks.hot[slot]
	return surplus{slot: slot, Extent: c.extent(), since: l.e.chunks.cold[slot].emptied}
}

// remove takes chunks from the core, except those of which a [SharedCore] has meanwhile handed out a block.
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

// evict takes one chunk from the core and from the table. It fails if a [SharedCore] has meanwhile handed out a block of the chunk.
func (l chunked) evict(slot uint32) (c Chunk, ok bool) {
	core := &l.e.core
	if core.shared == nil {
		core.Remove(slot)
	} else if !core.shared.Evict(slot) {
		return Chunk{}, false
	}
	if l.e.config.ZeroAlways {
		l.e.clearing.chunks.Remove(slot)
	}
	return l.e.chunks.drop(slot), true
}

// restart removes each chunk from the core and adds it again, empty. It stops at a chunk with a live block and then reports false.
func (l chunked) restart() bool {
	for slot, c := range l.e.chunks.all() {
		if !l.e.core.shared.Evict(slot) {
			return false
		}
		l.enter(slot, c)
	}
	return true
}

// capNext bounds the size of the next chunk by twice the largest chunk that is left. Otherwise a pool that grows and shrinks repeatedly would request a
// larger chunk each time.
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

// insert adds a chunk to the table and to the core, which had it before.
func (l chunked) insert(c Chunk) { l.add(c, false) }

// add adds a chunk. fresh: it is zero, and nothing of it was handed out.
func (l chunked) add(c Chunk, fresh bool) {
	l.enterRange()
	slot := l.e.chunks.put(c)
	if l.e.config.ZeroAlways {
		l.e.clearing.come(slot, c, fresh)
	}
	l.enter(slot, c)
}

// enter adds a chunk of the table to the core.
func (l chunked) enter(slot uint32, c Chunk) {
	l.e.core.Add(slot, c.Addr, uint64(c.Size))
	l.e.fullness.noteMove()
	l.e.fullness.noteRoom()
	if l.e.life.trim.delays() {
		l.markIdle(slot)
	}
}

// markIdle notes that a chunk is empty from now on.
func (l chunked) markIdle(slot uint32) {
	l.e.chunks.cold[slot].emptied = l.e.life.idleFromNow(l.e.life.trim.Idle)
}

// emptied follows the trim policy. A chunk that is a single block is returned with it.
func (l chunked) emptied(v vacancy) {
	e, policy := l.e, l.e.life.trim.onFree()
	if policy == nil && !e.config.Direct {
		return
	}
	if policy != nil && policy.Idle == 0 && e.limits.held()-e.chunks.hot[v.slot].Size < policy.Keep {
		return // the chunk stays in any case, and whether it is empty may be costly to find out
	}
	if e.memory.Source == nil || !l.empty(v.slot) { // numbers stay; and the chunk may have a block again
		return
	}
	if policy != nil && policy.Idle > 0 {
		l.markIdle(v.slot)
		e.expire()
		return
	}
	if c, ok := l.evict(v.slot); ok {
		l.capNext()
		_, _ = e.release(poolrt.EventTrim, []Chunk{c}, l.insert)
	}
}

// noteUsed forgets since when chunks with live blocks were empty.
func (l chunked) noteUsed() {
	e := l.e
	for slot := range e.chunks.all() {
		if e.core.Used(slot) > 0 {
			e.chunks.cold[slot].emptied = time.Time{}
		}
	}
}

// noteEmptied notes the chunks that became empty.
func (l chunked) noteEmptied() {
	for s := range l.surplus(lastFirst) {
		if s.since.IsZero() {
			l.markIdle(s.slot)
		}
	}
}

// flush does nothing: what a core caches in a chunk is returned with the chunk.
func (l chunked) flush() bool { return false }

// chunks lists the chunks of the table.
func (l chunked) chunks() (list []Chunk) {
	for _, c := range l.e.chunks.all() {
		list = append(list, c)
	}
	return list
}

// needs returns the bytes of the chunk.
func (l chunked) needs(_ request, chunk int64) int64 { return chunk }

// passed does nothing: a chunk stays where it is.
func (l chunked) passed(*inFlight, mark) {}

// tidy makes the source free addresses without memory.
func (l chunked) tidy() { l.e.memory.tidySource(&l.e.activity) }
