package poolimpl

import (
	"iter"
	"slices"
	"time"
)

// Pages are ranges of addresses that a source has reserved for a pool, and to which memory is mapped by pages. The source's Free unmaps any range of pages.
// Map, More and Less are called without the pool's lock, More by one goroutine of a pool at a time.
type Pages struct {
	First Extent // the first range, which stays until the pool is closed
	Page  int64  // every range is a whole number of pages
	// Map maps memory to all of these pages, which lie in one range, or to none. A page whose memory the source refused to take back keeps that memory.
	Map func([]Extent) error
	// Move maps the memory of pages at other places as well, which lie in one range, or none of it. From then on the memory is that of the new places. A stream may
	// still use it at the earlier ones, so these mappings end later: before memory is mapped there again, and before the memory is returned. nil: no page moves
	// while a stream may be using it.
	Move func([]PageMove) error
	// More reserves another range, of so many bytes or more. Its error says how many addresses there are. nil: there is only one range.
	More func(bytes int64) (Extent, error)
	// Less frees a range without memory. After an error the addresses cannot be used, and go when the pool is closed.
	Less func(Extent) error
	// Sleeper saves contents of pages, so that the memory of pages with blocks can go for a while, as Binding.Sleep says; nil: it stays.
	Sleeper Sleeper
	// Stays says that memory, once mapped, stays mapped until the pool is closed.
	Stays bool
}

// Paging is [Pages], as an interface, so that programs whose pools have none do not link what manages them.
type Paging interface {
	// PageSize returns Page.
	PageSize() int64
	// Around returns pages of which Map calls around with the pages and with Map.
	Around(around func([]Extent, func([]Extent) error) error) Paging
	layout(*Engine) layout
}

// PageSize returns Page.
func (p Pages) PageSize() int64 { return p.Page }

// Around returns pages of which Map calls around with the pages and with Map.
func (p Pages) Around(around func([]Extent, func([]Extent) error) error) Paging {
	fill := p.Map
	p.Map = func(parts []Extent) error { return around(parts, fill) }
	return p
}

func (p Pages) layout(e *Engine) layout { return newPaged(e, p) }

// surplus yields the pages that may be returned, in runs that have been free for the same time.
func (l *paged) surplus(o order) iter.Seq[surplus] {
	return func(yield func(surplus) bool) {
		free := l.freePages()
		l.noteFree(free)
		for _, x := range slices.Backward(free) {
			for _, part := range slices.Backward(x.without(o.outside)) {
				if !l.runs(part, yield) {
					return
				}
			}
		}
	}
}

// freePages lists the pages that may be returned: no block lies on them, and they are not in flight.
func (l *paged) freePages() []Extent {
	if l.Stays || l.e.life.sleep.still {
		return nil
	}
	free := l.core.FreePages()
	for _, f := range l.e.streams.inFlight {
		free = l.withoutPages(free, f.ranges)
	}
	return free
}

// withoutPages returns what is left of rows of free pages without the pages that may be in use. Both lists are in order of address. Cost: linear in both.
func (l *paged) withoutPages(free []Extent, inFlight rangesInFlight) (rest []Extent) {
	page := uint64(l.Page)
	for _, x := range free {
		for len(inFlight) > 0 && inFlight[0].end() <= x.Addr {
			inFlight = inFlight[1:]
		}
		at := x.Addr // the pages below are done
		for _, h := range inFlight {
			if h.Addr >= x.end() {
				break
			}
			below := max(h.Addr, x.Addr) - x.Addr
			if first := x.Addr + below - below%page; first > at {
				rest = append(rest, Extent{at, first - at})
			}
			at = max(at, min(x.end(), x.Addr+(h.end()-x.Addr+page-1)/page*page))
		}
		if at < x.end() {
			rest = append(rest, Extent{at, x.end() - at})
		}
	}
	return rest
}

// noteFree records since when pages are free, for TrimPolicy.Idle. markIdle does not see all of them: the core does not report pages that Flush makes free.
func (l *paged) noteFree(free []Extent) {
	if l.since == nil {
		return
	}
	now := time.Now()
	since := make(map[uint64]time.Time, len(l.since)) // pages that are in use again are left out
	for _, x := range free {
		for page := range l.pages(x) {
			since[page.Addr] = now
			if at, seen := l.since[page.Addr]; seen {
				since[page.Addr] = at
			}
		}
	}
	l.since = since
}

// runs yields the pages of a range, the last first, joining those that have been free for the same time.
func (l *paged) runs(x Extent, yield func(surplus) bool) bool {
	if l.since == nil {
		return yield(surplus{Extent: x})
	}
	page := uint64(l.Page)
	for x.Size > 0 {
		last := x.Addr + x.Size - page
		s := surplus{Extent: Extent{last, page}, since: l.since[last]}
		for s.Addr > x.Addr && l.since[s.Addr-page].Equal(s.since) {
			s.Addr -= page
			s.Size += page
		}
		if !yield(s) {
			return false
		}
		x.Size -= s.Size
	}
	return true
}

// markIdle notes that the pages which overlap a range of addresses may be free from now on.
func (l *paged) markIdle(x Extent) {
	if l.since == nil {
		return
	}
	now := l.e.life.idleFromNow(l.e.life.trim.Idle)
	for page := range l.pages(x) {
		l.since[page.Addr] = now
	}
}

// pages yields the pages that overlap a part of a range.
func (l *paged) pages(x Extent) iter.Seq[Extent] {
	return func(yield func(Extent) bool) {
		page := uint64(l.Page)
		for at := x.Addr - (x.Addr-l.rangeOf(x.Addr).Addr)%page; at < x.Addr+x.Size; at += page {
			if !yield(Extent{at, page}) {
				return
			}
		}
	}
}

// newPaged makes the first range of addresses a chunk, without memory.
func newPaged(e *Engine, p Pages) *paged {
	l := &paged{Pages: p, e: e, core: e.core.paged, left: map[uint64]int{}}
	if e.life.trim.delays() {
		l.since = map[uint64]time.Time{}
	}
	l.enter(p.First)
	return l
}
