// Package slabs stands in front of a suballocator that several goroutines share, and serves small requests without a lock. It cuts blocks
// of the suballocator, slabs, into blocks of the size of a bin. Words of bits say which blocks of a slab are free, so any processor takes
// or frees a block with one atomic instruction.
//
// Each processor fills slabs of its own. As long as blocks are freed where they were taken, no two processors write to the same cache
// lines. If [feature.AllocsOn], streams are served from the slabs of one processor each, see [Core.AllocOn]. When its slabs are full, a processor
// takes another one from the suballocator, in any chunk. If there is no room for one while much of the memory is free, the processor may take
// blocks from slabs of others before the pool grows, see [room]. Among many lines of blocks, those serve first whose state is in the cache, see
// [openedLines].
//
// Before the pool fails, the slow path looks at the slabs of all processors, so no free block is out of reach. A slab without live blocks
// goes back when room is short, or on Flush. Where a request would fail even then, slabs are dissolved: their live blocks become blocks of
// the suballocator, and the free ones merge with the free memory around them. After that there are no new slabs until there is room again. So
// a pool at its limit is used as well as without slabs. The slow path, and Usage, look only at slabs that have changed since they looked
// last, see [changes].
//
// The bytes that a block was asked for with are stored beside its bit, in the same cache line, so a free is checked exactly, in its address and
// its length. Of several concurrent frees of one block, one succeeds. If [feature.Streams], a block can also be pending: freed on a stream whose
// queued work may use it. Metadata is 64 bytes for each 28 blocks, 192 bytes a slab, and 8 bytes for each 16 KiB of the chunks.
package slabs

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/shards"
)

// Core is slabs in front of a suballocator. It is safe for concurrent use, except that calls that add or remove chunks must not overlap
// each other. Its zero value has no chunks and is ready for Add.
type Core struct {
	chunks poolimpl.ChunkMap[chunk]
	usable atomic.Int32 // number of bins that have slabs
	//poolgen:if feature.AllocsOn
	spread     atomic.Uint32 // number of procCaches that serve streams; 0 before the first chunk
	room       atomic.Uint32 // a [room]
	spent      atomic.Bool   // see [Core.noteSpent]
	procCaches [maxProcCaches]procCache

	mu    sync.Mutex         // guards the fields below; slabs are added and removed with it
	slabs [len(bins)][]*slab // by bin
	users []*procCache       // those that have had a slab
	lists lists
	sums  sums // of all slabs, as last counted
	//poolgen:if crowds
	common [len(bins)]atomic.Bool // see [Core.noteCommon]
	//poolgen:if crowds
	unjudged int // chunks and slabs that [Core.crowdedOrScarce] may visit
	//poolgen:if crowds
	isCrowded bool // its answer last time
	//poolgen:if !crowds
	looked  bool   // [Core.replaceEmpty] has looked for slabs since the last chunk came
	size    uint64 // of all chunks
	reaches reaches
	reach   uint64 // largest size of a slab in bytes
	count   uint64 // slabs that the suballocator behind counts as live
	bytes   uint64 // of these: what they were asked for with
	taken   uint64 // of these: what they take up
	//poolgen:if feature.Counters
	allocated uint64 // slabs that the suballocator behind has handed out
	//poolgen:if feature.Counters
	undone    atomic.Uint64  // blocks that do not count as handed out, see [Core.Undo]
	retired   poolimpl.Usage // counts of slabs that are gone
	moves     atomic.Uint64  // times that memory has moved between slabs and the suballocator behind, or what both count
	dissolved []*slab        // by pos
	back      core.Core      // the suballocator behind
}

// AllocFast allocates a block of bytes bytes, with the alignment that all blocks have: from the word that last served the processor of the
// caller, if a block of it is free.
//
// If [feature.Sampled], it fails if the block is to be sampled.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	b := binOf(bytes)
	if b >= int(c.usable.Load()) {
		return c.back.AllocFast(bytes)
	}
	d := &c.procCaches[poolimpl.Proc()%maxProcCaches]
	if feature.Sampled {
		if d.countdown.Spend(weight(bytes)) {
			return 0, 0, false
		}
	}
	p := &d.bins[b]
	if s := p.open.Load(); s != nil {
		if w := atomic.LoadUint32(&p.at) - s.firstLine; w < s.lines {
			word := &s.line(w).word
			old := word.Load()
			if free := ^old & all; free != 0 && old < countFull && word.CompareAndSwap(old, old+once+free&-free) {
				off = s.noteAsked(w, uint64(bits.TrailingZeros64(free)), bytes)
				s.noteChange()
				return s.slot, off, true
			}
		}
	}
	return c.nextSlab(d, b, bytes)
}

// nextSlab serves a request from another slab of the processor, or from a new one. If [crowds], a slab of another processor serves it where the
// room is crowded. If there is none, the suballocator behind serves the request itself.
//
//go:noinline
func (c *Core) nextSlab(d *procCache, b int, bytes uint64) (slot uint32, off uint64, ok bool) {
	p := &d.bins[b]
	if feature.Streams || feature.Sampled { // the word has no free block, or has counted 127, as often happens
		if s := p.open.Load(); s != nil {
			if off, _, ok = s.allocIn(atomic.LoadUint32(&p.at)-s.firstLine, bytes); ok {
				return s.slot, off, true
			}
		}
	}
	if s, off, ok := p.alloc(p, bytes); ok {
		return s.slot, off, true
	}
	if s, off, ok := c.allocMore(d, b, bytes); ok {
		return s.slot, off, true
	}
	if feature.Sampled {
		return c.back.Alloc(bytes, 1)
	} else {
		return c.back.AllocFast(bytes)
	}
}

// Alloc allocates a block of bytes bytes whose address is a multiple of align, from the slabs and chunks of the processor of the caller.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if align == 1 {
		if feature.Sampled {
			return c.allocCounted(bytes)
		} else {
			return c.AllocFast(bytes)
		}
	}
	return c.back.Alloc(bytes, align)
}

// Free frees the block at addr, of a request for that many bytes.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.find(addr)
	if s == nil {
		return c.back.Free(addr, bytes)
	}
	p := s.locate(addr)
	for p.line != nil {
		old := p.word.Load()
		if !isLive(old, p.bit()) {
			return c.freeRefused(s, addr, bytes, poolimpl.Double)
		}
		if s.asked(p) != bytes {
			break
		}
		if p.word.CompareAndSwap(old, old&^p.bit()) {
			if old&all == all {
				s.noteOpened(p.w)
			}
			s.noteChange()
			return s.slot, poolimpl.Freed
		}
	}
	return c.freeRefused(s, addr, bytes, poolimpl.Foreign)
}

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.undone.Add(1)
		}
	}
	return slot, v
}

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, align uint64) uint64 { return c.back.Need(bytes, align) }

// Steal moves an empty chunk of another processor to that of the caller.
func (c *Core) Steal() bool { return c.back.Steal() }

// AnyEmpty reports whether any chunk is empty once the slabs without a live block have gone back, which AnyEmpty gives back.
func (c *Core) AnyEmpty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseEmpty()
	return c.back.AnyEmpty()
}
