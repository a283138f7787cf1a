package ring

import (
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// arena is a ring of bytes. Blocks lie between tail and head, and the next one is put at head. Or else head has
// gone round and is behind the start again; blocks then lie from tail to the end of the arena, and from the start to head.
// Offsets are those in the chunk.
type arena struct {
	slot  uint32
	base  uint64 // address of the chunk
	head  uint64 // offset behind the newest block; start when there is none
	limit uint64 // where head must stop as far as is known; the oldest blocks may have been freed since

	// The blocks from the oldest live one on, by age. Those numbered from oldest up to newest are there, at
	// their number modulo the length, which is a power of two.
	queue   []block
	mask    uint64 // the length less one
	oldest  uint64
	newest  uint64
	ahead   uint64 // newest may grow up to here, as far as is known; the oldest blocks may have been freed since
	round   uint64 // number of the block that head went round with last
	sure    uint64 // the blocks numbered below are live or gone, and the newest is above
	skipped uint64 // blocks in the queue that are not live
	index   index

	start uint64 // offset of its first byte, whose address is a multiple of the granule
	size  uint64 // multiple of the granule

	bin        int    // 1 + index in [Core.arenasBySize]; 0: not there
	prev, next *arena // neighbours there
}

// block is a block of an arena.
type block struct {
	off   uint64
	bytes uint64 // asked for; 0: freed
}

// at returns the block with a number. There must be a queue; then the masked number is within it.
func (a *arena) at(number uint64) *block {
	return (*block)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.queue)), uintptr(number&a.mask)*unsafe.Sizeof(block{})))
}

// isRound reports whether head has gone round, and tail has not.
func (a *arena) isRound() bool { return a.oldest < a.round }

// tail returns the offset of the oldest block, or where it would be.
func (a *arena) tail() uint64 {
	if a.oldest == a.newest {
		return a.start
	}
	return a.at(a.oldest).off
}

// bound returns where head must stop.
func (a *arena) bound() uint64 {
	if a.isRound() {
		return a.tail()
	}
	return a.start + a.size
}

// canServe reports whether a block fits, at head or at the start.
func (a *arena) canServe(bytes, align uint64) bool {
	return a.fits(a.head, a.bound(), bytes, align) || !a.isRound() && a.fits(a.start, a.tail(), bytes, align)
}

// fits reports whether a block, put behind an offset, ends before limit. Starts and limits are multiples
// of the granule apart, so rounding the length up does not matter.
func (a *arena) fits(from, limit, bytes, align uint64) bool {
	off := a.alignUp(from, align)
	return off < limit && bytes-1 < limit-off
}

// alignUp returns the first offset from one on whose address is a multiple of align. It is
// beyond the chunk also when the address goes round 2^64.
func (a *arena) alignUp(off, align uint64) uint64 {
	return (a.base+off+align-1)&^(align-1) - a.base
}

// put adds a block that the arena can serve, and returns its offset.
func (a *arena) put(bytes, align uint64) (off uint64) {
	a.limit = a.bound()
	if !a.fits(a.head, a.limit, bytes, align) {
		a.head, a.limit, a.round = a.start, a.tail(), a.newest
	}
	if a.newest >= a.ahead {
		a.extend()
	}
	off = a.alignUp(a.head, align)
	*a.at(a.newest) = block{off, bytes}
	a.newest++
	a.head = off + (bytes+granule-1)&^(granule-1)
	return off
}

// extend looks how far newest may grow. It doubles a queue that is half full, so that it pays off before it is called again.
func (a *arena) extend() {
	if n := uint64(len(a.queue)); a.newest-a.oldest >= n/2 {
		old := *a
		a.queue = make([]block, max(16, 2*n))
		a.mask = uint64(len(a.queue)) - 1
		for i := a.oldest; i != a.newest; i++ {
			*a.at(i) = *old.at(i)
		}
	}
	a.ahead = a.oldest + uint64(len(a.queue))
}

// isOldest reports whether the oldest block starts at off and has bytes bytes. It is live, if there is one.
func (a *arena) isOldest(off, bytes uint64) bool {
	if feature.Streams {
		if bytes >= pendingFlag {
			return false
		}
	}
	return a.oldest != a.newest && *a.at(a.oldest) == block{off, bytes}
}

// pop frees the oldest block, and takes those that follow and were freed before from the queue as well.
func (a *arena) pop() {
	first := a.oldest + 1
	i := first
	for i != a.newest && a.at(i).bytes == 0 {
		i++
	}
	a.oldest = i
	a.skipped -= i - first
	if a.skipped == 0 {
		a.sure = a.newest - 1
	}
	if i == a.newest {
		a.head, a.limit = a.start, a.start+a.size
	}
}

// skip marks a block other than the oldest as freed; its space comes back with that of the ones before it.
func (a *arena) skip(off, bytes uint64) poolimpl.Verdict {
	n, ok := a.search(off)
	if !ok {
		return poolimpl.Foreign
	}
	b := a.at(n)
	if v := b.classify(bytes); v != poolimpl.Freed {
		return v
	}
	b.bytes = 0
	a.skipped++
	a.sure = 0
	return poolimpl.Freed
}

// classify says what a free of the block, with a length, comes to.
func (b *block) classify(bytes uint64) poolimpl.Verdict {
	if feature.Streams {
		if b.bytes >= pendingFlag {
			return poolimpl.Double
		}
	}
	switch b.bytes {
	case 0:
		return poolimpl.Double
	case bytes:
		return poolimpl.Freed
	}
	return poolimpl.Foreign
}

// room returns the length of the largest block that fits.
func (a *arena) room() uint64 {
	if a.isRound() {
		return a.tail() - a.head
	}
	return max(a.start+a.size-a.head, a.tail()-a.start)
}

// used returns the bytes that cannot be handed out.
func (a *arena) used() uint64 {
	if a.isRound() {
		return a.size - a.tail() + a.head
	}
	return a.head - a.tail()
}
