package strict

import (
	"math/bits"

	"github.com/poolgen/poolgen/templates/feature"
)

// A word of a chunk's bitmap stands for perWord blocks, and changes by compare-and-swap as a whole. Its lowest bits say of each block whether it is
// taken: live, or not there as the chunk ends before. If [feature.Streams], a pending block is taken, too, and the next bits say of each whether it is pending. The bits
// from the 32nd on count the blocks of the word that have been handed out so far, less what was carried over to the chunk's own count. Bit 63 says
// whether the word is sealed: none of its blocks is handed out or taken back any more.
//
// So what happens to a block and what is counted of it is one step, and costs no more than the step alone.
const (
	blocks uint64 = 1<<perWord - 1
	//poolgen:param
	once      uint64 = 1 << 32 // handed out once more
	sealed    uint64 = 1 << 63
	countMask        = sealed - once
)

// counted: words count what is handed out, also without statistics, as a word must not be the same again after blocks of it came
// into a magazine.
const counted = feature.Counters || feature.Magazines

// isLive reports whether all of some blocks of a word are live. In a sealed word none is.
func isLive(word, some uint64) bool {
	if feature.Streams {
		return word&(some|some<<perWord|sealed) == some
	}
	return word&(some|sealed) == some
}

// taken returns how many blocks of a word are taken.
func taken(word uint64) uint64 { return uint64(bits.OnesCount64(word & blocks)) }

// lowest returns the bit of the first block that is free; if all are taken, the result has a bit outside of blocks, or none.
func lowest(word uint64) uint64 { return ^word & (word + 1) }

// number is off divided by blockSize where that division is exact, and otherwise at least the number of blocks that a chunk can have: one comparison
// then tells both that a block starts at off, and that it lies in the chunk. For the power of two in the size of a block a rotation
// does it: what a shift would lose comes back at the top. The rest is divided, and costs nothing where there is none.
func number(off uint64) uint64 {
	n := bits.RotateLeft64(off, -bits.TrailingZeros64(blockSize))
	return n/odd | -(n % odd)
}

// odd is blockSize without its power of two.
const odd = blockSize / (blockSize &^ (blockSize - 1))

// index is the place of the lowest of some bits.
func index(bit uint64) uint64 { return uint64(bits.TrailingZeros64(bit)) }

// handOut returns the word with blocks handed out whose bits are not set. The count must have room.
func handOut(word, some uint64) uint64 {
	if counted {
		return word + some + once*uint64(bits.OnesCount64(some))
	}
	return word + some
}
