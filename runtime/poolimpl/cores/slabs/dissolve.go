package slabs

import (
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// dissolve makes the live blocks of a slab blocks of the suballocator behind, and the rest of the slab free memory there, which merges with
// the free memory around it. The blocks do not move. Until they are freed, the slab stays on its pages, as the bytes asked for each are
// stored there: a goroutine that has just taken a block may not have stored them yet. The words of a dissolved slab are sealed, and their
// bits are those of the blocks that are left. c.mu is held.
func (c *Core) dissolve(s *slab) {
	left := make([]uint64, s.lines)
	for w := range left {
		absent := s.absent(uint32(w))
		left[w] = s.line(uint32(w)).word.Or(sealed|all) &^ (absent | sealed | s.countFull())
	}
	c.removeSlab(s)
	c.count--
	c.bytes -= s.room
	c.taken -= s.taken
	c.back.Break(s.addr, uint64(s.size), uint64(s.blocks), func(k uint64) bool { return left[k/perLine]>>(k%perLine)&1 != 0 })
	c.moves.Add(1)
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

// holder is which core has the block at an address on the pages of a slab.
type holder uint8

const (
	inSlab      holder = iota // the slab
	inBack                    // the suballocator behind
	inDissolved               // both: the slab, which is dissolved, has the state and the length
)

// holder returns which core has the block at an address on the pages of the slab. It may lie behind the slab, on its last page.
func (s *slab) holder(addr uint64) holder {
	if s == nil || addr-s.addr >= s.room {
		return inBack
	}
	p := s.locate(addr)
	word := &s.line(0).word
	if p.line != nil {
		word = &p.word
	}
	switch old := word.Load(); {
	case old&sealed == 0:
		return inSlab
	case p.line == nil || old&p.bit() == 0:
		return inBack
	}
	return inDissolved
}

// freeRefused frees a block that slab s refused with verdict v: another core may have it.
//
//go:noinline
func (c *Core) freeRefused(s *slab, addr, bytes uint64, v poolimpl.Verdict) (slot uint32, _ poolimpl.Verdict) {
	switch s.holder(addr) {
	case inSlab:
		return s.slot, v
	case inBack:
		return c.back.Free(addr, bytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freeLocked(addr, bytes)
}

// freeLocked is Free with c.mu held.
func (c *Core) freeLocked(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.find(addr)
	switch s.holder(addr) {
	case inSlab:
		return c.Free(addr, bytes) // which takes no lock, as no slab is sealed meanwhile
	case inBack:
		return c.back.Free(addr, bytes)
	}
	p := s.locate(addr)
	switch {
	case !c.isLive(p.word.Load()&^sealed, p.bit()):
		return s.slot, poolimpl.Double
	case s.asked(p) != bytes:
		return s.slot, poolimpl.Foreign
	}
	c.addSums(s, sums{bytes: uint64(s.size) - bytes})
	return c.freeDissolved(s, p, addr)
}

// freeDissolved frees a block of a dissolved slab, whose sums are up to date without the block. c.mu is held.
func (c *Core) freeDissolved(s *slab, p place, addr uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.back.Free(addr, uint64(s.size))
	c.moves.Add(1)
	p.word.And(^(p.bit() | p.bit()<<perLine))
	c.removeIfEmpty(s)
	return slot, v
}
