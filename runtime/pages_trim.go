package runtime

import (
	"cmp"
	"slices"
	"time"
)

// freePages lists the pages that may go: no block lies in them, and no stream is at work there.
func (e *Engine) freePages() []Extent {
	if e.memory.pages.Stays {
		return nil
	}
	free := e.memory.pages.core.FreePages()
	if len(e.streams.inFlight) == 0 {
		return free
	}
	var usable []Extent
	page := uint64(e.memory.pages.Page)
	for _, x := range free {
		for at := x.Addr; at < x.Addr+x.Size; at += page {
			if !e.streams.inFlightAt(at, page) {
				usable = append(usable, Extent{at, page}) // one by one will do
			}
		}
	}
	return usable
}

// trimPages gives pages back as long as the pool still holds keep bytes afterwards, those with high addresses first.
func (e *Engine) trimPages(keep int64) (int64, error) {
	left := roundDown(e.held()-keep, e.memory.pages.Page)
	if left <= 0 {
		return 0, nil
	}
	var due []Extent
	for _, x := range slices.Backward(e.freePages()) {
		due, left = takeTail(due, x, left, e.memory.pages.Page)
	}
	return e.unmap(due)
}

// takeTail adds the last pages of a row to a list that descends, as many as n bytes need, and returns what is left of n.
func takeTail(due []Extent, x Extent, n, page int64) ([]Extent, int64) {
	if n <= 0 {
		return due, n
	}
	size := min(x.Size, uint64(roundUp(n, page)))
	return append(due, Extent{x.Addr + x.Size - size, size}), n - int64(size)
}

// unmap gives spare pages back, listed in descending order. What the source does not take stays.
func (e *Engine) unmap(due []Extent) (int64, error) {
	if len(due) == 0 {
		return 0, nil
	}
	slices.Reverse(due)
	e.memory.pages.core.Vacate(due)
	chunks := make([]Chunk, len(due))
	for i, x := range due {
		chunks[i] = x.chunk()
	}
	e.memory.next = max(e.memory.unit, min(e.memory.next, e.held()-total(due)))
	return e.release(chunks, func(c Chunk) { e.admitPages(Extent{c.Addr, uint64(c.Size)}) })
}

// mapped lists the rows of pages that have memory and are not on their way back.
func (e *Engine) mapped() (list []Extent) {
	at, end := e.memory.pages.Base, e.memory.pages.Base+uint64(e.memory.pages.Size)
	for _, h := range append(e.memory.pages.core.Holes(Extent{at, uint64(e.memory.pages.Size)}), Extent{Addr: end}) {
		if h.Addr > at {
			list = append(list, Extent{at, h.Addr - at})
		}
		at = h.Addr + h.Size
	}
	return list
}

// pagesInUse adds up the pages that have live blocks, or a stream at work in them.
func (e *Engine) pagesInUse() int64 { return total(e.mapped()) - total(e.freePages()) }

// pagesEmptied follows the pool's policy when a page became free that a block had a part in.
func (e *Engine) pagesEmptied(addr, bytes uint64) {
	policy := e.onFree()
	if policy == nil {
		return
	}
	if e.core.Used(0) == 0 {
		e.core.Flush()
	}
	if policy.Idle > 0 {
		e.markPagesIdle(Extent{addr, bytes})
		e.trimIdle()
		return
	}
	_, _ = e.trimPages(policy.Keep)
}

// markPagesIdle notes that the pages which a row of addresses touches may be free from now on.
func (e *Engine) markPagesIdle(x Extent) {
	if !e.delaysTrim() {
		return
	}
	now := time.Now()
	e.eachPage(x, func(at uint64) { e.memory.pages.free[at] = now })
	e.schedule(now.Add(e.config.Trim.Idle))
}

// eachPage calls f with the start of each page that a row of addresses touches.
func (e *Engine) eachPage(x Extent, f func(at uint64)) {
	page := uint64(e.memory.pages.Page)
	for at := x.Addr - (x.Addr-e.memory.pages.Base)%page; at < x.Addr+x.Size; at += page {
		f(at)
	}
}

// trimIdlePages gives back pages that have been free for as long as the policy says. The core need not have said which those are that
// it let go of just now, or for something that it kept, so the next look is due as long as there may be any.
func (e *Engine) trimIdlePages(now time.Time) {
	policy := e.config.Trim
	left := e.held() - policy.Keep
	if left >= e.memory.pages.Page { // else all stays, until the pool has grown
		e.core.Flush()
		e.schedule(now.Add(policy.Idle))
	}
	var due []Extent
	free := map[uint64]time.Time{} // without those that are in use again
	for _, x := range slices.Backward(e.freePages()) {
		e.eachPage(x, func(at uint64) {
			since, seen := e.memory.pages.free[at]
			if !seen {
				since = now
			}
			switch end := since.Add(policy.Idle); {
			case now.Before(end):
				free[at] = since
				e.schedule(end)
			case left < e.memory.pages.Page:
				free[at] = since
			default:
				left -= e.memory.pages.Page
				due = append(due, Extent{at, uint64(e.memory.pages.Page)})
			}
		})
	}
	e.memory.pages.free = free
	slices.SortFunc(due, func(a, b Extent) int { return cmp.Compare(b.Addr, a.Addr) })
	_, _ = e.unmap(due)
}
