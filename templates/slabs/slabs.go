// Package slabs stands in front of a suballocator that several goroutines share and serves small requests without a lock: it cuts blocks of the
// suballocator, slabs, into blocks of the size of a bin. What is free in a slab is said by words of bits, so that a block is taken, and
// given back, with one atomic instruction; whichever processor does it.
//
// Each processor fills slabs of its own, so that as long as blocks are freed where they were taken no two processors write to the same lines of the cache. When
// they are full, another slab is asked for. Only the slow path looks at slabs of other processors, all of them, before the pool
// fails: no free block is out of reach. A slab without a live block goes back when room is short, or when asked to; and where a request would fail all
// the same, slabs are broken up: their live blocks become the suballocator's own, and what is free merges with what is free around it. From
// then on there are no new slabs until there is room again. So a pool at its limit is used as well as without slabs.
//
// What a block was asked for with is noted beside the bits: so a free is exact in its address and its length, and of several frees of one block at the same
// time one succeeds. Metadata is 4 bytes and 2 bits a block, 256 bytes a slab, and 8 bytes for each 16 KiB of the chunks.
package slabs

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/shards"
)

// Core is slabs in front of a suballocator. It is safe for concurrent use, except that calls that bring or take chunks must not overlap each
// other. Its zero value has no chunks and is ready.
type Core struct {
	pageMap    atomic.Pointer[pageMap]
	usable     atomic.Int32 // so many bins have slabs
	full       atomic.Bool  // there is no room for more
	procCaches [maxProcCaches]procCache

	mu    sync.Mutex // for what follows, and when slabs come or go
	slabs [len(bins)][]*slab
	reach uint64 // bytes that a slab may have
	count uint64 // slabs that the suballocator behind counts as live
	bytes uint64 // theirs
	taken uint64 // that they take up
	//poolgen:if feature.Counters
	allocated uint64 // slabs that it has handed out
	//poolgen:if feature.Counters
	undone    atomic.Uint64  // blocks that were handed out, but do not count
	retired   poolimpl.Usage // of slabs that are gone
	dissolved []*slab        // those whose live blocks it has, by rank
	back      core.Core
}

// AllocFast takes a block of bytes bytes, aligned as every block is: from the word that the caller's processor is at, if it has a free block.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	b := binOf(bytes)
	if b >= int(c.usable.Load()) {
		return c.back.AllocFast(bytes)
	}
	d := &c.procCaches[poolimpl.Proc()%maxProcCaches]
	if s := d.bins[b].open.Load(); s != nil {
		w := uint64(atomic.LoadUint32(&s.at))
		word := s.word(w)
		old := word.Load()
		if free := ^old & all; free != 0 && old < countFull && word.CompareAndSwap(old, old+once+free&-free) {
			return s.slot, s.noteAsked(w*perWord+uint64(bits.TrailingZeros64(free)), bytes), true
		}
	}
	return c.nextSlab(d, b, bytes)
}

// nextSlab goes on to another of the processor's slabs, or to a new one. Failing that, the suballocator behind serves the request alone.
//
//go:noinline
func (c *Core) nextSlab(d *procCache, b int, bytes uint64) (slot uint32, off uint64, ok bool) {
	p := &d.bins[b]
	if h := p.list.Load(); h != nil {
		if s, off, ok := h.alloc(bytes); ok {
			if p.open.Load() != s {
				p.open.Store(s)
			}
			return s.slot, off, true
		}
	}
	if !c.full.Load() || c.roomAgain(d) {
		c.mu.Lock()
		s := c.addSlab(b, false)
		c.mu.Unlock()
		if s != nil {
			if off, ok = s.allocIn(0, bytes); ok {
				return s.slot, off, true
			}
		}
	}
	return c.back.AllocFast(bytes)
}

// Alloc takes a block of bytes bytes whose address is a multiple of align from what the caller's processor has.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if align == 1 {
		return c.AllocFast(bytes)
	}
	return c.back.Alloc(bytes, align)
}

// Free frees the block at addr, of a request for that many bytes.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.find(addr)
	if s == nil {
		return c.back.Free(addr, bytes)
	}
	if v = s.freeBlock(addr, bytes); v != poolimpl.Freed {
		return c.freeRefused(s, addr, bytes, v)
	}
	return s.slot, v
}

// Undo is Free for a block that no caller has received: it does not count as handed out. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.undone.Add(1)
		}
	}
	return slot, v
}

// FreeFast is for blocks that a few instructions in the caller can take back. Here there are none.
func (c *Core) FreeFast(_, _ uint64) bool { return false }

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, align uint64) uint64 { return c.back.Need(bytes, align) }

// Steal makes an empty chunk of another processor one of the caller's.
func (c *Core) Steal() bool { return c.back.Steal() }
