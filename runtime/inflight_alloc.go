package runtime

import (
	"cmp"
	"slices"
	"sort"
)

// extents are pieces of memory, ascending, none next to another.
type extents []Extent

// joined sorts pieces that do not overlap and joins neighbours, so that they can be searched.
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

// touch reports whether any piece overlaps [addr, addr+bytes).
func (l extents) touch(addr, bytes uint64) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].Addr+l[i].Size > addr })
	return i < len(l) && l[i].Addr < addr+bytes
}

// inFlightTries bounds how many hot blocks are put aside in search of one that is not, as the lock is held meanwhile.
const inFlightTries = 1 << 12

// allocInFlight is try while places are hot: it takes a block that lies on none but the stream's own, or, failing that,
// makes the stream wait.
func (e *Engine) allocInFlight(r request) (Block, bool) {
	b, ok := e.pick(r)
	if !ok {
		return Block{}, false
	}
	if err := e.waitFor(b, r); err != nil {
		e.streams.err = err
		_ = e.undo(b.Addr, r.bytes)
		return Block{}, false
	}
	return b, true
}

// pick takes a block that the request need not wait for. Failing that, one that its stream has to.
func (e *Engine) pick(r request) (b Block, ok bool) {
	var aside []Block
	for r.thorough || len(aside) < inFlightTries {
		if b, ok = e.allocCore(r); !ok || !e.needsWait(b, r) {
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

// needsWait reports whether a block lies on a place that is hot for the request.
func (e *Engine) needsWait(b Block, r request) bool {
	return slices.ContainsFunc(e.streams.inFlight, func(f inFlight) bool { return f.concerns(b, r) })
}

// concerns reports whether the block overlaps the place and the request is not ordered behind its mark.
func (f *inFlight) concerns(b Block, r request) bool {
	if r.stream != nil && (f.stream == *r.stream || slices.Contains(f.waited, *r.stream)) {
		return false
	}
	return f.ranges.touch(b.Addr, max(r.bytes, 1))
}

// waitFor makes the request's stream wait for each mark that the block needs. The block is the caller's meanwhile, so that nobody else gets it,
// and no further place comes to lie under it.
func (e *Engine) waitFor(b Block, r request) error {
	var fences []Fence
	for i := range e.streams.inFlight {
		if e.streams.inFlight[i].concerns(b, r) {
			fences = append(fences, e.streams.inFlight[i].fence)
		}
	}
	for _, fence := range fences {
		if fencedAt(e.streams.inFlight, fence) < 0 {
			continue // it has cooled down
		}
		var err error
		e.about(fence, func(line Timeline) { err = line.Wait(*r.stream, fence) })
		at := fencedAt(e.streams.inFlight, fence)
		switch {
		case at < 0:
		case err != nil:
			return err
		default:
			e.streams.inFlight[at].waited = append(e.streams.inFlight[at].waited, *r.stream)
		}
	}
	return nil
}
