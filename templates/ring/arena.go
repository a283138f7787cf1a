package ring

import (
	"math/bits"

	"github.com/poolgen/poolgen/runtime"
)

// arena is a ring of bytes. Blocks lie between tail and head, and the next one is put at head. Or else head has
// gone round and is behind the start again; blocks then lie from tail to the end of the arena, and from the start to head.
type arena struct {
	base  uint64 // address of its first byte, a multiple of the granule
	size  uint64 // multiple of the granule
	start uint64 // offset in its chunk
	slot  uint32

	bin        int    // 1 + index in Core.shelf; 0: not there
	prev, next *arena // neighbours there

	head  uint64 // offset behind the newest block; 0 when the arena is empty
	tail  uint64 // offset of the oldest block; 0 when the arena is empty
	limit uint64 // where head must stop: at size, or at tail once it has gone round
	round uint   // number of the block with which head went round, while limit is below size

	// The blocks from the oldest live one on, by age. Those numbered from oldest up to newest are there, at
	// their number modulo the length, which is a power of two.
	queue  []block
	oldest uint
	newest uint
}

// block is a block of an arena.
type block struct {
	off   uint64
	bytes uint64 // asked for; 0: freed
}

// canServe reports whether a block fits, at head or at the start.
func (a *arena) canServe(bytes, align uint64) bool {
	return a.fits(a.head, a.limit, bytes, align) || a.goesRound(bytes, align)
}

// goesRound reports whether a block fits at the start, before the blocks.
func (a *arena) goesRound(bytes, align uint64) bool {
	return a.limit == a.size && a.fits(0, a.tail, bytes, align)
}

// fits reports whether a block, put behind an offset, ends before limit. Offsets and limits are multiples
// of the granule, so rounding the length up does not matter.
func (a *arena) fits(from, limit, bytes, align uint64) bool {
	off := a.alignUp(from, align)
	return off < limit && bytes-1 < limit-off
}

// alignUp returns the first offset from one on whose address is a multiple of align. It is
// beyond the arena also when the address goes round 2^64.
func (a *arena) alignUp(off, align uint64) uint64 {
	return (a.base+off+align-1)&^(align-1) - a.base
}

// at returns the block with a number.
func (a *arena) at(number uint) *block {
	return &a.queue[number&uint(len(a.queue)-1)]
}

// grow doubles the queue.
func (a *arena) grow() {
	queue := make([]block, max(16, 2*len(a.queue)))
	for i := a.oldest; i != a.newest; i++ {
		queue[i&uint(len(queue)-1)] = *a.at(i)
	}
	a.queue = queue
}

// isOldest reports whether the oldest block starts at off and has bytes bytes. It is live, if there is one.
func (a *arena) isOldest(off, bytes uint64) bool {
	if a.oldest == a.newest {
		return false
	}
	b := a.at(a.oldest)
	return b.off == off && b.bytes == bytes
}

// pop frees the oldest block, and gives the space back up to the oldest live one.
func (a *arena) pop() {
	i := a.oldest + 1
	for i != a.newest && a.at(i).bytes == 0 {
		i++
	}
	a.oldest = i
	if i == a.newest {
		a.head, a.tail, a.limit = 0, 0, a.size
		return
	}
	tail := a.at(i).off
	if a.limit < a.size {
		a.limit = tail
		if tail < a.tail { // tail has gone round as well
			a.limit = a.size
		}
	}
	a.tail = tail
}

// strike marks a block other than the oldest as freed; its space comes back with that of the ones before it.
func (a *arena) strike(off, bytes uint64) runtime.Verdict {
	b := a.search(off)
	switch {
	case b == nil || b.off != off:
		return runtime.Foreign
	case b.bytes == 0:
		return runtime.Double
	case b.bytes != bytes:
		return runtime.Foreign
	}
	b.bytes = 0
	return runtime.Freed
}

// search returns the last block that starts at or before off, among those on the same side of the end of the
// arena, so that offsets ascend; nil if there is none. A mask takes the place of a branch that would be mispredicted
// every other time.
func (a *arena) search(off uint64) *block {
	low, end := a.oldest, a.newest
	if a.limit < a.size {
		if off >= a.tail {
			end = a.round
		} else {
			low = a.round
		}
	}
	if low == end {
		return nil
	}
	for n := end - low; n > 1; {
		half := n / 2
		_, below := bits.Sub64(off, a.at(low+half).off, 0)
		low += half & uint(below-1)
		n -= half
	}
	return a.at(low)
}

// room returns the length of the largest block that fits.
func (a *arena) room() uint64 {
	if a.limit < a.size {
		return a.limit - a.head
	}
	return max(a.size-a.head, a.tail)
}

// used returns the bytes that cannot be handed out.
func (a *arena) used() uint64 {
	if a.limit < a.size {
		return a.size - a.tail + a.head
	}
	return a.head - a.tail
}
