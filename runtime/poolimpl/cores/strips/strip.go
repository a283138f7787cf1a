package strips

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// strip is a part of a chunk where blocks are allocated one behind the other. A processor uses it until it is sealed. A goroutine that still uses it
// afterwards finds no room. The padding keeps the word of the next strip off this cache line, and off the line that processors fetch with it.
type strip struct {
	word atomic.Uint64 // has all that changes, see [sealed]
	size uint64
	addr uint64 // of its start
	off  uint64 // of its start in the chunk
	mask uint64 // the granule less one
	slot uint32

	countdown poolimpl.Countdown
	_         [64]byte
}

// The word of a strip has three counts, from its low bits up: the bytes in use, rounded; the bytes asked for; and the blocks. None of them exceeds
// maxStrip. The bit sealed makes a strip look more than full.
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

// taking returns what a block adds to the word.
func (s *strip) taking(bytes uint64) uint64 {
	return (bytes - 1 | s.mask) + 1 + bytes<<askedShift + 1<<countShift
}

// blocks returns the number of blocks in the word of a strip, and the bytes asked for.
func blocks(w uint64) (count, bytes uint64) { return w >> countShift, w >> askedShift & askedMask }

// alloc allocates bytes bytes at a multiple of align and of the granule, and returns their offset in the chunk. It takes one atomic instruction, unless
// another goroutine changes the strip at the same moment.
func (s *strip) alloc(bytes, align uint64) (off uint64, ok bool) {
	for {
		w := s.word.Load()
		at := w & usedMask
		skip := -(s.addr + at) & (align - 1)
		at += skip
		if at >= s.size || bytes-1 >= s.size-at {
			return 0, false
		}
		if s.word.CompareAndSwap(w, w+skip+s.taking(bytes)) {
			return s.off + at, true
		}
	}
}

// seal makes the strip look full, and returns its word before that.
func (s *strip) seal() uint64 { return s.word.Or(sealed) }
