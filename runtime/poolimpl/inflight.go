package poolimpl

import (
	"cmp"
	"slices"
	"sort"
)

// When memory is short, a stream need not wait for itself. What it freed may be cut and merged for its own next allocation, whatever the sizes. So the blocks of a
// queue go back to the suballocator before the stream has passed them, and the range that they took is in flight until then. An allocation on the same stream
// may lie there. One on another stream makes that stream wait for the fence: the driver waits, the caller does not. One without a stream goes elsewhere. While
// anything is in flight, allocations take the slow path.

// inFlight is memory that a stream may still be working with, though the suballocator has it back. It ends when the stream has passed the fence.
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

// extents are ranges of addresses, ascending, none next to another.
type extents []Extent

// joined sorts ranges that do not overlap and joins neighbours, for touch.
func (l extents) joined() extents {
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

// touch reports whether any range overlaps [addr, addr+bytes).
func (l extents) touch(addr, bytes uint64) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].Addr+l[i].Size > addr })
	return i < len(l) && l[i].Addr < addr+bytes
}

// inFlightAt reports whether a stream may be at work in [addr, addr+bytes).
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

// reclaimEarly gives the blocks of a queue's sealed epochs back to the core; their ranges are in flight. It reports whether there were any.
func (s *streams) reclaimEarly(core StreamCore, q *streamQueue) bool {
	k := len(q.sealed)
	if k == 0 || !s.queues.holds(q, q.sealed[k-1].number) {
		return false
	}
	s.dropFences(q.sealed[:k-1])
	f := inFlight{stream: q.stream, fence: q.sealed[k-1].fence}
	s.anyInFlight.Store(true) // before anybody can get hold of the blocks
	for b := range s.queues.takeEpochs(q, k) {
		core.Reclaim(b.addr, b.bytes)
		f.ranges = append(f.ranges, Extent{b.addr, b.bytes})
		f.frees++
	}
	f.ranges = f.ranges.joined()
	s.inFlight = append(s.inFlight, f)
	return true
}

// expireInFlight forgets ranges that the stream has passed, and follows the trim policy for the chunks that became empty while they were in flight. It returns
// how many frees these were.
func (e *Engine) expireInFlight(at int) (frees int) {
	f := e.streams.inFlight[at]
	e.streams.inFlight = slices.Delete(e.streams.inFlight, at, at+1)
	e.streams.anyInFlight.Store(len(e.streams.inFlight) > 0)
	e.streams.dropFence(f.fence)
	var vacated []vacancy
	if e.config.Trim.onFree() != nil {
		vacated = e.chunks.vacated(f.ranges)
	}
	e.returned(f.frees, vacated)
	return f.frees
}

// inFlightTries bounds how many blocks that need waiting are put aside in search of one that does not, as the lock is held meanwhile.
const inFlightTries = 1 << 12

// allocInFlight is allocCore while anything is in flight: it takes a block that the request need not wait for, or else makes the request's stream wait for each
// fence that the block needs. The block is taken by then, so nobody else gets it while the lock is released, and no further range comes to lie under it.
func (e *Engine) allocInFlight(r request) (foundBlock, bool) {
	b, ok := e.pick(r)
	if !ok {
		return foundBlock{}, false
	}
	for _, fence := range e.streams.fencesFor(b, r) {
		if fencedAt(e.streams.inFlight, fence) < 0 {
			continue // it has ended
		}
		err := e.streams.withFence(fence, func(line Timeline, fence Fence) error { return line.Wait(*r.stream, fence) })
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

// pick takes a block that the request need not wait for, or else one that its stream has to.
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
