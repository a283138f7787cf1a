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

// TookFrom puts the list at hand back after n blocks were taken off it. Head is its first block then.
func (c *Core) TookFrom(head uint32, n uint64) {
	c.List.Head = head
	c.Handed += n
}

// NearList returns the list to a caller that frees many blocks at once: next has the entries of those that may be freed so, up to [Core.MaxFrees] of them, and base is
// the address of the first. The next call must put the list back: [Core.PutOn].
//
//go:noinline
func (c *Core) NearList() (base uint64, head uint32, next []uint32) {
	if c.current != nil {
		c.arm() // also if the fast path pauses
	}
	return c.Base, c.List.Head, c.Near
}

// MaxFrees returns how many of n blocks may be put on the list: what ends a turn needs [Core.Free], as does the last live block of a chunk if that has to be told.
func (c *Core) MaxFrees(n int) int { return int(min(uint64(n), c.Due-c.Returned)) }

// PutOn puts the list back after n blocks were put on it. Head is its first block then.
func (c *Core) PutOn(head uint32, n uint64) {
	c.List.Head = head
	c.Returned += n
}
