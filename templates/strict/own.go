package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Owns // the condition of the declarations below

// AllocOwn allocates a block of a word that the caller's processor owns. It fails if the word has no free block.
//
//poolgen:if feature.Owns
func (c *Core) AllocOwn(m *strict.Magazine, word *atomic.Uint64) (slot uint32, off uint64, ok bool) {
	old := word.Load()
	bit := ^old & (old + 1) // of the first free block
	next := old + bit + strict.Once
	if (next^old)>>strict.OwnerShift|bit>>perWord != 0 { // no room in the count, or no free block
		return
	}
	slot, off = m.Slot, m.First+uint64(bits.TrailingZeros64(bit))*blockSize // read before the store: the next owner writes
	poolimpl.StoreRelaxed64(word, next)
	return slot, off, true
}

// FreeOwn frees the block that starts at an offset from the first one of a word that the caller's processor owns, if it is a live block of the word.
//
//poolgen:if feature.Owns
func (c *Core) FreeOwn(m *strict.Magazine, word *atomic.Uint64, off uint64) (ok bool) {
	i := number(off)
	bit := uint64(1) << (i % perWord)
	old := word.Load()
	if i >= m.Blocks.Load() || old&bit == 0 {
		return false
	}
	poolimpl.StoreRelaxed64(word, old-bit)
	return true
}
