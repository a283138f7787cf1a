// Package slabs stands in front of a suballocator that several goroutines share, and serves small requests without a lock. It cuts blocks
// of the suballocator, slabs, into blocks of the size of a bin. Words of bits say which blocks of a slab are free, so any processor takes
// or frees a block with one atomic instruction.
//
// Each processor fills slabs of its own. As long as blocks are freed where they were taken, no two processors write to the same cache
// lines. Streams are served from the slabs of one processor each, see [Core.AllocOn]. When its slabs are full, a processor
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
// its length. Of several concurrent frees of one block, one succeeds. A block can also be pending: freed on a stream whose
// queued work may use it. Metadata is 64 bytes for each 28 blocks, 192 bytes a slab, and 8 bytes for each 16 KiB from the first slab
// to the last, of which up to a quarter more is room for others.
package slabs

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
)

// Core is slabs in front of a suballocator. It is safe for concurrent use, except that calls that add or remove chunks must not overlap
// each other. Its zero value has no chunks; SetSlabs makes it ready for Add.
type Core struct {
	chunks     poolimpl.ChunkMap[chunk]
	near       pageMap       // of the slabs of all chunks that are not far from others
	anyFar     atomic.Bool   // a chunk is far
	usable     atomic.Int32  // number of bins that have slabs; 0 before the parameters are set
	spread     atomic.Uint32 // number of procCaches that serve streams; 0 before the first chunk
	room       atomic.Uint32 // a [room]
	spent      atomic.Bool   // see [Core.noteSpent]
	samples    bool          // blocks are sampled
	once       uint64        // one block in the count of a word
	countFull  uint64        // from here on a word is sealed, or can count no more
	states     uint64        // the bits of the states of a word's first block
	bins       []uint64      // sizes
	stride     uint64        // procBins for each procCache
	procMask   uint64        // number of procCaches less one
	procBins   []procBin     // of all procCaches
	procCaches []procCache   // as many as processors, rounded up to a power of two
	cells      [cellCount]uint16
	params     Params

	mu        sync.Mutex   // guards the fields below; slabs are added and removed with it
	slabs     [][]*slab    // by bin
	users     []*procCache // those that have had a slab
	lists     lists
	sums      sums          // of all slabs, as last counted
	common    []atomic.Bool // by bin: see [Core.noteCommon]
	unjudged  int           // chunks and slabs that [Core.crowdedOrScarce] may visit
	isCrowded bool          // its answer last time
	looked    bool          // [Core.replaceEmpty] has looked for slabs since the last chunk came
	size      uint64        // of all chunks, of which memory has some
	memory    uint64        // in all chunks
	paged     bool          // a chunk is, or was, a range with pages
	parts     int           // of the memory: chunks, or pages
	low, end  uint64        // pages that near may have entries for
	reaches   reaches
	reach     uint64         // largest size of a slab in bytes
	count     uint64         // slabs that the suballocator behind counts as live
	bytes     uint64         // of these: what they were asked for with
	taken     uint64         // of these: what they take up
	allocated uint64         // slabs that the suballocator behind has handed out
	undone    atomic.Uint64  // blocks that do not count as handed out, see [Core.Undo]
	retired   poolimpl.Usage // counts of slabs that are gone
	moves     atomic.Uint64  // times that memory has moved between slabs and the suballocator behind, or what both count
	dissolved []*slab        // by pos
	back      shards.Core    // the suballocator behind
}

// SetSlabs sets the parameters, before all other calls but AllocFast. empty returns a suballocator for a shard, without parameters of its own.
func (c *Core) SetSlabs(params *Params, empty func() shards.Behind) {
	c.back.SetShards(&params.Shards, empty)
	c.params, c.bins, c.samples = *params, params.Bins, params.Shards.Samples.Any()
	c.cells = layOut(c.bins)
	c.once = 1 << countBit(params.Shards.Streams)
	c.countFull, c.states = sealed-c.once, 1
	if params.Shards.Streams {
		c.states |= 1 << perLine
	}
	c.slabs, c.lists.partial, c.common = make([][]*slab, len(c.bins)), make([][]*slab, len(c.bins)), make([]atomic.Bool, len(c.bins))
	c.setCaches(poolimpl.Processors(maxProcCaches))
}

