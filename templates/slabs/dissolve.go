package slabs

import (
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	core "github.com/poolgen/poolgen/templates/shards"
)

// dissolve makes the live blocks of a slab blocks of the suballocator behind, and the rest of the slab free memory there, which merges with
// the free memory around it. The blocks do not move. Until they are freed, the slab stays in the page map, as the bytes asked for each are
// stored there: a goroutine that has just taken a block may not have stored them yet. The words of a dissolved slab are sealed, and their
// bits are those of the blocks that are left. c.mu is held.
func (c *Core) dissolve(s *slab) {
	left := make([]uint64, s.lines)
	for w := range left {
		left[w] = s.line(uint32(w)).word.Or(sealed|all) & all &^ s.absent(uint32(w))
	}
	c.removeSlab(s)
	c.count--
	c.bytes -= s.room
	c.taken -= s.taken
	core.Break(&c.back, s.addr, uint64(s.size), uint64(s.count), func(k uint64) bool { return left[k/perLine]>>(k%perLine)&1 != 0 })
	for w := range left { // a goroutine that has read the word before waits for the lock
		s.line(uint32(w)).word.Store(sealed | left[w])
	}
	s.pos, s.phase = len(c.dissolved), dissolved
	c.dissolved = append(c.dissolved, s)
	c.countAgain(s)
	c.removeIfEmpty(s)
}

// removeIfEmpty removes a dissolved slab if none of its blocks is left.
func (c *Core) removeIfEmpty(s *slab) {
	if s.free() < s.taken {
		return
	}
	last := c.dissolved[len(c.dissolved)-1]
	c.dissolved[s.pos], last.pos = last, s.pos
	c.dissolved = slices.Delete(c.dissolved, len(c.dissolved)-1, len(c.dissolved))
	c.clearPages(s)
	c.setGone(s)
}

// freeRefused frees a block that slab s refused with verdict v: the block may lie behind the slab, on its last page, or the slab may be
// dissolved.
//
//go:noinline
func (c *Core) freeRefused(s *slab, addr, bytes uint64, v poolimpl.Verdict) (slot uint32, _ poolimpl.Verdict) {
	word, bit := s.bitOf(addr)
	switch old := word.Load(); {
	case addr-s.addr >= s.room:
		return c.back.Free(addr, bytes)
	case old&sealed == 0:
		return s.slot, v
	case old&bit == 0:
		return c.back.Free(addr, bytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freeLocked(addr, bytes)
}

// freeLocked is Free with c.mu held.
func (c *Core) freeLocked(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.find(addr)
	if s == nil || addr-s.addr >= s.room {
		return c.back.Free(addr, bytes)
	}
	word, bit := s.bitOf(addr)
	switch old := word.Load(); {
	case old&sealed == 0:
		return s.slot, s.freeBlock(addr, bytes)
	case old&bit == 0:
		return c.back.Free(addr, bytes)
	}
	if i, _ := s.index(addr); s.asked(i) != bytes {
		return s.slot, poolimpl.Foreign
	}
	slot, v = c.back.Free(addr, uint64(s.size))
	word.And(^bit)
	c.setSums(s, sums{bytes: s.sums.bytes + uint64(s.size) - bytes})
	c.removeIfEmpty(s)
	return slot, v
}
