// Package strict allocates blocks of one size for any number of goroutines at once, without a lock. It fails only when no block is free in any
// chunk.
//
// Each chunk has a bitmap with one bit per block, in words that change by compare-and-swap. The bit says whether the block is live, so it alone
// decides whether a free is valid, even if two goroutines free a block at the same time. Any goroutine may take any free block. But each processor
// has a hint, a word to start at, far from the hints of others: as long as it finds blocks there, it writes to cache lines of its own.
// With [Params.AllocsOn], each stream has a hint, too: a stream keeps the blocks that are freed on it, whichever processor its goroutine runs on.
//
// A processor whose word is full looks for another one with the help of flags: one bit per row of words that was seen full, and one
// per chunk that was not. So a search takes no longer among many full chunks. If free blocks are rare, there is no search as a rule: a free points
// its own processor at the word of the block. Before it fails, the suballocator makes sure that all rows are full at one time (see [Gate]).
//
// Where most blocks are freed on the processor that has allocated them, each processor owns the word it is at, and changes it without atomic instructions: see
// own.go. With [Params.Magazine], a processor takes several blocks of a word at once and keeps them for a while (see magazine.go, fill.go and recall.go).
//
// Generated code has the fast path, with the size of a block as a constant: it takes a block of the processor's word, or of its magazine, and frees a
// block. It works on the exported fields. This package has the rest.
package strict

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is the suballocator. Its zero value has no chunks; [Core.Set] makes it ready for Add. It is safe for concurrent use, except that calls of Set, Add, Remove,
// Evict, Shut and Usage must not overlap each other. A goroutine reads the parameters only once it has seen a chunk, or that there was one.
type Core struct {
	Chunks  poolimpl.ChunkMap[Chunk]
	open    atomic.Pointer[poolimpl.Bitmap] // by slot: clear if all rows of the chunk have a flag; nil before the first chunk
	count   atomic.Uint64                   // of the blocks of all chunks
	retired poolimpl.Usage                  // counts of removed chunks
	Turn    atomic.Uint32                   // of magazines and owners: grows with each turn, and has [Exclusive] and [drained]
	params  Params
	layout
	numbers poolimpl.Numbers // of blocks
	streams []stream         // by the number of the stream

	_          [128]byte // allocations write to the fields below, and only read those above
	Processors [MaxProcessors]Processor
	Gate       Gate
	flagging   sync.Mutex    // held to set flags in Full, of chunks, and to clear bits in open
	peak       atomic.Uint64 // largest number of live blocks that was seen
	scanned    uint64        // number of blocks when the last scan began; flagging guards it
	scannedIn  uint32        // turn when the last scan began; flagging guards it
	closings   uint64        // of the gate since notePeak counted; flagging guards it
	undone     atomic.Uint64 // allocations in words that do not count
	recalls    sync.Mutex    // guards changes of the turn
	patience   atomic.Uint32 // of this pool
	twice      uint          // how often it has doubled; recalls guards it
	began      time.Time     // when an exclusive turn ended last; recalls guards it
	atLimit    fullCounts    // as of the last Usage with a closed gate
}

// Alloc allocates a free block of any chunk. It ignores the length and the alignment: all requests have the same. With magazines, it does not find blocks in those
// of other processors.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if c.open.Load() == nil {
		return 0, 0, false
	}
	if c.params.Magazine > 0 {
		return c.allocMagazine()
	}
	return c.first(c.AllocRun(1))
}

// AllocAny is Alloc. With magazines, it also finds blocks in those of other processors.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if slot, off, ok = c.Alloc(bytes, align); ok || c.params.Magazine == 0 {
		return slot, off, ok
	}
	return c.allocRecalled()
}

// Free frees the block that starts at addr. It ignores the length: all blocks have the same.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	b := c.locate(addr)
	if b.ch == nil {
		return 0, poolimpl.Foreign
	}
	return c.FreeRun(Run{b.ch, b.w, b.in})
}

// AfterFree clears flags, opens the gate, and points the hint of the processor at the word, after blocks of the word were freed. now is
// the word since then.
func (c *Core) AfterFree(ch *Chunk, w, now uint64) poolimpl.Verdict {
	if ch.Full.Has(w / Row) {
		c.clearFlag(ch, w/Row)
	}
	if c.Gate.NeedsOpen() {
		c.Gate.Open()
	}
	if c.Gate.IsShort() {
		if c.offer(ch, w); w%Row == 0 { // one word in a row is enough
			c.noteLine(ch, w)
		}
	}
	if c.params.Trims && ch.IsIdle(w, now) && ch.isEmpty() {
		return poolimpl.Emptied
	}
	return poolimpl.Freed
}

// Undo is Free for a block that no caller has received. It takes back the count of the allocation.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v <= poolimpl.Emptied {
		c.undone.Add(1)
	}
	return slot, v
}
