package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// AcrossStreams says when a stream is given memory that another one freed and has not passed: the driver then makes it wait for the other one. When the pool
// cannot grow, that happens in any case.
type AcrossStreams uint8

// The values of the key across_streams.
const (
	AcrossLimit  AcrossStreams = iota // only when the pool cannot grow
	AcrossPeak                        // also before the pool would hold more than ever before
	AcrossGrowth                      // before the pool grows
)

// SelectiveCore is a core that can be told where a block may lie.
type SelectiveCore interface {
	Core
	// AllocWhere is Alloc for a block whose place the caller chooses. It calls choose with free ranges that have room, and with the length and the alignment of
	// the block, until one costs nothing. choose returns where in the range the block may begin and what that costs, [NoPlace] if it may lie nowhere. The block
	// is cut where the cost is least. choose must not call the core.
	AllocWhere(bytes, align uint64, choose func(free Extent, bytes, align uint64) (addr, cost uint64)) (slot uint32, off uint64, ok bool)
}

// NoPlace is the cost of a place where a block may not lie.
const NoPlace = ^uint64(0)

// waitingFor is a mark that a request has to be ordered behind.
type waitingFor struct {
	of   *inFlight
	mark uint64 // number
}

// before returns the number of the last mark that the request is ordered behind.
func (f *inFlight) before(r request) uint64 {
	if r.stream == nil {
		return 0
	}
	if f.stream == *r.stream {
		return NoPlace
	}
	for _, w := range f.waits {
		if w.stream == r.stream.ID {
			return w.mark
		}
	}
	return 0
}

// noteWait notes that the request's stream waits for a mark.
func (f *inFlight) noteWait(on Stream, mark uint64) {
	at := slices.IndexFunc(f.waits, func(w waited) bool { return w.stream == on.ID })
	if at < 0 {
		f.waits = append(f.waits, waited{on.ID, mark})
	} else {
		f.waits[at].mark = max(f.waits[at].mark, mark)
	}
}

// waitsFor lists the marks that the request has to be ordered behind before it may use memory: of each stream the newest.
func (s *streams) waitsFor(x Extent, r request) (list []waitingFor) {
	for _, f := range s.inFlight {
		newest := uint64(0)
		for _, p := range f.overlapping(x) {
			newest = max(newest, p.mark)
		}
		if newest > f.before(r) {
			list = append(list, waitingFor{f, newest})
		}
	}
	return list
}

// taken lists the places in a range that the request is not ordered behind, in the order of their addresses.
func (s *streams) taken(x Extent, r request) []place {
	list, several := s.places[:0], 0
	for _, f := range s.inFlight {
		before, n := f.before(r), len(list)
		for _, p := range f.overlapping(x) {
			if p.mark > before {
				list = append(list, p)
			}
		}
		if len(list) > n {
			several++
		}
	}
	if several > 1 {
		slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.Addr, b.Addr) })
	}
	s.places = list
	return list
}

// choose returns a function for AllocWhere. A place costs nothing if the request need not wait for it. If the request may wait, other places cost the number of
// the newest mark on them: least where the streams are most likely to be done first.
func (s *streams) choose(r request) func(free Extent, bytes, align uint64) (addr, cost uint64) {
	return func(free Extent, bytes, align uint64) (addr, cost uint64) {
		v := choice{taken: s.taken(free, r), free: free, bytes: bytes, align: align, cost: NoPlace, free0: !r.waits}
		v.consider(free.Addr, 0)
		for i, p := range v.taken {
			if v.cost == 0 {
				break
			}
			v.consider(p.end(), i+1)
			if r.waits && p.Addr >= bytes {
				v.consider((p.Addr-bytes)&^(align-1), 0)
			}
		}
		if r.waits && v.cost > 0 {
			v.consider((free.end()-bytes)&^(align-1), 0)
		}
		return v.addr, v.cost
	}
}

// choice is the search for a place in a free range. A best place begins or ends with the range, or beside a place that is taken.
type choice struct {
	taken        []place
	free         Extent
	bytes, align uint64
	addr, cost   uint64 // of the best place so far
	free0        bool   // only a place that costs nothing will do
}

