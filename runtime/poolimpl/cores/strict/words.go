package strict

import "math/bits"

// A word of a chunk's bitmap stands for some blocks, and changes by compare-and-swap, unless it has an owner. Its lowest bits say which blocks are
// taken: live, or absent because the chunk ends before them. With [Params.Streams], pending blocks are taken, too, and the next bits say which
// blocks are pending. If words count, the bits from [Once] on count the allocations of the word, without those moved to the overflow of the chunk.
// Bits 49 to 55 say which processor owns the word, see own.go. Bit 63 says that the word is sealed: none of its blocks can be allocated or freed
// any more.
//
// So one instruction changes the state of a block and the counts.
const (
	Once      uint64 = 1 << 33 // one allocation in the count
	Sealed    uint64 = 1 << 63
	CountMask        = 1<<OwnerShift - Once
)

// busy is set in a word whose [InMagazine] is about to change. Meanwhile no other goroutine allocates blocks of the word, as they may be those of
// the magazine. Live blocks of the word can be freed.
const busy = Once >> 1

// countFull is the least count without room for the blocks of a word.
const countFull = CountMask - 32*Once

// layout says how the words of a pool are divided.
type layout struct {
	blocks  uint64 // bits that stand for blocks
	shift   uint   // a block has its bit in the word with its number >> shift
	pending uint   // the bit of a pending block lies so much above; 0 if there is none
	once    uint64 // [Once], or 0 if words do not count
}

// layoutOf returns the layout of a pool. Words count allocations also for magazines alone, as a compare-and-swap must fail if blocks of the word have come into a
// magazine since the word was read; and for owners, who come after many allocations.
func layoutOf(p *Params) layout {
	l := layout{blocks: 1<<p.PerWord - 1, shift: uint(bits.TrailingZeros64(p.PerWord))}
	if p.Streams {
		l.pending = uint(p.PerWord)
	}
	if p.Counters || p.Magazine > 0 || p.Owns {
		l.once = Once
	}
	return l
}

// bitOf returns the word and the bit of the block with a number.
func (l *layout) bitOf(number uint64) (w, bit uint64) {
	w = number >> (l.shift & 63)
	return w, 1 << ((number - w<<(l.shift&63)) & 63)
}

// isLive reports whether all of some blocks of a word, which is number w of a chunk, are live. Blocks of a sealed word are not. Magazines are looked at after
// the word was read.
//
//go:nosplit
func (c *Core) isLive(ch *Chunk, w, word, some uint64) bool {
	all := some | Sealed
	if c.pending > 0 {
		all |= some << (c.pending & 63)
	}
	return word&all == some && (ch.inMagazine == nil || !ch.AnyInMagazine(w, some))
}

// handOut returns the word after an allocation of some free blocks. The count must have room.
//
//go:nosplit
func (l *layout) handOut(word, some uint64) uint64 { return word + some + l.once*count(some) }

// count returns how many blocks some bits stand for.
func count(some uint64) uint64 { return uint64(bits.OnesCount64(some)) }

// index returns the number of the lowest of some bits.
func index(some uint64) uint64 { return uint64(bits.TrailingZeros64(some)) }

// lowestOf returns the n lowest of some bits, or all if there are fewer.
//
//go:nosplit
func lowestOf(some, n uint64) uint64 {
	if count(some) <= n {
		return some
	}
	rest := some
	for range n {
		rest &= rest - 1
	}
	return some &^ rest
}
