package poolimpl

import "slices"

// AcrossStreams says when a stream is given memory that another one freed and has not passed: the driver then makes it wait for the other one. When the pool
// cannot grow, that happens in any case.
type AcrossStreams uint8

// The values of the key across_streams.
const (
	AcrossLimit  AcrossStreams = iota // only when the pool cannot grow
	AcrossPeak                        // also before the pool would hold more than ever before
	AcrossGrowth                      // before the pool grows
)

// waitingFor is a mark that a request has to be ordered behind.
type waitingFor struct {
	of   *inFlight
	mark uint64 // number
}

// ahead returns the number of the newest mark behind what is in flight in x, if the request has to be ordered behind it; else 0.
func (f *inFlight) ahead(x Extent, r request) uint64 {
	before := f.before(r)
	if k := len(f.marks); k == 0 || f.marks[k-1].number <= before {
		return 0
	}
	if newest := f.newest(x); newest > before {
		return newest
	}
	return 0
}

// before returns the number of the last mark that the request is ordered behind.
func (f *inFlight) before(r request) uint64 {
	if r.stream == nil {
		return 0
	}
	if f.stream == *r.stream {
		return ^uint64(0)
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

// lastWait returns the number of the newest mark that the request has to be ordered behind before it may use memory, 0 if there is none.
func (s *streams) lastWait(x Extent, r request) (number uint64) {
	for _, f := range s.inFlight {
		number = max(number, f.ahead(x, r))
	}
	return number
}

// waitsFor lists the marks that the request has to be ordered behind before it may use memory: of each stream the newest.
func (s *streams) waitsFor(x Extent, r request) (list []waitingFor) {
	for _, f := range s.inFlight {
		if mark := f.ahead(x, r); mark > 0 {
			list = append(list, waitingFor{f, mark})
		}
	}
	return list
}

// inFlightTries bounds how many blocks are put aside in search of a block that the request need not wait for: the lock is held during the search.
const inFlightTries = 1 << 12

// allocInFlight is allocCore while anything is in flight. It takes a block that the request need not wait for; if there is none, and the request may wait, it
// makes the request's stream wait for the marks that concern the block. At that time the block is allocated. So nobody else gets it while the lock is released,
// and no further range in flight can overlap it.
func (e onStreams) allocInFlight(r request) (foundBlock, bool) {
	b, ok := e.pick(r)
	if !ok {
		return foundBlock{}, false
	}
	for _, w := range e.streams.waitsFor(r.at(b), r) {
		if err := e.waitFor(w, *r.stream); err != nil {
			e.streams.err = err
			_ = e.undo(b.Addr, r.bytes)
			return foundBlock{}, false
		}
	}
	return b, true
}

// at returns the memory that the request has in a block.
func (r request) at(b foundBlock) Extent { return Extent{b.Addr, max(r.bytes, 1)} }

// waitFor makes a stream wait for a mark, unless that was passed meanwhile.
func (e onStreams) waitFor(w waitingFor, on Stream) error {
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

// pick takes a block that the request need not wait for; if there is none, and the request may wait, the block whose newest mark is the oldest: the streams are
// most likely to pass that one first.
func (e onStreams) pick(r request) (b foundBlock, ok bool) {
	var aside []foundBlock
	first, least := -1, uint64(0) // the block aside with the shortest wait
	for r.thorough || len(aside) < inFlightTries {
		if b, ok = e.allocCore(r); !ok {
			break
		}
		last := e.streams.lastWait(r.at(b), r)
		if last == 0 {
			break
		}
		if first < 0 || last < least {
			first, least = len(aside), last
		}
		aside = append(aside, b)
		ok = false
	}
	if !ok && r.waits && first >= 0 {
		b, ok = aside[first], true
		aside = slices.Delete(aside, first, first+1)
	}
	for _, x := range slices.Backward(aside) {
		_ = e.undo(x.Addr, r.bytes)
	}
	return b, ok
}

// waitsFirst reports whether the request is to wait for other streams, if that serves it, before the pool grows by size bytes.
func (e *Engine) waitsFirst(r request, size int64) bool {
	return !r.waits && r.stream != nil && e.core.stream != nil && !e.config.Direct && e.beyond(size) > 0
}

// beyond returns how many bytes of growth by so many are only added if waiting for other streams does not serve the request.
func (e *Engine) beyond(size int64) int64 {
	switch e.config.AcrossStreams {
	case AcrossPeak:
		return size - (e.figures.peakReserved - e.limits.held())
	case AcrossGrowth:
		return size
	}
	return 0
}

// recoverOthers puts all that was freed on streams in flight, so that the request's stream can have it and wait. It reports whether there is anything new. What
// gets no fence, as its stream takes part in a capture, stays in its queue.
func (e onStreams) recoverOthers() (any bool) {
	_ = e.streams.sealEpochs()
	for _, q := range e.streams.queues.list {
		any = e.streams.reclaimEarly(&e.core, q, e.config.rounding()) || any
	}
	return any
}

// freedByOthers returns the length of the longest block in the queues of other streams than the request's. If nothing hinders the request's stream from waiting for
// such blocks, it has them already: then the result is 0.
func (e onStreams) freedByOthers(r request) (longest int64) {
	if r.stream == nil || e.config.Direct || e.config.AcrossStreams != AcrossLimit || e.config.hasRung(RungPoll) {
		return 0
	}
	for _, q := range e.streams.queues.list {
		if q.stream != *r.stream {
			q.all(func(bytes uint64) { longest = max(longest, int64(bytes)) })
		}
	}
	return longest
}
