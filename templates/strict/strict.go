// Package strict has the fast path of package [strict]: what depends on the size of a block.
//
// [strict]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/strict
package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator, with the fast path for blocks of this size. Its zero value is empty. It is safe for concurrent use.
type Core struct{ strict.Core }

// Common returns the suballocator with all that it can do for blocks of any size.
func (c *Core) Common() *strict.Core { return &c.Core }

// AllocFast allocates a block. If [feature.Magazines], it fails if the magazine of the caller's processor is empty, or the block is to be sampled. Otherwise it
// fails where AllocShared does.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		p := poolimpl.Pin()
		own := &c.Processors[p%strict.MaxProcessors]
		if feature.Sampled {
			if own.Countdown.Spend(weight) {
				poolimpl.Unpin()
				return 0, 0, false
			}
		}
		if poolimpl.Pins && p < strict.MaxProcessors && c.Turn.Load()&strict.Exclusive == 0 {
			if some := atomic.LoadUint32(&own.Some); some != 0 {
				slot, off = own.Slot, own.First
				off += own.Pop(some) * blockSize
				poolimpl.Unpin()
				return slot, off, true
			}
		}
		poolimpl.Unpin()
		return 0, 0, false
	} else {
		p := poolimpl.Pin()
		if feature.Owns {
			if m, word := c.Own(p); word != nil {
				slot, off, ok = c.AllocOwn(m, word)
			}
		}
		poolimpl.Unpin()
		if !ok {
			slot, off, ok = c.AllocShared(p)
		}
		return slot, off, ok
	}
}

// AllocShared allocates a block for processor p. It fails if the word of the processor's hint has no free block, or another goroutine changes the word at the same
// moment. If [feature.Owns], it also fails while processors own words. If [feature.Sampled], it also fails if the block is to be sampled.
//
//poolgen:if !feature.Magazines
func (c *Core) AllocShared(p uint32) (slot uint32, off uint64, ok bool) {
	h := &c.Processors[p%strict.MaxProcessors]
	if feature.Sampled {
		if h.Countdown.Spend(weight) {
			return 0, 0, false
		}
	}
	ch, w := h.Chunk.Load(), h.Word.Load()
	if ch == nil || w >= uint64(len(ch.Words)) {
		return 0, 0, false
	}
	if feature.Owns {
		if p < strict.MaxProcessors && c.IsOwning() {
			return 0, 0, false
		}
	}
	word := &ch.Words[w]
	old := word.Load()
	bit := ^old & (old + 1) // of the first free block
	next := old + bit
	if feature.Owns || feature.Counters {
		next += strict.Once
	}
	if bit>>perWord != 0 || old >= strict.CountMask {
		return 0, 0, false
	}
	if !word.CompareAndSwap(old, next) {
		h.Word.Store(w + strict.Row) // away from the other goroutine
		return 0, 0, false
	}
	if feature.Trims {
		if ch.IsIdle(w, old) {
			ch.Idle.Clear(w / strict.Row)
		}
	}
	return ch.Slot, (w*perWord + uint64(bits.TrailingZeros64(bit))) * blockSize, true
}

// Free frees the block that starts at addr. Free of [Core.Common] refuses what is no live block, and goes on if another goroutine changes the word meanwhile.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if ch := c.Chunks.Find(addr); ch != nil {
		if i := number(addr - ch.Base); i < ch.Blocks {
			w, bit := i/perWord, uint64(1)<<(i%perWord)
			dead := strict.Sealed // bits that the word of a live block does not have
			if feature.Streams {
				dead |= bit << perWord
			}
			word := &ch.Words[w]
			old := word.Load()
			if feature.Owns {
				dead |= strict.Owned
			}
			if old&(bit|dead) == bit && (!feature.Magazines || !ch.AnyInMagazine(w, bit)) && word.CompareAndSwap(old, old-bit) {
				if !feature.Trims && !ch.Full.Has(w/strict.Row) && c.Gate.IsQuiet() { // the common case of AfterFree
					return ch.Slot, poolimpl.Freed
				}
				return ch.Slot, c.AfterFree(ch, w, old-bit)
			}
		}
	}
	return c.Core.Free(addr, bytes)
}

// number returns off divided by blockSize if the division is exact. Otherwise it returns at least the number of blocks that a chunk can have: one
// comparison then tells whether a block of the chunk starts at off. The power of two in blockSize takes a rotation, which moves the bits that a
// shift would lose to the top. The division by odd costs nothing where odd is 1.
func number(off uint64) uint64 {
	n := bits.RotateLeft64(off, -bits.TrailingZeros64(blockSize))
	return n/odd | -(n % odd)
}

// odd is the largest odd divisor of blockSize.
const odd = blockSize / (blockSize &^ (blockSize - 1))
