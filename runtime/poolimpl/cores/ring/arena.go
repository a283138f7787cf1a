package ring

import (
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// arena is a ring of bytes. The next block is put at head. Blocks lie from tail to head, or, once head has wrapped around, from tail to the
// end of the arena and from its start to head. Offsets are in the chunk.
type arena struct {
	slot  uint32
	base  uint64 // address of the chunk
	head  uint64 // offset of the end of the newest block; start when there is none
	limit uint64 // where head must stop: a lower bound, as it does not follow frees of the oldest blocks

	// The blocks from the oldest live one on, by age. Blocks are numbered in the order of allocation. Those from oldest on and below newest are in
	// the queue, each at its number modulo the length, which is a power of two.
	queue   []block
	mask    uint64 // the length less one
	oldest  uint64
	newest  uint64
	ahead   uint64 // newest may grow up to here: a lower bound, as it does not follow frees of the oldest blocks
	round   uint64 // number of the block that head wrapped around with last
	sure    uint64 // blocks of the queue with numbers below sure are live, and the newest is not below
	skipped uint64 // blocks in the queue that are not live
	index   index

	start uint64 // offset of its first byte, whose address is a multiple of the granule
	size  uint64 // multiple of the granule

	bin        int    // 1 + index in [Core.arenasBySize]; 0 if the arena is in no list
	prev, next *arena // neighbours in the list
}

// block is a block of an arena.
type block struct {
	off   uint64
	bytes uint64 // asked for; 0: freed
}

// at returns the block with a number. The queue must not be empty. The mask keeps the number within the queue, so no bounds are checked.
func (a *arena) at(number uint64) *block {
	return (*block)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.queue)), uintptr(number&a.mask)*unsafe.Sizeof(block{})))
}

// isRound reports whether head has wrapped around and tail has not.
func (a *arena) isRound() bool { return a.oldest < a.round }

// tail returns the offset of the oldest block, or start if there is none.
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

// fits reports whether a block, put behind an offset, ends before limit. The length need not be rounded up, as starts and limits are
// multiples of the granule apart.
func (a *arena) fits(from, limit, bytes, align uint64) bool {
	off := a.alignUp(from, align)
	return off < limit && bytes-1 < limit-off
}

// alignUp returns the first offset from off on whose address is a multiple of align. The result is beyond the chunk also if the address
// wraps at 2^64.
func (a *arena) alignUp(off, align uint64) uint64 {
	return (a.base+off+align-1)&^(align-1) - a.base
}

// put adds a block, which the arena must be able to serve and which takes up room bytes, and returns its offset.
func (a *arena) put(bytes, room, align uint64) (off uint64) {
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
	a.head = off + room
	return off
}

// extend updates ahead. It doubles a queue that is half full or more, so at least half a queue of blocks fits before the next call.
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

// isOldest reports whether the oldest block starts at off and has bytes bytes. The oldest block is live or pending.
func (a *arena) isOldest(off, bytes uint64) bool {
	if bytes >= pendingFlag {
		return false
	}
	return a.oldest != a.newest && *a.at(a.oldest) == block{off, bytes}
}

// pop removes the oldest block from the queue, together with the freed blocks that follow it.
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

// skip frees a block other than the oldest. Its space becomes free with that of the blocks before it.
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

// classify returns the verdict that a free of the block with a length would get.
func (b *block) classify(bytes uint64) poolimpl.Verdict {
	if b.bytes >= pendingFlag {
		return poolimpl.Double
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

// used returns the bytes from tail to head, which no block can get.
func (a *arena) used() uint64 {
	if a.isRound() {
		return a.size - a.tail() + a.head
	}
	return a.head - a.tail()
}