// setCaches makes n procCaches, a power of two.
func (c *Core) setCaches(n uint32) {
	c.procCaches, c.stride, c.procMask = make([]procCache, n), uint64(len(c.bins)+apart), uint64(n)-1
	c.procBins = make([]procBin, uint64(n)*c.stride)
	for i := range c.procCaches {
		c.procCaches[i].bins = c.procBins[uint64(i)*c.stride:][:len(c.bins)]
	}
}

// procCache returns that of a processor.
func (c *Core) procCache(proc uint32) *procCache {
	return &c.procCaches[proc&uint32(len(c.procCaches)-1)]
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	f := c.back.Features()
	f.Spreads, f.Rounds, f.Classes = c.params.AllocsOn, c.params.AllocsOn, true
	return f
}

// AllocFast allocates a block of bytes bytes, with the alignment that all blocks have: from the word that last served the processor of the
// caller, if a block of it is free.
//
// If blocks are sampled, it fails if the block is to be sampled.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	n := int(c.usable.Load()) // first, as the other fields are set only if n > 0
	if n == 0 {
		return c.back.AllocFast(bytes)
	}
	b := c.binOf(bytes)
	if b >= n {
		return c.back.AllocFast(bytes)
	}
	i := uint64(poolimpl.Proc()) & c.procMask
	if c.samples && c.procCaches[i].countdown.Spend(c.params.Shards.Samples.Of(bytes)) {
		return 0, 0, false
	}
	p := &c.procBins[i*c.stride+uint64(b)]
	if s := p.open.Load(); s != nil {
		if w := atomic.LoadUint32(&p.at) - s.firstLine; w < uint32(s.lines) {
			word := &s.line(w).word
			old := word.Load()
			if free := ^old & all; free != 0 && old < c.countFull && word.CompareAndSwap(old, old+c.once+free&-free) {
				off = s.noteAsked(w, uint64(bits.TrailingZeros64(free)), bytes)
				s.noteChange()
				return s.slot, off, true
			}
		}
	}
	return c.nextSlab(&c.procCaches[i], b, bytes)
}

// nextSlab serves a request from another slab of the processor, or from a new one. If Params.Crowds, a slab of another processor serves it where the
// room is crowded. If there is none, the suballocator behind serves the request itself.
//
//go:noinline
func (c *Core) nextSlab(d *procCache, b int, bytes uint64) (slot uint32, off uint64, ok bool) {
	p := &d.bins[b]
	if s := p.open.Load(); s != nil { // the word has no free block or, with pending blocks, has counted 127, as often happens
		if off, _, ok = s.allocIn(atomic.LoadUint32(&p.at)-s.firstLine, bytes); ok {
			return s.slot, off, true
		}
	}
	if s, off, ok := p.alloc(p, bytes); ok {
		return s.slot, off, true
	}
	if s, off, ok := c.allocMore(d, b, bytes); ok {
		return s.slot, off, true
	}
	return c.back.Alloc(bytes, 1)
}

// Alloc allocates a block of bytes bytes whose address is a multiple of align, from the slabs and chunks of the processor of the caller.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if align != 1 || c.usable.Load() == 0 {
		return c.back.Alloc(bytes, align)
	}
	if c.samples {
		return c.allocCounted(bytes)
	}
	return c.AllocFast(bytes)
}

// Free frees the block at addr, of a request for that many bytes.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.near.at(addr) // a copy of find, which the compiler does not inline
	if s == nil && c.anyFar.Load() {
		s = c.findFar(addr)
	}
	if s == nil {
		return c.back.Free(addr, bytes)
	}
	p := s.locate(addr)
	for p.line != nil {
		old := p.word.Load()
		if !c.isLive(old, p.bit()) {
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
	if v <= poolimpl.Emptied && c.params.Counters {
		c.undone.Add(1)
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
