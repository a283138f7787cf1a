package poolimpl

import (
	"math/bits"
	"slices"
)

// far finds chunks that lie far apart. Chunks that are new are in a short run, which is copied for each one more. When that is full, both runs are merged: so
// a chunk more costs about the same however many there are. A far does not change. It may have chunks that have been removed.
type far struct {
	old, recent run
	retry       int // the number of chunks from which on parts are tried again
}

// run is some chunks in the order of their addresses.
type run struct {
	starts []uint64
	slots  []uint32
}

// mostRecent is the largest number of recent chunks.
const mostRecent = 256

// search returns the slot of the only chunk that can contain addr. It is that with the nearest start, and of two with the same start the recent one.
func (f *far) search(addr uint64) uint32 {
	slot, start := f.old.nearest(addr)
	if near, at := f.recent.nearest(addr); near != NoSlot && (slot == NoSlot || at >= start) {
		return near
	}
	return slot
}

// nearest returns the chunk with the last start that is not above addr, NoSlot if there is none.
func (r *run) nearest(addr uint64) (slot uint32, start uint64) {
	if len(r.starts) == 0 || addr < r.starts[0] {
		return NoSlot, 0
	}
	i := Nearest(r.starts, addr)
	return r.slots[i], r.starts[i]
}

// farther returns a far with one more chunk.
func (d *Directory) farther(f *far, latest uint32) *far {
	x := d.chunks[latest]
	recent := d.merge(f.recent, run{[]uint64{x.Addr}, []uint32{latest}})
	if len(recent.slots) > mostRecent || f.old.startsIn(x) {
		return &far{old: d.merge(f.old, recent), retry: f.retry}
	}
	return &far{old: f.old, recent: recent, retry: f.retry}
}

// startsIn reports whether a chunk of the run starts in x, behind its start. As chunks do not overlap, that one has been removed.
func (r *run) startsIn(x Extent) bool {
	i, _ := slices.BinarySearch(r.starts, x.Addr+1)
	return x.Size > 1 && i < len(r.starts) && r.starts[i] <= x.last()
}

// merge merges two runs. It leaves out chunks that have been removed, and one entry of a chunk that both have.
func (d *Directory) merge(a, b run) run {
	n := len(a.starts) + len(b.starts)
	all := run{make([]uint64, 0, n), make([]uint32, 0, n)}
	for i, j := 0, 0; i+j < n; {
		r, k := &a, &i
		if i == len(a.starts) || j < len(b.starts) && b.starts[j] < a.starts[i] {
			r, k = &b, &j
		}
		start, slot := r.starts[*k], r.slots[*k]
		*k++
		if x := d.chunks[slot]; x.Size > 0 && x.Addr == start && (len(all.starts) == 0 || all.starts[len(all.starts)-1] != start) {
			all.starts, all.slots = append(all.starts, start), append(all.slots, slot)
		}
	}
	return all
}

// run returns a run of the slots in an order.
func (d *Directory) run(order []uint32) run {
	starts := make([]uint64, len(order))
	for i, slot := range order {
		starts[i] = d.chunks[slot].Addr
	}
	return run{starts, order}
}

// Nearest returns the index of the last of some ascending starts that is not above addr, or 0 if all are above. There must be at least one start. Nearest
// halves the range of candidates without testing for a hit, and turns the comparison into a mask: a branch would be mispredicted every other time, and the
// compiler makes no conditional move of an index.
func Nearest(starts []uint64, addr uint64) int {
	i, n := 0, len(starts)
	for n > 1 {
		half := n / 2
		_, below := bits.Sub64(addr, starts[i+half], 0)
		i += half & int(below-1)
		n -= half
	}
	return i
}
