package poolimpl

import (
	"cmp"
	"slices"
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

// setDetour sets detour, after a change of what it depends on.
func (s *streams) setDetour() { s.detour = s.resting || len(s.inFlight) > 0 }

// showInFlight replaces the ranges that callers of a [SharedCore] see without e.mu. Cost: a pass over all of them.
func (s *streams) showInFlight(core *cores) {
	if core.shared == nil {
		return
	}
	if len(s.inFlight) == 0 {
		s.shown.ranges.Store(nil)
		return
	}
	var all rangesInFlight
	for _, f := range s.inFlight {
		all = append(all, f.ranges...)
	}
	slices.SortFunc(all, func(a, b rangeInFlight) int { return cmp.Compare(a.Addr, b.Addr) })
	s.shown.ranges.Store(&all)
}

// reclaim frees pending blocks of so many bytes each. It calls see for those with which a chunk or a page became empty.
func (c *cores) reclaim(addrs []uint64, bytes uint64, see func(vacancy)) {
	for len(addrs) > 0 {
		n, slot, v := 1, uint32(0), Freed
		if c.gathers != nil {
			n, slot, v = c.gathers.ReclaimRun(addrs, bytes)
		} else {
			slot, v = c.stream.Reclaim(addrs[0], bytes)
		}
		if v == Emptied {
			see(vacancy{slot, addrs[n-1], bytes})
		}
		addrs = addrs[n:]
	}
}

// freedBlocks are blocks in the order of their frees.
type freedBlocks struct {
	addrs []uint64
	runs  []blockRun
}

// blockRun is how many blocks of one size follow each other.
type blockRun struct {
	blocks int
	bytes  uint64 // of each
}

// add adds blocks of one size.
func (l *freedBlocks) add(addrs []uint64, bytes uint64) {
	l.addrs = append(l.addrs, addrs...)
	if k := len(l.runs); k > 0 && l.runs[k-1].bytes == bytes {
		l.runs[k-1].blocks += len(addrs)
	} else {
		l.runs = append(l.runs, blockRun{len(addrs), bytes})
	}
}

// reclaim frees the blocks in the core. Memory that becomes empty is followed up when the streams have passed the blocks: by passedMark.
func (l *freedBlocks) reclaim(core *cores) {
	rest := l.addrs
	for _, r := range l.runs {
		core.reclaim(rest[:r.blocks], r.bytes, func(vacancy) {})
		rest = rest[r.blocks:]
	}
}
