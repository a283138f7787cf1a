package replay

import "math"

// inUse returns the most bytes that are in use when a stream allocates: those of live blocks, and those that other streams may still use, as work on a
// stream completes so many events after the free behind it. A pool reserves as many at least if it makes neither the host nor a stream wait.
//
// A stream can have at once what it freed itself. So blocks that it allocates and frees one after the other count once: what the others cannot have is the most
// that such blocks took up together at any time since the oldest free that the stream has not passed.
func (t *Trace) inUse(events int) (most int64) {
	own := t.freedOnOwn()
	held := make([]int, t.Slots) // by slot, the event that allocated the block
	live := make([]uint64, t.Streams)
	past := make([]window, t.Streams) // of the blocks that the stream itself frees
	for i, code := range t.Codes {
		slot, at := code>>1, i
		free := code&1 != 0
		if free {
			at = held[slot]
		}
		held[slot] = at
		on, bytes := t.On[at], t.Sizes[at]
		if free {
			bytes = -bytes
		}
		live[on] += bytes
		if own[at] {
			past[on].add(bytes, i)
		}
		if free {
			continue
		}
		sum := live[on]
		for s := range past {
			if s != int(on) {
				sum += max(live[s], past[s].most(i-events))
			}
		}
		most = max(most, int64(sum))
	}
	return most
}

// freedOnOwn reports, for each event that allocates a block, whether the stream of the block frees it, or nobody.
func (t *Trace) freedOnOwn() []bool {
	own := make([]bool, len(t.Codes))
	held := make([]int, t.Slots)
	for i, code := range t.Codes {
		if slot := code >> 1; code&1 == 0 {
			held[slot], own[i] = i, true
		} else {
			own[held[slot]] = t.On[held[slot]] == t.On[i]
		}
	}
	return own
}

// window follows a number of bytes, and knows the most since an event.
type window struct {
	now   uint64
	spans []span // ascending in time, descending in bytes
}

// span is a time in which the number of bytes stays the same.
type span struct {
	bytes uint64
	last  int // event after which it still holds
}

// add adds bytes at an event.
func (w *window) add(bytes uint64, event int) {
	if k := len(w.spans); k > 0 {
		w.spans[k-1].last = event - 1
	}
	w.now += bytes
	for k := len(w.spans); k > 0 && w.spans[k-1].bytes <= w.now; k-- {
		w.spans = w.spans[:k-1]
	}
	w.spans = append(w.spans, span{w.now, math.MaxInt})
}

// most returns the most bytes after any event since one.
func (w *window) most(since int) uint64 {
	for len(w.spans) > 0 && w.spans[0].last < since {
		w.spans = w.spans[1:]
	}
	if len(w.spans) == 0 {
		return 0
	}
	return w.spans[0].bytes
}
