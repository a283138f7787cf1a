package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/templates/feature"
)

// List is the list of the blocks at hand, for loops that take or free many blocks.
type List fixed.List

// FreeList returns the blocks at hand, with the slot and the address of their chunk. The next call must put the list back: TookFrom or PutOn of
// [Core.Common].
func (c *Core) FreeList() (slot uint32, base uint64, list List) {
	slot, base, l := c.Common().FreeList()
	return slot, base, List(l)
}

// Pop takes the first block off the list and returns its offset in the chunk. It reports false if the list is empty.
func (l List) Pop() (rest List, off uint64, ok bool) {
	h := uint64(l.Head)
	if h < uint64(len(l.Next)) {
		l.Head, l.Next[h] = l.Next[h], fixed.Used
		return l, h * blockSize, true
	}
	return l, 0, false
}

// Push puts the block at off on the list. It reports false if no live block starts there.
func (l List) Push(off uint64) (longer List, ok bool) {
	i := number(off)
	if i < uint64(len(l.Next)) && l.Next[i] == fixed.Used {
		if feature.Handles {
			if !(*fixed.List)(&l).Age(i) {
				return l, false
			}
		}
		l.Head, l.Next[i] = uint32(i), l.Head
		return l, true
	}
	return l, false
}
