// Package strips lets goroutines on all processors bump blocks off the same chunks.
//
// Each processor has a strip: a piece of a chunk that, as a rule, only goroutines on this processor take blocks from. That takes one atomic
// instruction on a word that no other processor writes. A word that all processors share would move from cache to cache with each block. The
// instruction is atomic as goroutines move between processors at any time. The word has all counts, too.
//
// Strips are cut under a lock from chunks that package bump keeps in a row. A strip is a share of what its chunk has left, so they
// become smaller towards its end. When a request does not fit, the strip is sealed: its rest goes back to the chunk if nothing was cut behind the strip, and
// is lost until the next reset otherwise. Only requests of up to an eighth of the next strip may replace a strip; larger ones are cut from the chunk. So
// no more than an eighth of a chunk is lost, or a quarter where requests have alignments of their own. Before a request fails, all strips are searched.
//
// [Core.Reset] seals all strips. A block that another goroutine takes at the same moment counts as handed out before.
package strips

import (
	"math/bits"
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/bump"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. It is safe for concurrent use. Its zero value has no chunks and is ready.
type Core struct {
	procStrips atomic.Pointer[[]procStrip] // nil before the first chunk; a power of two of them

	mu     sync.Mutex // guards what follows, and is held to replace a strip
	chunks bump.Core
	live   uint64 // blocks handed out since the last reset, save from strips that are in use
	bytes  uint64 // asked for by those
	//poolgen:if feature.Counters
	freed uint64 // blocks that were reset
	//poolgen:if feature.Counters
	peak uint64 // largest number of bytes that a reset has seen
}

// procStrip is the strip of a processor. The space behind the pointer keeps it on a cache line of its own.
type procStrip struct {
	strip atomic.Pointer[strip]
	_     [120]byte
}

// AllocFast hands out the next bytes bytes of the strip of the caller's processor, at a multiple of the granule. It fails when the strip has no room, for
// 0 bytes, and when another goroutine takes from the strip at the same moment; [Core.Alloc] may then find room.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	list := c.procStrips.Load()
	if list == nil {
		return
	}
	s := (*list)[poolimpl.Proc()&uint32(len(*list)-1)].strip.Load()
	if s == nil {
		return
	}
	w := s.word.Load()
	at := w & usedMask
	if at >= s.size || bytes-1 >= s.size-at || !s.word.CompareAndSwap(w, w+taking(bytes)) {
		return
	}
	return s.slot, s.off + at, true
}

// Alloc hands out bytes bytes, one at least, at a multiple of align and of the granule. Without room in the strip of the caller's
// processor it takes a lock.
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

// alloc takes a block from the processor's strip.
func (l *procStrip) alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	s := l.strip.Load()
	if s == nil {
		return 0, 0, false
	}
	off, ok = s.alloc(bytes, align)
	return s.slot, off, ok
}

// AllocAny is Alloc, which searches all strips.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	return c.Alloc(bytes, align)
}

// Free refuses each block: there is no free for one.
func (c *Core) Free(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Foreign }

// Undo does nothing: the block stays until all are freed.
func (c *Core) Undo(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Freed }

// find takes a block from the strip of a processor, which may be a new one by now; from the next strip; from the chunks; or from the strip
// of any processor. The lock is held.
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

// width returns the size of the next strip, 0 if the current chunk is used up: a quarter of the processor's share of the chunk, and at least 64 granules
// unless the chunk has fewer.
func (c *Core) width() uint64 {
	rest := c.chunks.Rest()
	share := rest / uint64(4*len(*c.procStrips.Load()))
	return min(max(share, 64*bump.Unit), rest, maxStrip) &^ (bump.Unit - 1)
}

// nextStrip seals the strip of a processor and returns one of n bytes, which the current chunk has. The caller must take a block from it: the chunk
// counts as used.
func (c *Core) nextStrip(l *procStrip, n uint64) *strip {
	if s := l.strip.Load(); s != nil {
		c.endStrip(s)
	}
	slot, off, _ := c.chunks.Alloc(n, 1)
	return &strip{size: n, addr: c.chunks.Base(slot) + off, off: off, slot: slot}
}

// endStrip seals a strip and counts its blocks.
func (c *Core) endStrip(s *strip) {
	w := s.seal()
	c.chunks.Shorten(s.slot, s.off+w&usedMask, s.off+s.size)
	count, bytes := blocks(w)
	c.live += count
	c.bytes += bytes
}

// Reset frees all blocks and keeps the chunks. Other goroutines may use the suballocator at the same time. Costs O(processors).
func (c *Core) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endStrips()
	if feature.Counters {
		c.peak = max(c.peak, c.bytes)
		c.freed += c.live
	}
	c.live, c.bytes = 0, 0
	c.chunks.Reset()
}

// endStrips takes the strips of all processors.
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

// processors returns the number of strips: a power of two, as many as there are processors or more, up to maxProcStrips.
func processors() int {
	return min(1<<bits.Len(uint(max(rt.GOMAXPROCS(0), rt.NumCPU())-1)), maxProcStrips)
}
