package poolimpl

import (
	"cmp"
	"slices"
	"sort"
)

// When memory is short, a stream need not wait for itself: memory that it freed can be divided and merged for its own next allocation, whatever the sizes. So
// the blocks of a queue go back to the suballocator before the stream has passed them, and until then their ranges are in flight. An allocation on the same
// stream may use memory in flight. For an allocation on another stream, the driver can make that stream wait (waitfor.go); the caller does not wait. An
// allocation without a stream uses other memory. While anything is in flight, allocations take the slow path; in a pool with a [SharedCore] only those that have
// found memory in flight (inflight_shown.go).

// inFlight is memory that was freed on one stream and is free in the suballocator, while the stream may still be using it. A stream passes its marks in their
// order, so only the oldest one is ever asked about.
type inFlight struct {
	stream Stream
	marks  []mark // oldest first; none: the stream has passed everything
	ranges rangesInFlight
	waits  []waited // of other streams
	left   []leftPlace
}

// mark is a point in the work of a stream.
type mark struct {
	number uint64 // across streams: of two marks the newer one has the higher number
	fence  Fence
	frees  int // since the mark before
}

// rangeInFlight is a range of addresses that a stream may be using until it passes a mark.
type rangeInFlight struct {
	Extent
	stream uint64 // its ID
	mark   uint64 // its number
}

// rangesInFlight are ranges by address. No two overlap, of no two streams either.
type rangesInFlight []rangeInFlight

// overlapping returns the indexes of the ranges that overlap x: from from to to, without to.
func (l rangesInFlight) overlapping(x Extent) (from, to int) {
	for to = len(l); from < to; { // without a closure: a request asks about each block that it looks at
		if mid := (from + to) / 2; l[mid].end() > x.Addr {
			to = mid
		} else {
			from = mid + 1
		}
	}
	for ; to < len(l) && l[to].Addr < x.end(); to++ {
	}
	return from, to
}

// waited says that a stream waits for a mark, and thereby for the earlier ones of the same stream.
type waited struct {
	stream uint64 // its ID
	mark   uint64 // number
}

// end returns the address behind a range.
func (x Extent) end() uint64 { return x.Addr + x.Size }

// extents are ranges of addresses in ascending order. After joined, no two are adjacent.
type extents []Extent

