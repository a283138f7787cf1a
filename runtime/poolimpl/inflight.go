package poolimpl

import (
	"cmp"
	"slices"
	"sort"
)

// When memory is short, a stream need not wait for itself: memory that it freed can be divided and merged for its own next allocation, whatever the sizes. So
// the blocks of a queue go back to the suballocator before the stream has passed them, and until then their ranges are in flight. An allocation on the same
// stream may use memory in flight. For an allocation on another stream, the driver makes that stream wait for the fence; the caller does not wait. An
// allocation without a stream uses other memory. While anything is in flight, allocations take the slow path.

// inFlight is memory that is free in the suballocator while a stream may still be using it. It ends when the stream has passed the fence.
type inFlight struct {
	stream Stream
	fence  Fence
	frees  int
	ranges extents
	waited []Stream // streams that wait for the fence already
}

func (f inFlight) until() Fence { return f.fence }

// concerns reports whether the block overlaps the ranges and the request is not ordered behind the fence.
func (f *inFlight) concerns(b foundBlock, r request) bool {
	if r.stream != nil && (f.stream == *r.stream || slices.Contains(f.waited, *r.stream)) {
		return false
	}
	return f.ranges.touch(b.Addr, max(r.bytes, 1))
}

// extents are ranges of addresses in ascending order. After joined, no two are adjacent.
type extents []Extent

// joined sorts ranges that do not overlap and joins neighbours, for touch.
func (l extents) Join() extents {
	slices.SortFunc(l, func(a, b Extent) int { return cmp.Compare(a.Addr, b.Addr) })
	out := l[:0]
	for _, x := range l {
		if k := len(out); k > 0 && out[k-1].Addr+out[k-1].Size == x.Addr {
			out[k-1].Size += x.Size
		} else {
			out = append(out, x)
		}
	}
	return out
}

// insert adds a range that overlaps no other. Cost: a binary search, and moving the later ranges.
func (l *extents) insert(x Extent) { *l = slices.Insert(*l, l.search(x.Addr), x) }

// remove removes a range, if it is there.
func (l *extents) remove(x Extent) {
	if at := l.search(x.Addr); at < len(*l) && (*l)[at] == x {
		*l = slices.Delete(*l, at, at+1)
	}
}

// search returns the index of the first range that ends behind an address.
func (l extents) search(addr uint64) int {
	return sort.Search(len(l), func(i int) bool { return l[i].Addr+l[i].Size > addr })
}

// touch reports whether any range overlaps [addr, addr+bytes).
func (l extents) touch(addr, bytes uint64) bool {
	i := l.search(addr)
	return i < len(l) && l[i].Addr < addr+bytes
}

// inFlightAt reports whether a stream may still be using memory in [addr, addr+bytes).
func (s *streams) inFlightAt(addr, bytes uint64) bool {
	return slices.ContainsFunc(s.inFlight, func(f inFlight) bool { return f.ranges.touch(addr, bytes) })
}

// needsWait reports whether the request has to be ordered behind a fence before it may use the block.
func (s *streams) needsWait(b foundBlock, r request) bool {
	return slices.ContainsFunc(s.inFlight, func(f inFlight) bool { return f.concerns(b, r) })
}

// fencesFor lists the fences that the request has to be ordered behind before it may use the block.
func (s *streams) fencesFor(b foundBlock, r request) (fences []Fence) {
	for i := range s.inFlight {
		if f := &s.inFlight[i]; f.concerns(b, r) {
			fences = append(fences, f.fence)
		}
	}
	return fences
}

// reclaimEarly frees the blocks of a queue's sealed epochs in the core; their ranges are then in flight. It reports whether there were any.
func (s *streams) reclaimEarly(core StreamCore, q *StreamQueue) bool {
	q.lock()
	defer q.unlock()
	k := len(q.sealed)
	if k == 0 || !q.holds(q.sealed[k-1].number) {
		return false
	}
	s.fences.dropAll(q.sealed[:k-1])
	f := inFlight{stream: q.stream, fence: q.sealed[k-1].fence}
	s.anyInFlight.Store(true) // before the blocks can be allocated
	q.endEpochs(k)
	for addr, bytes, ok := q.take(); ok; addr, bytes, ok = q.take() {
		core.Reclaim(addr, bytes)
		f.ranges = append(f.ranges, Extent{addr, bytes})
		f.frees++
	}
	f.ranges = f.ranges.Join()
	s.inFlight = append(s.inFlight, f)
	return true
}

// expireInFlight forgets ranges that the stream has passed, and follows the trim policy for chunks that became empty while the ranges were in flight. It
// returns the number of frees.
func (e *Engine) expireInFlight(at int) (frees int) {
	f := e.streams.inFlight[at]
	e.streams.inFlight = slices.Delete(e.streams.inFlight, at, at+1)
	e.streams.anyInFlight.Store(len(e.streams.inFlight) > 0)
	e.streams.fences.drop(f.fence)
	var vacated []vacancy
	if e.life.trim.onFree() != nil {
		vacated = e.chunks.vacated(f.ranges)
	}
	e.returned(f.frees, vacated)
	return f.frees
}

// inFlightTries bounds how many blocks are put aside in search of a block that the request need not wait for: the lock is held during the search.
const inFlightTries = 1 << 12

// allocInFlight is allocCore while anything is in flight. It takes a block that the request need not wait for; if there is none, it makes the request's
// stream wait for each fence that concerns the block. At that time the block is allocated. So nobody else gets it while the lock is released, and no further
// range in flight can overlap it.
func (e *Engine) allocInFlight(r request) (foundBlock, bool) {
	b, ok := e.pick(r)
	if !ok {
		return foundBlock{}, false
	}
	for _, fence := range e.streams.fencesFor(b, r) {
		if fencedAt(e.streams.inFlight, fence) < 0 {
			continue // the range is no longer in flight
		}
		err := e.streams.driver().with(fence, func(line Timeline, fence Fence) error { return line.Wait(*r.stream, fence) })
		at := fencedAt(e.streams.inFlight, fence)
		switch {
		case at < 0:
		case err != nil:
			e.streams.err = err
			_ = e.undo(b.Addr, r.bytes)
			return foundBlock{}, false
		default:
			f := &e.streams.inFlight[at]
			f.waited = append(f.waited, *r.stream)
		}
	}
	return b, true
}

// pick takes a block that the request need not wait for; if there is none, and the request has a stream, one that the stream has to wait for.
func (e *Engine) pick(r request) (b foundBlock, ok bool) {
	var aside []foundBlock
	for r.thorough || len(aside) < inFlightTries {
		if b, ok = e.allocCore(r.bytes, r.align, r.far); !ok || !e.streams.needsWait(b, r) {
			break
		}
		aside = append(aside, b)
		ok = false
	}
	if !ok && r.stream != nil && len(aside) > 0 {
		b, ok = aside[0], true
		aside = aside[1:]
	}
	for _, x := range slices.Backward(aside) {
		_ = e.undo(x.Addr, r.bytes)
	}
	return b, ok
}
