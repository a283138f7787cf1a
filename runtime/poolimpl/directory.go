package poolimpl

import (
	"math/bits"
	"slices"
)

// Directory finds the chunk that an address lies in, for suballocators with several chunks. They store what they know of a chunk under its slot. Chunks lie
// anywhere and have any size, so a binary search over their sorted starts finds them. Frees come in runs of neighbours, so the chunk found last is tried
// first, and most frees need no search.
//
// The zero value is empty and ready for use. A Directory is not safe for concurrent use: [Directory.Find] remembers what it found.
type Directory struct {
	base, size uint64 // chunk found last; size is 0 if it was removed
	slot       uint32

	// Chunks by ascending start. The search reads starts only, so they have a slice of their own.
	starts []uint64
	sizes  []uint64
	slots  []uint32
}

// Add adds the chunk [base, base+size) under slot. It must not overlap another chunk; it may touch one, and may end at 2^64. Cost: O(chunks), or O(1) for the
// highest address so far.
func (d *Directory) Add(slot uint32, base, size uint64) {
	i, _ := slices.BinarySearch(d.starts, base)
	d.starts = slices.Insert(d.starts, i, base)
	d.sizes = slices.Insert(d.sizes, i, size)
	d.slots = slices.Insert(d.slots, i, slot)
}

// Remove removes the chunk of slot. A slot without a chunk is ignored. Cost: O(chunks).
func (d *Directory) Remove(slot uint32) {
	i := slices.Index(d.slots, slot)
	if i < 0 {
		return
	}
	if d.base == d.starts[i] {
		d.size = 0
	}
	d.starts = slices.Delete(d.starts, i, i+1)
	d.sizes = slices.Delete(d.sizes, i, i+1)
	d.slots = slices.Delete(d.slots, i, i+1)
}

// Find returns the slot of the chunk that addr lies in, and the offset of addr in it; ok is false if there is none. Cost: one comparison for the chunk found
// last, otherwise O(log chunks). The compiler inlines Find.
func (d *Directory) Find(addr uint64) (slot uint32, off uint64, ok bool) {
	ok = addr-d.base < d.size || d.search(addr)
	return d.slot, addr - d.base, ok
}

// search finds the chunk of addr and remembers it.
func (d *Directory) search(addr uint64) bool {
	if len(d.starts) == 0 {
		return false
	}
	lo := Nearest(d.starts, addr)
	if addr-d.starts[lo] >= d.sizes[lo] {
		return false
	}
	d.base, d.size, d.slot = d.starts[lo], d.sizes[lo], d.slots[lo]
	return true
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
