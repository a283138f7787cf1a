package poolimpl

import (
	"errors"
	"fmt"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// paged is the layout of a pool whose memory is mapped by pages. A single chunk, in slot 0, stands for all addresses.
type paged struct {
	Pages
	e     *Engine
	core  PagedCore
	since map[uint64]time.Time // when a page was first seen free; nil without TrimPolicy.Idle
}

// newPaged makes the addresses the pool's only chunk, without memory.
func newPaged(e *Engine, p *Pages) *paged {
	l := &paged{Pages: *p, e: e, core: e.core.paged}
	if e.config.Trim.delays() {
		l.since = map[uint64]time.Time{}
	}
	slot := e.chunks.put(Chunk{Addr: p.Base, Size: p.Size})
	l.core.Reserve(slot, p.Base, uint64(p.Size), uint64(p.Page))
	return l
}

// grow maps memory where the request needs the least, and more behind it, up to the usual amount. At the limit, it first returns pages that are free
// elsewhere.
func (l *paged) grow(r *request) error {
	e := l.e
	if e.limits.releasing > 0 { // those pages may be the ones that are missing
		return poolrt.ErrLimit
	}
	gap := l.gap(*r)
	if gap.Size == 0 {
		return l.noRoom(*r)
	}
	need := total(l.core.Holes(gap))
	if e.madeDo(r, need, gap) {
		return nil
	}
	size := e.limits.claim(e.config.Budget, e.memory.Granularity, need, max(need, min(e.memory.next, e.memory.growable(e.config.MaxChunk))))
	if size == 0 {
		return l.makeRoom(need, gap)
	}
	parts := l.missing(gap, size)
	size, given := total(parts), size
	e.config.Budget.release(given - size) // the range of addresses ends earlier
	e.limits.growing = size
	released := e.limits.released
	if err := e.withClaim(size, func() error { return l.mapMemory(parts) }); err != nil {
		return e.limits.notSupplied(*r, err, released)
	}
	l.memoryCame(parts, size)
	return nil
}

// memoryCame adds pages that were mapped to the core.
func (l *paged) memoryCame(parts []Extent, size int64) {
	e := l.e
	if m := &e.memory; e.config.Double && size >= m.next {
		m.next += min(m.next, m.growable(e.config.MaxChunk)-m.next)
	}
	e.addReserved(size, size/l.Page)
	for _, x := range parts {
		l.insert(x.chunk())
	}
	e.queueEvent(poolrt.EventGrowth, size, nil)
}

// gap returns the range where memory should be mapped for a request. If that range has memory in flight that the request cannot wait for, gap returns a range
// without any memory, apart from free memory, instead.
func (l *paged) gap(r request) Extent {
	x := l.core.Gap(max(r.bytes, 1), r.align, false)
	if (!r.waits || l.e.streams.err != nil) && len(l.e.streams.waitsFor(x, r)) > 0 {
		return l.core.Gap(max(r.bytes, 1), r.align, true)
	}
	return x
}

// noRoom returns why no range of addresses has room: blocks are in the way, or no free could help.
func (l *paged) noRoom(r request) error {
	if l.e.limits.limit < poolrt.NoLimit && (l.core.Used(0) > 0 || len(l.e.streams.inFlight) > 0) {
		return poolrt.ErrLimit
	}
	return &causedBy{poolrt.ErrOutOfMemory, fmt.Errorf("no %d bytes in a row are left of the reservation", r.bytes)}
}

// missing lists pages without memory, up to size bytes: those of the gap, then the next ones.
func (l *paged) missing(gap Extent, size int64) (parts []Extent) {
	if size > total(l.core.Holes(gap)) {
		gap.Size = l.Base + uint64(l.Size) - gap.Addr
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

// makeRoom returns free pages outside the gap, so that need bytes may be mapped in the gap. It returns nil if the pool may grow now.
func (l *paged) makeRoom(need int64, gap Extent) error {
	e := l.e
	short := need - e.limits.room(e.config.Budget)
	due := e.memory.collect(order{outside: gap}, e.memory.atLeast(short))
	if bytesOf(due) < short || need > min(e.limits.bound, e.config.Budget.Limit()) {
		return poolrt.ErrLimit
	}
	if released, err := e.shed(due); released == 0 {
		if err != nil {
			return sourceError(err)
		}
		return poolrt.ErrLimit
	}
	return nil
}

// remove takes pages from the core.
func (l *paged) remove(due []surplus) (chunks []Chunk) {
	var parts extents
	for _, s := range due {
		parts = append(parts, s.Extent)
	}
	parts = parts.Join()
	l.core.Vacate(parts)
	m := &l.e.memory
	m.next = max(m.unit, min(m.next, l.e.limits.held()-total(parts)))
	for _, x := range parts {
		chunks = append(chunks, x.chunk())
	}
	return chunks
}

// insert adds pages that have memory to the core.
func (l *paged) insert(c Chunk) {
	x := Extent{c.Addr, uint64(c.Size)}
	l.core.Fill(x)
	l.markIdle(x)
}

// emptied follows the trim policy after a free that left a page without blocks.
func (l *paged) emptied(v vacancy) {
	e, policy := l.e, l.e.config.Trim.onFree()
	if policy == nil || l.Stays {
		return
	}
	if l.core.Used(0) == 0 {
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
	l.e.life.idleFromNow(l.e.config.Trim.Idle)
}

// flush makes the core free what it has cached. The core does not say which pages became free, so expire looks at all pages when they have been idle long
// enough.
func (l *paged) flush() bool {
	if l.since != nil {
		l.e.life.idleFromNow(l.e.config.Trim.Idle)
	}
	return l.core.Flush()
}

// chunks lists the ranges of pages that have memory and are not being returned.
func (l *paged) chunks() (list []Chunk) {
	all := Extent{l.Base, uint64(l.Size)}
	at, end := l.Base, l.Base+uint64(l.Size)
	for _, h := range append(l.core.Holes(all), Extent{Addr: end}) {
		if h.Addr > at {
			list = append(list, Extent{at, h.Addr - at}.chunk())
		}
		at = h.Addr + h.Size
	}
	return list
}
