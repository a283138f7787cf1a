package poolimpl

import (
	"errors"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// paged is the layout of a pool whose memory is mapped by pages, to ranges of addresses.
type paged struct {
	Pages
	e      *Engine
	core   PagedCore
	since  map[uint64]time.Time // when a page was first seen free; nil without TrimPolicy.Idle
	adding bool                 // one caller is reserving another range
	moving bool                 // one caller is moving pages
	left   map[uint64]int       // places that pages have left, by address: how many streams may still be at work there
}

// place is where memory may be mapped for a request.
type place struct {
	gap  Extent // Size is 0 if no range of addresses has room
	need int64  // bytes of the gap without memory
}

// grow maps memory where the request needs the least, and more behind it, up to the usual amount. At the limit, it first returns pages that are free
// elsewhere; if no range has room, it reserves another.
func (l *paged) grow(r request) (change, error) {
	e := l.e
	if l.moving || e.limits.releasing > 0 { // those pages may be the ones that are missing
		return unchanged, poolrt.ErrLimit
	}
	p := l.place(r, LeastMemory)
	if p.gap.Size == 0 {
		return l.more(r)
	}
	if did := e.beforeGrowth(r, p.need, p.gap); did != unchanged {
		return did, nil
	}
	if n := e.beyond(p.need); n > 0 {
		if did := l.moveTo(p, r, n, false); did != unchanged {
			return did, nil
		}
	}
	if size := l.claim(r, p); size > 0 {
		return l.mapAt(r, p, size)
	}
	return l.move(r, p)
}

// place returns where memory should be mapped for a request. If that range has memory in flight that the request must not wait for, place returns a range
// without any memory, apart from free memory, instead.
func (l *paged) place(r request, by GapRule) place {
	bytes := max(r.bytes, 1)
	x := l.core.Gap(bytes, r.align, by)
	if l.mustBeApart(x, r) {
		x = l.core.Gap(bytes, r.align, Apart)
	}
	return place{x, total(l.core.Holes(x))}
}

// mustBeApart reports whether a range will not do, as the request must not wait for what is in flight there. If memory has come and did not serve the request, the
// block would have begun in front of the range, in memory in flight.
func (l *paged) mustBeApart(x Extent, r request) bool {
	s := &l.e.streams
	if len(s.inFlight) == 0 || r.waits && s.err == nil {
		return false
	}
	return r.grew || s.lastWait(x, r) > 0
}

// claim reserves bytes for growth, up to the usual amount; 0 if there is no room for what the place needs.
func (l *paged) claim(r request, p place) int64 {
	m := &l.e.memory
	want := p.need
	if !r.exact {
		want = max(want, min(m.next, m.growable(l.e.config.MaxChunk)))
	}
	return l.e.limits.claim(l.e.budget, m.Granularity, p.need, want)
}

// mapAt maps memory for claimed bytes, at a place and behind it.
func (l *paged) mapAt(r request, p place, claimed int64) (change, error) {
	e := l.e
	parts := l.missing(p.gap, claimed)
	size := total(parts)
	e.budget.Release(claimed - size) // the range of addresses ends earlier
	e.limits.growing = size
	released := e.limits.released
	if err := e.withClaim(size, func() error { return l.mapMemory(parts) }); err != nil {
		return l.notMapped(r, p, size, err, released)
	}
	l.memoryCame(parts, size)
	return grown, nil
}

// notMapped follows up a failed call of Map. If the source has no memory, all free pages elsewhere go, once; then the request asks for what it needs alone.
func (l *paged) notMapped(r request, p place, asked int64, err error, released int64) (change, error) {
	e := l.e
	did, failed := e.limits.notSupplied(r, err, released)
	if failed == nil || !errors.Is(err, poolrt.ErrOutOfMemory) {
		return did, failed
	}
	if !r.gaveAllBack && !r.prime {
		if n, _ := e.shed(e.memory.collect(order{outside: p.gap}, e.memory.atMost(poolrt.NoLimit))); n > 0 {
			return gaveAllBack, nil
		}
	}
	if asked > p.need {
		return askedTooMuch, nil
	}
	return unchanged, failed
}

// move returns free pages from elsewhere, so that the request can grow within the limit: as many as are missing where the least memory is, or else where
// the fewest pages without blocks are. The caller tries the request again, as the lock is released meanwhile.
func (l *paged) move(r request, p place) (change, error) {
	e := l.e
	if r.prime { // moving gains nothing
		return unchanged, poolrt.ErrLimit
	}
	if r.uncached && l.flush() { // blocks that the request has put aside since are cached again
		p = l.place(r, LeastMemory)
	}
	for _, by := range []GapRule{LeastMemory, LeastPages} {
		if by == LeastPages {
			p = l.place(r, by)
		}
		if p.gap.Size == 0 {
			return l.more(r)
		}
		if size := l.claim(r, p); size > 0 {
			return l.mapAt(r, p, size)
		}
		short := p.need - e.limits.room(e.budget)
		due := e.memory.collect(order{outside: p.gap}, e.memory.atLeast(short))
		if bytesOf(due) < short {
			if did := l.moveTo(p, r, short, true); did != unchanged {
				return did, nil
			}
			continue
		}
		released, err := e.shed(due)
		switch {
		case released > 0:
			return gaveBack, nil
		case err != nil:
			return unchanged, sourceError(err)
		}
	}
	if !r.uncached && l.flush() {
		return uncached, nil
	}
	return unchanged, poolrt.ErrLimit
}

// memoryCame adds pages that were mapped to the core.
func (l *paged) memoryCame(parts []Extent, size int64) {
	e := l.e
	if m := &e.memory; e.config.Double && size >= m.next {
		m.next += min(m.next, m.growable(e.config.MaxChunk)-m.next)
	}
	e.limits.add(&e.figures, size, size/l.Page)
	for _, x := range parts {
		l.insert(x.chunk())
	}
	e.figures.queueEvent(poolrt.EventGrowth, size, nil)
}

// missing lists pages without memory, up to size bytes: those of the gap, then the next ones.
func (l *paged) missing(gap Extent, size int64) (parts []Extent) {
	if size > total(l.core.Holes(gap)) {
		all := l.rangeOf(gap.Addr)
		gap.Size = all.Addr + all.Size - gap.Addr
	}
	for _, x := range l.core.Holes(gap) {
		if x.Size = min(x.Size, uint64(size)); x.Size == 0 {
			break
		}
		size -= int64(x.Size)
		parts = append(parts, x)
	}
	return parts
}

// mapMemory maps memory, and clears it if blocks must be zero. The caller does not hold e.mu.
func (l *paged) mapMemory(parts []Extent) error {
	e := l.e
	defer e.memory.meter.end(e.memory.meter.begin())
	if err := l.Map(parts); err != nil || !e.config.ZeroChunks {
		return err
	}
	for _, x := range parts {
		err := e.memory.clear(x.chunk(), int64(x.Size))
		if err == nil {
			continue
		}
		for _, y := range parts { // a page that the source refuses to take back stays mapped, and is not mapped again
			err = errors.Join(err, e.memory.Source.Free(y.chunk()))
		}
		return err
	}
	return nil
}

// remove takes pages from the core, except those on which a [SharedCore] has meanwhile handed out a block.
func (l *paged) remove(due []surplus) (chunks []Chunk) {
	var parts extents
	for _, s := range due {
		parts = append(parts, s.Extent)
	}
	parts = l.core.Vacate(l.joined(parts))
	if len(parts) == 0 {
		return nil
	}
	m := &l.e.memory
	m.next = max(m.unit, min(m.next, l.e.limits.held()-total(parts)))
	for _, x := range parts {
		chunks = append(chunks, x.chunk())
	}
	return chunks
}

// joined sorts rows of pages and joins neighbours of the same range: ranges may touch.
func (l *paged) joined(parts extents) (list extents) {
	for _, x := range parts.Join() {
		for x.Size > 0 {
			all := l.rangeOf(x.Addr)
			row := Extent{x.Addr, min(x.Size, all.Addr+all.Size-x.Addr)}
			list = append(list, row)
			x.Addr, x.Size = x.Addr+row.Size, x.Size-row.Size
		}
	}
	return list
}

// insert adds pages that have memory to the core.
func (l *paged) insert(c Chunk) {
	x := c.extent()
	l.core.Fill(x)
	l.e.fullness.noteMove()
	l.e.fullness.noteRoom()
	l.markIdle(x)
}

// emptied follows the trim policy after a free that left a page without blocks.
func (l *paged) emptied(v vacancy) {
	e, policy := l.e, l.e.life.trim.onFree()
	if policy == nil || l.Stays {
		return
	}
	if l.used() == 0 {
		l.core.Flush()
	}
	if policy.Idle > 0 {
		l.markIdle(Extent{v.addr, v.bytes})
		e.expire()
		return
	}
	_, _ = e.shedTo(policy.Keep)
}

// noteUsed forgets since when pages with blocks were free.
func (l *paged) noteUsed() { l.noteFree(l.freePages()) }

// noteEmptied notes the pages that became free.
func (l *paged) noteEmptied() {
	l.noteFree(l.freePages())
	l.e.life.idleFromNow(l.e.life.trim.Idle)
}

// flush makes the core free what it has cached. The core does not say which pages became free, so expire looks at all pages when they have been idle long
// enough.
func (l *paged) flush() bool {
	if l.since != nil {
		l.e.life.idleFromNow(l.e.life.trim.Idle)
	}
	return l.core.Flush()
}

// chunks lists the rows of pages that have memory and are not being returned.
func (l *paged) chunks() (list []Chunk) {
	for _, c := range l.e.chunks.all() {
		at, end := c.Addr, c.Addr+uint64(c.Size)
		for _, h := range append(l.without(c), Extent{Addr: end}) {
			if h.Addr > at {
				list = append(list, Extent{at, h.Addr - at}.chunk())
			}
			at = h.Addr + h.Size
		}
	}
	return list
}

// without lists the parts of a range that have no memory of their own: holes, and the places that pages have left.
func (l *paged) without(c Chunk) extents {
	list := extents(l.core.Holes(c.extent()))
	for addr := range l.left {
		if addr-c.Addr < uint64(c.Size) {
			list = append(list, Extent{addr, uint64(l.Page)})
		}
	}
	return list.Join()
}

// tidy frees the ranges of addresses that have no memory.
func (l *paged) tidy() {
	l.returnRanges()
	l.e.memory.tidySource(&l.e.activity)
}

// rows returns the rows of pages that the core has memory on, or would have if the pool were awake.
func (l *paged) rows() []Extent { return extentsOf(l.chunks()) }
