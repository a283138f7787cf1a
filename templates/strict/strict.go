// Package strict allocates blocks of one size for any number of goroutines at once, without a lock. It fails only when no block is free in any
// chunk.
//
// Each chunk has a bitmap with one bit per block, in words that change by compare-and-swap. The bit says whether the block is live, so it alone
// decides whether a free is valid, even if two goroutines free a block at the same time. Any goroutine may take any free block. But each processor
// has a hint, a word to start at, far from the hints of others: as long as it finds blocks there, it writes to cache lines of its own.
// If [feature.AllocsOn], each stream has a hint, too: a stream keeps the blocks that are freed on it, whichever processor its goroutine runs on.
//
// A processor whose word is full looks for another one with the help of flags: one bit per row of words that was seen full, and one
// per chunk that was not. So a search takes no longer among many full chunks. If free blocks are rare, there is no search as a rule: a free points
// its own processor at the word of the block. Before it fails, the suballocator makes sure that all rows are full at one time (see [strict.Gate]).
//
// In pools with magazines, a processor takes several blocks of a word at once and keeps them for a while (see magazine, fill and recall).
package strict

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. It is safe for concurrent use, except that calls of Add, Remove, Evict, Shut and Usage must not overlap each
// other. The zero value has no chunks and is ready for use.
type Core struct {
	chunks  poolimpl.ChunkMap[chunk]
	open    atomic.Pointer[poolimpl.Bitmap] // by slot: clear if all rows of the chunk have a flag; nil before the first chunk
	count   atomic.Uint64                   // of the blocks of all chunks
	retired poolimpl.Usage                  // counts of removed chunks
	//poolgen:if feature.Magazines
	turn  atomic.Uint32 // grows with each turn, and has [exclusiveTurn] and [drained]
	_     [128]byte     // allocations write to the fields below, and only read those above
	hints [maxHints]hint
	//poolgen:if feature.AllocsOn
	streamHints [maxHints]hint // by the number of the stream
	//poolgen:if feature.Magazines
	magazines [maxHints]magazine
	gate      strict.Gate
	flagging  sync.Mutex // held to set flags in full, of chunks, and to clear bits in open
	//poolgen:if feature.Counters
	peak atomic.Uint64 // largest number of live blocks that was seen
	//poolgen:if feature.Counters
	scanned uint64 // number of blocks when the last scan began; flagging guards it
	//poolgen:if feature.Counters && feature.Magazines
	scannedIn uint32 // turn when the last scan began; flagging guards it
	//poolgen:if feature.Counters && feature.Streams
	closings uint64 // of the gate since notePeak counted; flagging guards it
	//poolgen:if feature.Counters
	undone atomic.Uint64 // allocations in words that do not count
	//poolgen:if feature.Magazines
	recalls sync.Mutex // guards changes of the turn
	//poolgen:if countsStay
	atLimit fullCounts // as of the last Usage with a closed gate
}

// Common returns what the engine calls.
func (c *Core) Common() *Core { return c }

// hint is the word where a processor, or a stream, looks for a block first. It fills cache lines of its own.
type hint struct {
	chunk atomic.Pointer[chunk] // nil if there is no hint
	word  atomic.Uint64
	//poolgen:if feature.Sampled
	countdown poolimpl.Countdown // of a processor
	_         [112]byte
}

// point makes a hint point at a word. A goroutine that reads the hint between the two stores gets another word of the chunk, or a number beyond
// its end. Nobody waits for a hint, so the stores need not be seen at once.
func (h *hint) point(ch *chunk, w uint64) {
	if h.chunk.Load() != ch {
		poolimpl.StoreRelaxedPointer(&h.chunk, ch)
	}
	if h.word.Load() != w {
		poolimpl.StoreRelaxed64(&h.word, w)
	}
}

