package fixed

// Used is the entry of a live block; the entry of a free one is the index of the next.
const Used = ^uint32(0)

const (
	none    = Used - 1 // end of a list of free blocks
	pending = none - 1 // the largest number of blocks of a chunk, and the entry of a pending block
	retired = pending  // entry of a retired block: pools with handles have no pending ones
)

// List is the list of free blocks of a chunk.
type List struct {
	Head uint32   // first block of the list; its end if the list is empty
	Next []uint32 // by carved block: the next block of the list, or [Used]
}

// hasFreed reports whether the list has blocks.
func (l *List) hasFreed() bool { return uint64(l.Head) < uint64(len(l.Next)) }

// FreeList returns the list of the current chunk to a caller that takes or frees many blocks at once, and the chunk's slot and address. The next call must
// put the list back: [Core.TookFrom] or [Core.PutOn]. FreeList is not inlined, so that what calls it in the output is.
//
//go:noinline
func (c *Core) FreeList() (slot uint32, base uint64, head uint32, next []uint32) {
	c.part()
	return c.Slot, c.start, c.List.Head, c.List.Next
}

// TookFrom puts the list back after n blocks were taken off it. Head is its first block then.
func (c *Core) TookFrom(head uint32, n uint64) {
	c.List.Head = head
	c.Handed += n
}

// MaxFrees returns how many of n blocks may be put on the list: the last live block of the chunk needs [Core.Free] if that has to tell.
func (c *Core) MaxFrees(n int) int {
	if c.params.Trims {
		return int(min(uint64(n), c.liveIn(c.state())-1))
	}
	return n
}

// PutOn puts the list back after n blocks were put on it. Head is its first block then.
func (c *Core) PutOn(head uint32, n uint64) {
	c.List.Head = head
	c.Returned += n
}
