package poolimpl

import (
	"iter"
	"slices"
	"time"
)

// Pages is a range of addresses that a source has reserved for a pool, and to which memory is mapped by pages. The source's Free unmaps any range of pages.
type Pages struct {
	Base uint64
	Size int64 // a multiple of Page
	Page int64
	// Map maps memory to all of these ranges of pages, or to none. A page whose memory the source refused to take back keeps that memory.
	Map func([]Extent) error
	// Stays says that memory, once mapped, stays mapped until the pool is closed.
	Stays bool
}

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
	if l.Stays {
		return nil
	}
	free := l.core.FreePages()
	for _, f := range l.e.streams.inFlight {
		free = l.withoutPages(free, f.places)
	}
	return free
}

// withoutPages returns what is left of ranges of pages without the pages on which places lie. Both are in order of address. Cost: linear in both.
func (l *paged) withoutPages(free []Extent, places []place) (rest []Extent) {
	page := uint64(l.Page)
	for _, x := range free {
		for len(places) > 0 && places[0].end() <= x.Addr {
			places = places[1:]
		}
		for _, p := range places {
			if p.Addr >= x.end() || x.Size == 0 {
				break
			}
			from := max(p.Addr-(p.Addr-l.Base)%page, x.Addr)
			to := min(p.end()+page-1-(p.end()-1-l.Base)%page, x.end())
			if from > x.Addr {
				rest = append(rest, Extent{x.Addr, from - x.Addr})
			}
			if to = max(to, x.Addr); to > x.Addr {
				x = Extent{to, x.end() - to}
			}
		}
		if x.Size > 0 {
			rest = append(rest, x)
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
	now := l.e.life.idleFromNow(l.e.config.Trim.Idle)
	for page := range l.pages(x) {
		l.since[page.Addr] = now
	}
}

// pages yields the pages that overlap a range of addresses.
func (l *paged) pages(x Extent) iter.Seq[Extent] {
	return func(yield func(Extent) bool) {
		page := uint64(l.Page)
		for at := x.Addr - (x.Addr-l.Base)%page; at < x.Addr+x.Size; at += page {
			if !yield(Extent{at, page}) {
				return
			}
		}
	}
}

// chunk returns a range of pages as the source knows it.
func (x Extent) chunk() Chunk { return Chunk{Addr: x.Addr, Size: int64(x.Size)} }

// without returns the parts of x outside y.
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

// total adds up the bytes of ranges.
func total(list []Extent) (n int64) {
	for _, x := range list {
		n += int64(x.Size)
	}
	return n
}
