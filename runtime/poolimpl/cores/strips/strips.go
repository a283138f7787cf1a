// Package strips lets goroutines on all processors bump-allocate blocks from the same chunks.
//
// Each processor has a strip: a part of a chunk where, as a rule, only goroutines on this processor allocate. An allocation takes one atomic
// instruction on a word that no other processor writes. A word that all processors share would move from cache to cache with each block. The
// instruction is atomic because goroutines move between processors at any time. The word also has the counts.
//
// Strips are cut under a lock from chunks that package bump keeps in a row. A strip is a share of what its chunk has left, so strips become smaller
// towards the end of the chunk. When a request does not fit, the strip is sealed: its rest goes back to the chunk if nothing was cut behind the strip,
// and is lost until the next reset otherwise. Only requests of up to an eighth of the next strip replace a strip; larger ones are cut from the chunk. So
// no more than an eighth of a chunk is lost, or a quarter if requests have alignments of their own. Before a request fails, all strips are searched.
//
// [Core.Reset] seals all strips. A block that another goroutine allocates at the same moment counts as allocated before the reset.
package strips

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
)

// Core is the suballocator. It is safe for concurrent use. The zero value has no chunks and is ready for use.
type Core struct {
	procStrips atomic.Pointer[[]procStrip] // nil before the first chunk; its length is a power of two
	samples    bool                        // blocks are sampled
	params     Params
	early      poolimpl.Early // also of requests without a strip

	mu     sync.Mutex // guards the fields below, and is held to replace a strip
	chunks bump.Core
	live   uint64 // blocks allocated since the last reset, without those of strips in use
	bytes  uint64 // asked for by these blocks
	freed  uint64 // blocks freed by resets
	peak   uint64 // largest number of bytes before a reset
}

// procStrip is the strip of a processor. The padding keeps the pointer on cache lines of its own.
type procStrip struct {
	strip atomic.Pointer[strip]
	_     [120]byte
}

// AllocFast allocates the next bytes bytes of the strip of the caller's processor, at a multiple of the granule. It fails for 0 bytes, if the strip has no
// room, and if another goroutine changes the strip at the same moment; [Core.Alloc] may then succeed.
//
// If blocks are sampled, it also fails if the block is to be sampled.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	s := c.strip(poolimpl.Proc())
	if s == nil {
		if c.procStrips.Load() == nil || c.samples { // before the first chunk nobody knows whether blocks are sampled
			c.early.Note(bytes)
		}
		return
	}
	if c.samples && s.countdown.Spend(c.params.Samples.Of(bytes)) {
		return
	}
	w := s.word.Load()
	at := w & usedMask
	if at >= s.size || bytes-1 >= s.size-at || !s.word.CompareAndSwap(w, w+s.taking(bytes)) {
		return
	}
	return s.slot, s.off + at, true
}

// strip returns the strip of a processor, or nil if it has none.
func (c *Core) strip(proc uint32) *strip {
	list := c.procStrips.Load()
	if list == nil {
		return nil
	}
	return (*list)[proc&uint32(len(*list)-1)].strip.Load()
}

// Alloc allocates bytes bytes, at least one, at a multiple of align and of the granule. If the strip of the caller's processor has no room, it takes
// a lock, and it fails only if no chunk and no strip has room.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	list := c.procStrips.Load()
	if list == nil {
		return 0, 0, false
	}
	l := &(*list)[poolimpl.Proc()&uint32(len(*list)-1)]
	if slot, off, ok = l.alloc(bytes, align); ok {
		return slot, off, true
	}
	c.mu.Lock()
	slot, off, ok = c.find(l, bytes, align)
	c.mu.Unlock()
	return slot, off, ok
}

// alloc allocates a block from the processor's strip.
func (l *procStrip) alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	s := l.strip.Load()
	if s == nil {
		return 0, 0, false
	}
	off, ok = s.alloc(bytes, align)
	return s.slot, off, ok
}

// AllocAny is Alloc, which searches all strips already.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	return c.Alloc(bytes, align)
}

// Free refuses all blocks: single blocks cannot be freed.
func (c *Core) Free(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Foreign }

// Undo does nothing: the block stays until all blocks are freed.
func (c *Core) Undo(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Freed }

// find allocates a block from the strip of a processor, which another goroutine may have replaced; or from the next strip; or from the chunks; or from
// the strip of any processor. The caller holds the lock.
func (c *Core) find(l *procStrip, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if slot, off, ok = l.alloc(bytes, align); ok {
		return slot, off, true
	}
	if n := c.width(); max(bytes, align) <= n/8 {
		s := c.nextStrip(l, n)
		off, ok = s.alloc(bytes, align)
		l.strip.Store(s)
		return s.slot, off, ok
	}
	if slot, off, ok = c.chunks.Alloc(bytes, align); ok {
		c.live++
		c.bytes += bytes
		return slot, off, true
	}
	list := *c.procStrips.Load()
	for i := range list {
		if slot, off, ok = list[i].alloc(bytes, align); ok {
			return slot, off, true
		}
	}
	return 0, 0, false
}

// width returns the size of the next strip in bytes: a quarter of a processor's share of what the current chunk has left, and at least 64 granules. It is
// at most what the chunk has left, and at most maxStrip.
func (c *Core) width() uint64 {
	rest := c.chunks.Rest()
	share := rest / uint64(4*len(*c.procStrips.Load()))
	return min(max(share, 64*c.params.Granule), rest, maxStrip) &^ (c.params.Granule - 1)
}

// nextStrip seals the strip of a processor and returns a new one of n bytes, which the current chunk must have left. The caller must allocate a block
// from it, as the chunk counts as used.
func (c *Core) nextStrip(l *procStrip, n uint64) *strip {
	if s := l.strip.Load(); s != nil {
		c.endStrip(s)
	}
	slot, off, _ := c.chunks.Alloc(n, 1)
	return &strip{size: n, addr: c.chunks.Base(slot) + off, off: off, mask: c.params.Granule - 1, slot: slot}
}

// endStrip seals a strip, counts its blocks, and returns its rest to the chunk if possible.
func (c *Core) endStrip(s *strip) {
	w := s.seal()
	c.chunks.Shorten(s.slot, s.off+w&usedMask, s.off+s.size)
	count, bytes := blocks(w)
	c.live += count
	c.bytes += bytes
}

// Reset frees all blocks and keeps the chunks. Other goroutines may allocate at the same time. Costs O(processors).
func (c *Core) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endStrips()
	if c.params.Counters {
		c.peak = max(c.peak, c.bytes)
		c.freed += c.live
	}
	c.live, c.bytes = 0, 0
	c.chunks.Reset()
}

// endStrips removes and seals the strips of all processors.
func (c *Core) endStrips() {
	list := c.procStrips.Load()
	if list == nil {
		return
	}
	for i := range *list {
		if s := (*list)[i].strip.Swap(nil); s != nil {
			c.endStrip(s)
		}
	}
}
