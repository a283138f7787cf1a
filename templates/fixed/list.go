package fixed

import (
	"math/bits"

	"github.com/poolgen/poolgen/templates/feature"
)

const (
	used    = ^index(0) // entry of a live block; the entry of a free one is the index of the next
	none    = used - 1  // end of a list of free blocks
	pending = none - 1  // the largest number of blocks of a chunk. If [feature.Streams], also the entry of a pending block.
)

// List is the list of free blocks of a chunk. A loop that takes or frees many blocks works on a copy in registers, so each step touches
// only the entry of its block.
type List struct {
	head index   // first block of the list; none if the list is empty
	next []index // by carved block: the next block of the list, or used
	//poolgen:if feature.Handles
	gens []uint32 // by block: the number of its life, which a free ends
}

// hasFreed reports whether the list has blocks.
func (l *List) hasFreed() bool { return uint64(l.head) < uint64(len(l.next)) }

// Pop takes the first block off the list and returns its offset in the chunk. It reports false if the list is empty.
func (l List) Pop() (rest List, off uint64, ok bool) {
	h := uint64(l.head)
	if h < uint64(len(l.next)) {
		l.head, l.next[h] = l.next[h], used
		return l, h * blockSize, true
	}
	return l, 0, false
}

// Push puts the block at off on the list. It reports false if no live block starts there.
func (l List) Push(off uint64) (longer List, ok bool) {
	i := number(off)
	if i < uint64(len(l.next)) && l.next[i] == used {
		if feature.Handles {
			if !l.age(i) {
				return l, false
			}
		}
		l.head, l.next[i] = index(i), l.head
		return l, true
	}
	return l, false
}

// FreeList returns the list of the current chunk to a caller that takes or frees many blocks at once. The next call must put the list back:
// [Core.Allocated] or [Core.Freed].
func (c *Core) FreeList() (slot uint32, base uint64, list List) {
	if joins {
		c.part()
		return c.slot, c.start, c.list
	} else {
		ch := c.state()
		return ch.number(), ch.base, c.list
	}
}

// Allocated puts the list back after n blocks were taken off it.
func (c *Core) Allocated(rest List, n uint64) {
	c.list.head = rest.head
	c.allocated += n
}

// MaxFrees returns how many of n blocks may be put on the list. Unless [feature.Trims], that is all of them. If [feature.Trims], the last
// live block of the chunk needs [Core.Free].
func (c *Core) MaxFrees(n int) int {
	if feature.Trims {
		return int(min(uint64(n), c.liveIn(c.state())-1))
	}
	return n
}

// Freed puts the list back after n blocks were put on it.
func (c *Core) Freed(longer List, n uint64) {
	c.list.head = longer.head
	c.freed += n
}

// number returns off / blockSize if a block can start at off, otherwise at least the largest number of blocks of a chunk, so one comparison
// decides. A rotation divides by the power of two in blockSize and moves the remainder to the top.
func number(off uint64) uint64 {
	n := bits.RotateLeft64(off, -bits.TrailingZeros64(blockSize))
	return n/odd | -(n % odd)
}

// odd is blockSize without its factors of two.
const odd = blockSize / (blockSize &^ (blockSize - 1))
