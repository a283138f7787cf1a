package strips

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/templates/bump"
)

// strip is a piece of a chunk that blocks are taken from, one behind the other. A processor uses it until it is sealed; a goroutine that still has it
// then finds no room. The space at the end keeps the word of the next strip off this cache line, and off the one that the processor fetches with it.
type strip struct {
	word atomic.Uint64 // all that changes: see below
	size uint64
	addr uint64 // of its start
	off  uint64 // of its start in the chunk
	slot uint32
	_    [92]byte
}

// The word of a strip counts, from its low bits up, the bytes that are taken, rounded; the bytes that were asked for; and the blocks. None of
// these exceeds the size of a strip. A strip is sealed by a bit that makes it look more than full.
const (
	maxStrip   = 1 << 20
	usedBits   = 22
	askedBits  = 21
	sealed     = 1 << (usedBits - 1)
	usedMask   = 1<<usedBits - 1
	askedMask  = 1<<askedBits - 1
	askedShift = usedBits
	countShift = usedBits + askedBits
)

// taking is what a block adds to the word of its strip.
func taking(bytes uint64) uint64 {
	return (bytes+bump.Unit-1)&^(bump.Unit-1) + bytes<<askedShift + 1<<countShift
}

// blocks returns the number of blocks in the word of a strip, and the bytes they were asked for.
func blocks(w uint64) (count, bytes uint64) { return w >> countShift, w >> askedShift & askedMask }

// alloc hands out bytes bytes at a multiple of align and of the granule, and returns their offset in the chunk. It is one atomic
// instruction, unless another goroutine takes from the strip at the same moment.
func (s *strip) alloc(bytes, align uint64) (off uint64, ok bool) {
	for {
		w := s.word.Load()
		at := w & usedMask
		skip := -(s.addr + at) & (align - 1)
		at += skip
		if at >= s.size || bytes-1 >= s.size-at {
			return 0, false
		}
		if s.word.CompareAndSwap(w, w+skip+taking(bytes)) {
			return s.off + at, true
		}
	}
}

// seal ends the strip, and returns its last word.
func (s *strip) seal() uint64 { return s.word.Or(sealed) }
