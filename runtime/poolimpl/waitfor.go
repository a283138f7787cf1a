package poolimpl

import "slices"

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