// joined sorts ranges that do not overlap and joins neighbours.
func (l extents) Join() extents {
	slices.SortFunc(l, func(a, b Extent) int { return cmp.Compare(a.Addr, b.Addr) })
	out := l[:0]
	for _, x := range l {
		if k := len(out); k > 0 && out[k-1].end() == x.Addr {
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
	return sort.Search(len(l), func(i int) bool { return l[i].end() > addr })
}

// touch reports whether any range overlaps [addr, addr+bytes).
func (l extents) touch(addr, bytes uint64) bool {
	i := l.search(addr)
	return i < len(l) && l[i].Addr < addr+bytes
}

// newest returns the number of the newest mark behind what is in flight in x, 0 if nothing is.
func (f *inFlight) newest(x Extent) (number uint64) {
	from, to := f.ranges.overlapping(x)
	for _, h := range f.ranges[from:to] {
		number = max(number, h.mark)
	}
	return number
}

// add puts ranges, by address, in flight until a mark, which is newer than all others.
func (f *inFlight) add(m mark, ranges extents) {
	f.marks = append(f.marks, m)
	more := make(rangesInFlight, len(ranges))
	for i, x := range ranges {
		more[i] = rangeInFlight{x, f.stream.ID, m.number}
	}
	f.ranges.merge(more)
}

// merge adds ranges by address, which overlap none. Cost: linear in the ranges that lie behind the first of them.
func (l *rangesInFlight) merge(more rangesInFlight) {
	i := len(*l)
	*l = append(*l, more...)
	all := *l
	for to := len(all); len(more) > 0; to-- { // from the back, so that no range moves twice
		if last := more[len(more)-1]; i == 0 || all[i-1].Addr < last.Addr {
			all[to-1] = last
			more = more[:len(more)-1]
		} else {
			i--
			all[to-1] = all[i]
		}
	}
}

// carve ends what is in flight of a range that comes into flight until a newer mark: the block there was taken, and so freed, behind the older ones.
func (f *inFlight) carve(x Extent) {
	from, to := f.ranges.overlapping(x)
	if from == to {
		return
	}
	var rest []rangeInFlight
	for _, h := range f.ranges[from:to] {
		for _, y := range h.without(x) {
			rest = append(rest, rangeInFlight{y, h.stream, h.mark})
		}
	}
	f.ranges = slices.Replace(f.ranges, from, to, rest...)
}

// pass ends what is in flight up to a mark, and returns how many frees those were and where.
func (f *inFlight) pass(m mark, drop func(Fence)) (frees int, ranges extents) {
	for len(f.marks) > 0 && f.marks[0].number <= m.number {
		frees += f.marks[0].frees
		drop(f.marks[0].fence)
		f.marks = f.marks[1:]
	}
	f.ranges = slices.DeleteFunc(f.ranges, func(h rangeInFlight) bool {
		if h.mark > m.number {
			return false
		}
		ranges = append(ranges, h.Extent)
		return true
	})
	return frees, ranges
}

// frees returns the number of frees that the stream has not passed.
func (f *inFlight) frees() (n int) {
	for _, m := range f.marks {
		n += m.frees
	}
	return n
}

// inFlightOf returns what is in flight of a stream, nil if nothing is.
func (s *streams) inFlightOf(on Stream) *inFlight {
	for _, f := range s.inFlight {
		if f.stream == on {
			return f
		}
	}
	return nil
}

// inFlightAt reports whether a stream may still be using memory in [addr, addr+bytes).
func (s *streams) inFlightAt(addr, bytes uint64) bool {
	return slices.ContainsFunc(s.inFlight, func(f *inFlight) bool {
		from, to := f.ranges.overlapping(Extent{addr, bytes})
		return from < to
	})
}

// reclaimEarly frees the blocks of a queue's sealed epochs in the core; they are then in flight, each epoch until its own fence. unit is what the core rounds
// lengths up to, so that neighbours join. It reports whether there were any blocks.
func (s *streams) reclaimEarly(core *cores, q *StreamQueue, unit uint64) bool {
	q.lock()
	defer q.unlock()
	k := len(q.sealed)
	if k == 0 || !q.holds(q.sealed[k-1].number) {
		return false
	}
	var blocks freedBlocks
	for len(q.sealed) > 0 {
		m := mark{fence: q.sealed[0].fence}
		q.endEpochs(1)
		var ranges extents
		for addrs, bytes := q.takeRun(); len(addrs) > 0; addrs, bytes = q.takeRun() {
			blocks.add(addrs, bytes)
			for _, addr := range addrs {
				ranges = append(ranges, Extent{addr, (bytes + unit - 1) / unit * unit})
			}
			m.frees += len(addrs)
		}
		if m.frees == 0 {
			s.fences.drop(m.fence)
			continue
		}
		s.marked++
		m.number = s.marked
		s.putInFlight(q.stream, m, ranges.Join())
	}
	s.showInFlight(core) // before the blocks can be allocated
	blocks.reclaim(core)
	return true
}

// putInFlight notes ranges that a stream may be using until a mark.
func (s *streams) putInFlight(on Stream, m mark, ranges extents) {
	for _, f := range s.inFlight {
		for _, x := range ranges {
			f.carve(x)
		}
	}
	f := s.inFlightOf(on)
	if f == nil {
		f = &inFlight{stream: on}
		s.inFlight = append(s.inFlight, f)
		s.setDetour()
	}
	f.add(m, ranges)
}

// passedMark ends what is in flight up to a mark of a stream, and follows the trim policy for chunks that became empty meanwhile. It returns the number of
// frees: 0 if another caller was faster.
func (e onStreams) passedMark(f *inFlight, m mark) (frees int) {
	s := &e.streams
	frees, ranges := f.pass(m, s.fences.drop)
	e.memory.layout.passed(f, m)
	if len(f.marks) == 0 {
		s.inFlight = slices.DeleteFunc(s.inFlight, func(g *inFlight) bool { return g == f })
		s.setDetour()
	}
	s.showInFlight(&e.core)
	var vacated []vacancy
	if e.life.trim.onFree() != nil {
		vacated = e.chunks.vacated(ranges)
	}
	e.returned(frees, vacated)
	return frees
}

// reclaimInFlight asks each stream about its oldest mark, and goes on as long as the stream has passed it.
func (e onStreams) reclaimInFlight() (reclaimed int, err error) {
	for _, f := range slices.Clone(e.streams.inFlight) { // the lock is released meanwhile, and the list may change
		for len(f.marks) > 0 {
			oldest := f.marks[0]
			done, failed := e.streams.driver().isDone(oldest.fence)
			if !done {
				err = cmp.Or(err, failed)
				break
			}
			reclaimed += e.passedMark(f, oldest)
		}
	}
	return reclaimed, err
}