// consider makes the place that begins at an address or behind it the best one, if it costs less. The first of the taken places end before it.
func (v *choice) consider(addr uint64, first int) {
	addr = (addr + v.align - 1) &^ (v.align - 1)
	if addr < v.free.Addr || addr+v.bytes > v.free.end() {
		return
	}
	cost := uint64(0)
	for _, p := range v.taken[first:] {
		if p.Addr >= addr+v.bytes || cost >= v.cost {
			break
		}
		if p.end() > addr {
			cost = max(cost, p.mark)
		}
	}
	if cost < v.cost && (cost == 0 || !v.free0) {
		v.addr, v.cost = addr, cost
	}
}

// inFlightTries bounds how many blocks are put aside in search of a block that the request need not wait for: the lock is held during the search.
const inFlightTries = 1 << 12

// allocInFlight is allocCore while anything is in flight. It takes a block that the request need not wait for; if there is none, and the request may wait, it
// makes the request's stream wait for the marks that concern the block. At that time the block is allocated. So nobody else gets it while the lock is released,
// and no further place in flight can overlap it.
func (e *Engine) allocInFlight(r request) (foundBlock, bool) {
	b, ok := e.pick(r)
	if !ok {
		return foundBlock{}, false
	}
	at := Extent{b.Addr, max(r.bytes, 1)}
	for _, w := range e.streams.waitsFor(at, r) {
		if err := e.waitFor(w, *r.stream); err != nil {
			e.streams.err = err
			_ = e.undo(b.Addr, r.bytes)
			return foundBlock{}, false
		}
	}
	for _, f := range e.streams.inFlight { // what uses the block comes behind the marks, and so does its free
		f.carve(at)
	}
	return b, true
}

// waitFor makes a stream wait for a mark, unless that was passed meanwhile.
func (e *Engine) waitFor(w waitingFor, on Stream) error {
	at := slices.IndexFunc(w.of.marks, func(m mark) bool { return m.number == w.mark })
	if at < 0 {
		return nil
	}
	err := e.streams.driver().with(w.of.marks[at].fence, func(line Timeline, fence Fence) error { return line.Wait(on, fence) })
	if err == nil {
		w.of.noteWait(on, w.mark)
		e.figures.streamWaits++
	}
	return err
}

// pick takes a block that the request need not wait for; if there is none, and the request may wait, one that its stream has to wait for.
func (e *Engine) pick(r request) (b foundBlock, ok bool) {
	if core := e.core.selective; core != nil {
		slot, off, ok := core.AllocWhere(r.bytes, r.align, e.streams.choose(r))
		if !ok {
			return foundBlock{}, false
		}
		return e.chunks.block(slot, off, e.observed.debug.apart()), true
	}
	var aside []foundBlock
	for r.thorough || len(aside) < inFlightTries {
		if b, ok = e.allocCore(r.bytes, r.align, r.far); !ok || len(e.streams.waitsFor(Extent{b.Addr, max(r.bytes, 1)}, r)) == 0 {
			break
		}
		aside = append(aside, b)
		ok = false
	}
	if !ok && r.waits && len(aside) > 0 {
		b, ok = aside[0], true
		aside = aside[1:]
	}
	for _, x := range slices.Backward(aside) {
		_ = e.undo(x.Addr, r.bytes)
	}
	return b, ok
}

// waitsFirst reports whether the request is to wait for other streams, if that serves it, before the pool grows by size bytes.
func (e *Engine) waitsFirst(r *request, size int64) bool {
	if r.waits || r.stream == nil || r.prime || e.core.stream == nil || e.config.Direct {
		return false
	}
	switch e.config.AcrossStreams {
	case AcrossPeak:
		return size > poolrt.NoLimit-e.limits.held() || e.limits.held()+size > e.figures.peakReserved
	case AcrossGrowth:
		return true
	}
	return false
}

// lend puts all that was freed on streams in flight, so that the request's stream can have it and wait. It reports whether there is anything new. What gets no
// fence, as its stream takes part in a capture, stays in its queue.
func (e *Engine) recoverOthers() (any bool) {
	_ = e.streams.sealEpochs()
	for _, q := range e.streams.queues.list {
		any = e.streams.reclaimEarly(e.core.stream, q, e.config.rounding()) || any
	}
	return any
}
