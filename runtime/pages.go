package runtime

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Pages is address space that a source has reserved for a pool once and for all, and to which memory is mapped by pages. Unmapping is
// the source's Free, with any row of pages for a chunk.
type Pages struct {
	Base uint64
	Size int64 // a multiple of Page
	Page int64
	// Map maps memory to all of these rows of pages, or to none. Pages that it could not rid of memory before keep that.
	Map func([]Extent) error
	// Stays: what was mapped is not unmapped before the pool is closed.
	Stays bool
}

// paging is the part of an engine whose pool has pages. Its core has one chunk, in slot 0, for all addresses.
type paging struct {
	Pages
	core PagedCore            // nil: the pool has chunks
	free map[uint64]time.Time // pages that were seen free, for TrimPolicy.Idle
}

// paged reports whether memory comes by pages.
func (e *Engine) paged() bool { return e.memory.pages.core != nil }

// reserveRange makes the addresses the pool's only chunk.
func (e *Engine) reserveRange(p *Pages) {
	e.memory.pages = paging{Pages: *p, core: e.core.paged, free: map[uint64]time.Time{}}
	slot := e.chunks.put(Chunk{Addr: p.Base, Size: p.Size})
	e.bases = append(e.bases[:slot], nil)
	e.memory.pages.core.Reserve(slot, p.Base, uint64(p.Size), uint64(p.Page))
}

// releaseRange undoes lay, for a pool that has no memory left.
func (e *Engine) releaseRange() {
	if !e.paged() {
		return
	}
	if e.chunks.holds(0) { // else the pool is closed
		e.core.Remove(0)
		e.chunks.drop(0)
	}
	e.memory.pages = paging{}
}

// growPages has memory come where the request needs the least, and more behind it, up to the usual amount. At the limit, pages that are
// free elsewhere go first.
func (e *Engine) growPages(r *request) error {
	if e.limits.releasing > 0 { // those pages may be what is missing
		return ErrLimit
	}
	gap := e.gap(*r)
	if gap.Size == 0 {
		return e.noRoom(*r)
	}
	need := total(e.memory.pages.core.Holes(gap))
	if e.trimPagesBeforeGrowth(r, gap, need) {
		return nil
	}
	size := e.ask(need, max(need, min(e.memory.next, e.growable())))
	if size == 0 {
		return e.makeRoom(need, gap)
	}
	parts := e.missing(gap, size)
	size, given := total(parts), size
	e.config.Budget.release(given - size) // the addresses end before
	e.limits.growing = size
	released := e.limits.released
	if err := e.withClaim(size, func() error { return e.mapPages(parts) }); err != nil {
		return e.notSupplied(r, err, released)
	}
	if e.config.Double && size >= e.memory.next {
		e.memory.next += min(e.memory.next, e.growable()-e.memory.next)
	}
	e.addReserved(size, size/e.memory.pages.Page)
	for _, x := range parts {
		e.admitPages(x)
	}
	e.queueEvent(EventGrowth, size, nil)
	return nil
}

// gap returns where memory should come for a request. One that cannot wait for streams has no use for what comes beside hot memory: its block
// would lie on both.
func (e *Engine) gap(r request) Extent {
	x := e.memory.pages.core.Gap(max(r.bytes, 1), r.align, false)
	if (r.stream == nil || e.streams.err != nil) && e.streams.inFlightAt(x.Addr, x.Size) {
		return e.memory.pages.core.Gap(max(r.bytes, 1), r.align, true)
	}
	return x
}

// noRoom is why there is no room among the addresses: blocks are in the way, or no free could help.
func (e *Engine) noRoom(r request) error {
	if e.limits.limit < NoLimit && (e.core.Used(0) > 0 || len(e.streams.inFlight) > 0) {
		return ErrLimit
	}
	return &causedBy{ErrOutOfMemory, fmt.Errorf("no %d bytes in a row are left of the reservation", r.bytes)}
}

// missing lists pages without memory, up to a number of bytes: those of the gap, then the next ones.
func (e *Engine) missing(gap Extent, size int64) (parts []Extent) {
	if size > total(e.memory.pages.core.Holes(gap)) {
		gap.Size = e.memory.pages.Base + uint64(e.memory.pages.Size) - gap.Addr
	}
	for _, x := range e.memory.pages.core.Holes(gap) {
		if x.Size = min(x.Size, uint64(size)); x.Size == 0 {
			break
		}
		size -= int64(x.Size)
		parts = append(parts, x)
	}
	return parts
}

// mapPages gets memory, cleared where blocks must be.
func (e *Engine) mapPages(parts []Extent) error {
	defer e.figures.meter.end(e.figures.meter.begin())
	if err := e.memory.pages.Map(parts); err != nil || !e.config.ZeroChunks {
		return err
	}
	for _, x := range parts {
		err := e.zero(x.chunk(), int64(x.Size))
		if err == nil {
			continue
		}
		for _, y := range parts { // what the source does not take, it does not map anew the next time
			err = errors.Join(err, e.memory.Source.Free(y.chunk()))
		}
		return err
	}
	return nil
}

// admitPages gives memory that has come to the core.
func (e *Engine) admitPages(x Extent) {
	e.memory.pages.core.Fill(x)
	e.markPagesIdle(x)
}

// makeRoom gives pages back that are free, but of no use where the request needs them, so that as many may come there. It reports success if
// the pool may grow now.
func (e *Engine) makeRoom(need int64, gap Extent) error {
	short := need - min(e.limits.bound-e.limits.reserved, e.config.Budget.available())
	due, short := e.freePagesOutside(gap, short)
	if short > 0 || need > min(e.limits.bound, e.config.Budget.Limit()) {
		return ErrLimit
	}
	if released, err := e.unmap(due); released == 0 {
		if err != nil {
			return sourceError(err)
		}
		return ErrLimit
	}
	return nil
}

// freePagesOutside lists pages outside a gap that are free, as many as n bytes need, in descending order, and returns what they do not come to of n.
func (e *Engine) freePagesOutside(gap Extent, n int64) (due []Extent, short int64) {
	for _, x := range slices.Backward(e.freePages()) {
		for _, part := range slices.Backward(x.without(gap)) {
			due, n = takeTail(due, part, n, e.memory.pages.Page)
		}
	}
	return due, n
}

// chunk is a row of pages as the source sees it.
func (x Extent) chunk() Chunk { return Chunk{Addr: x.Addr, Size: int64(x.Size)} }

// without returns what is left of a row outside another.
func (x Extent) without(y Extent) (rest []Extent) {
	end := x.Addr + x.Size
	if head := min(end, y.Addr); head > x.Addr {
		rest = append(rest, Extent{x.Addr, head - x.Addr})
	}
	if tail := max(x.Addr, y.Addr+y.Size); tail < end {
		rest = append(rest, Extent{tail, end - tail})
	}
	return rest
}

func total(list []Extent) (n int64) {
	for _, x := range list {
		n += int64(x.Size)
	}
	return n
}