// AllocFast allocates a block. If [feature.Magazines], it fails if the magazine of the caller's processor is empty. Unless [feature.Magazines], it
// fails if the word of the processor's hint has no free block, or another goroutine changes the word at the same moment.
//
// If [feature.Sampled], it also fails if the block is to be sampled.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		p := poolimpl.Pin()
		if feature.Sampled {
			if c.hints[p%maxHints].countdown.Spend(weight) {
				poolimpl.Unpin()
				return 0, 0, false
			}
		}
		if poolimpl.Pins && p < maxHints && c.turn.Load()&exclusiveTurn == 0 {
			m := &c.magazines[p]
			if some := atomic.LoadUint32(&m.some); some != 0 {
				slot, off = m.pop(some)
				poolimpl.Unpin()
				return slot, off, true
			}
		}
		poolimpl.Unpin()
		return 0, 0, false
	} else {
		h := &c.hints[poolimpl.Pin()%maxHints]
		poolimpl.Unpin()
		if feature.Sampled {
			if h.countdown.Spend(weight) {
				return 0, 0, false
			}
		}
		ch, w := h.chunk.Load(), h.word.Load()
		if ch == nil || w >= uint64(len(ch.Words)) {
			return 0, 0, false
		}
		word := &ch.Words[w]
		old := word.Load()
		bit := lowest(old)
		next := old + bit
		if feature.Counters {
			next += once
		}
		if bit&blocks == 0 || old >= countMask {
			return 0, 0, false
		}
		if !word.CompareAndSwap(old, next) {
			h.word.Store(w + strict.Row) // away from the other goroutine
			return 0, 0, false
		}
		if feature.Trims {
			if ch.wordEmpty(w, old) {
				ch.idle.Clear(w / strict.Row)
			}
		}
		return ch.slot, (w*perWord + index(bit)) * blockSize, true
	}
}

// Alloc allocates a free block of any chunk. It ignores the length and the alignment: all requests have the same.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		return c.allocMagazine()
	} else {
		slot, r := c.AllocRun(1)
		_, off, ok = r.Next()
		return slot, off, ok
	}
}

// AllocAny is Alloc. If [feature.Magazines], it also finds blocks in the magazines of other processors.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		return c.allocAnyRecalled()
	} else {
		return c.Alloc(bytes, align)
	}
}

// Free frees the block that starts at addr. It ignores the length: all blocks have the same.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunks.Find(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	i := number(addr - ch.base)
	if i >= ch.count {
		return 0, poolimpl.Foreign
	}
	w, bit := i/perWord, uint64(1)<<(i%perWord)
	word := &ch.Words[w]
	for {
		old := word.Load()
		if !isLive(old, bit) {
			return ch.slot, poolimpl.Double
		}
		if feature.Magazines {
			if ch.anyInMagazine(w, bit) {
				return ch.slot, poolimpl.Double
			}
		}
		if word.CompareAndSwap(old, old-bit) {
			if !feature.Trims && !ch.Full.Has(w/strict.Row) && c.gate.IsQuiet() { // the common case of afterFree
				return ch.slot, poolimpl.Freed
			}
			return ch.slot, c.afterFree(ch, w, old, old-bit)
		}
	}
}

// afterFree clears flags, opens the gate, and points the hint of the processor at the word, after blocks of the word were freed. old and now are the word
// before and after.
func (c *Core) afterFree(ch *chunk, w, old, now uint64) poolimpl.Verdict {
	if ch.Full.Has(w / strict.Row) {
		c.clearFlag(ch, w/strict.Row)
	}
	if c.gate.NeedsOpen() {
		c.gate.Open()
	}
	if old&blocks == blocks && c.gate.IsShort() {
		c.offer(ch, w)
	}
	if feature.Trims {
		if ch.wordEmpty(w, now) && ch.isEmpty() {
			return poolimpl.Emptied
		}
	}
	return poolimpl.Freed
}

// Undo is Free for a block that no caller has received. If [feature.Counters], it takes back the count of the allocation.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.undone.Add(1)
		}
	}
	return slot, v
}
