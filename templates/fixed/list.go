package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/templates/feature"
)

// List is the list of the blocks at hand. A loop that takes or frees many blocks works on a copy in registers, so each step touches only the entry of its
// block.
type List struct {
	Head uint32   // the first of them
	next []uint32 // by block: the next one, or [fixed.Used]
	//poolgen:if feature.Handles
	gens []uint32 // by block: the number of its life
}

// FreeList returns the blocks at hand, with the slot from which their offsets count. The next call must put the list back: TookFrom of [Core.Common].
func (c *Core) FreeList() (slot uint32, list List) {
	list.Head, list.next = c.List.Head, c.List.Next
	return c.Slot, list
}

// NearList is FreeList for a caller that frees blocks: of those that FreeFast frees, the first of which is at base. The next call must put the list back: PutOn of
// [Core.Common].
func (c *Core) NearList() (base uint64, list List) {
	base, list.Head, list.next = c.Common().NearList()
	if feature.Handles {
		list.gens = c.Gens
	}
	return base, list
}

// Pop takes the first block off the list and returns its offset in the chunk. It reports false if the list is empty.
func (l List) Pop() (rest List, off uint64, ok bool) {
	h := uint64(l.Head)
	if h < uint64(len(l.next)) {
		l.Head, l.next[h] = l.next[h], fixed.Used
		return l, h * blockSize, true
	}
	return l, 0, false
}

// Push puts the block at off on the list. It reports false if no live block starts there.
func (l List) Push(off uint64) (longer List, ok bool) {
	i := number(off)
	if i < uint64(len(l.next)) && l.next[i] == fixed.Used {
		if feature.Handles {
			if !fixed.Age(l.gens, i) {
				return l, false
			}
		}
		l.Head, l.next[i] = uint32(i), l.Head
		return l, true
	}
	return l, false
}
