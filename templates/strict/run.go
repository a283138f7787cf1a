package strict

import (
	"math/bits"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
)

// Next returns the offset of the first block of a run, and the rest of the run. It reports false if the run has no blocks.
func (c *Core) Next(r strict.Run) (rest strict.Run, off uint64, ok bool) {
	if r.Some == 0 {
		return r, 0, false
	}
	off = (r.Word*perWord + uint64(bits.TrailingZeros64(r.Some))) * blockSize
	r.Some &= r.Some - 1
	return r, off, true
}

// Join adds the block that starts at addr to a run, if the block lies in the word of the run and has not joined the run before.
func (c *Core) Join(r strict.Run, addr uint64) (longer strict.Run, ok bool) {
	if r.Chunk == nil {
		return r, false
	}
	i := number(addr - r.Chunk.Base)
	bit := uint64(1) << (i % perWord)
	if i >= r.Chunk.Blocks || i/perWord != r.Word || r.Some&bit != 0 {
		return r, false
	}
	r.Some |= bit
	return r, true
}
