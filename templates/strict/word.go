package strict

import (
	"math/bits"

	"github.com/poolgen/poolgen/templates/feature"
)

// A word of a chunk's bitmap stands for perWord blocks, and changes by compare-and-swap. Its lowest bits say which blocks are taken: live, or absent
// because the chunk ends before them. If [feature.Streams], pending blocks are taken, too, and the next perWord bits say which blocks are pending. If
// [counted], the bits from [once] on count the allocations of the word, without those moved to the overflow of the chunk. Bit 63 says that the word
// is sealed: none of its blocks can be allocated or freed any more.
//
// So one instruction changes the state of a block and the counts.
const (
	blocks uint64 = 1<<perWord - 1
	//poolgen:param
	once      uint64 = 1 << 32 // one allocation in the count
	sealed    uint64 = 1 << 63
	countMask        = sealed - once
)

// counted: words count allocations. They also do for magazines alone: a compare-and-swap must fail if blocks of the word have come into a magazine since
// the word was read.
const counted = feature.Counters || feature.Magazines

// isLive reports whether all of some blocks of a word are live. Blocks of a sealed word are not.
func isLive(word, some uint64) bool {
	if feature.Streams {
		return word&(some|some<<perWord|sealed) == some
	}
	return word&(some|sealed) == some
}

// taken returns the number of blocks of a word that are taken.
func taken(word uint64) uint64 { return uint64(bits.OnesCount64(word & blocks)) }

// lowest returns the bit of the first free block. If all blocks are taken, the result has no bit among those of blocks.
func lowest(word uint64) uint64 { return ^word & (word + 1) }

// number returns off divided by blockSize if the division is exact. Otherwise it returns at least the number of blocks that a chunk can have: one
// comparison then tells whether a block of the chunk starts at off. The power of two in blockSize takes a rotation, which moves the bits that a
// shift would lose to the top. The division by odd costs nothing where odd is 1.
func number(off uint64) uint64 {
	n := bits.RotateLeft64(off, -bits.TrailingZeros64(blockSize))
	return n/odd | -(n % odd)
}

// odd is the largest odd divisor of blockSize.
const odd = blockSize / (blockSize &^ (blockSize - 1))

// index returns the number of the lowest of some bits.
func index(bit uint64) uint64 { return uint64(bits.TrailingZeros64(bit)) }

// handOut returns the word after an allocation of some free blocks. The count must have room.
func handOut(word, some uint64) uint64 {
	if counted {
		return word + some + once*uint64(bits.OnesCount64(some))
	}
	return word + some
}
