package slabs

import (
	"slices"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	core "github.com/poolgen/poolgen/templates/shards"
)

// dissolve makes the live blocks of a slab blocks of the suballocator behind, and what is free between them free memory there, which merges with what
// is free around it. They stay where they are, and known to the slab: it goes on saying what each was asked for with until it is freed, as some may
// have been taken only a moment ago, so no other goroutine has seen that yet. The words of such a slab are sealed, and their bits those of
// the blocks that are left. The lock is held.
func (c *Core) dissolve(s *slab) {
	left := make([]uint64, s.words)
	for w := range left {
		left[w] = s.word(uint64(w)).Or(sealed|all) & all &^ s.absent(uint64(w))
	}
	c.removeSlab(s)
	c.count--
	c.bytes -= s.room
	c.taken -= s.taken
	core.Break(&c.back, s.addr, s.size, uint64(s.count), func(k uint64) bool { return left[k/perWord]>>(k%perWord)&1 != 0 })
	for w := range left { // a goroutine that saw the bits before waits for the lock
		s.word(uint64(w)).Store(sealed | left[w])
	}
	s.rank = len(c.dissolved)
	c.dissolved = append(c.dissolved, s)
	c.removeIfEmpty(s)
}

// removeIfEmpty lets go of a slab that was broken up if none of its blocks is left.
func (c *Core) removeIfEmpty(s *slab) {
	if s.free() < s.taken {
		return
	}
	last := c.dissolved[len(c.dissolved)-1]
	c.dissolved[s.rank], last.rank = last, s.rank
	c.dissolved = slices.Delete(c.dissolved, len(c.dissolved)-1, len(c.dissolved))
	c.clearPages(s)
}

// freeRefused decides about a free that a slab refuses, with that verdict: the block may lie behind the slab, on its last page, or where it was broken up.
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

// freeLocked is Free under the lock.
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
	if i, _ := s.index(addr); uint64(atomic.LoadUint32(s.asked(i))) != bytes {
		return s.slot, poolimpl.Foreign
	}
	slot, v = c.back.Free(addr, s.size)
	word.And(^bit)
	c.removeIfEmpty(s)
	return slot, v
}

// overstated is by how many bytes what is left of broken slabs was asked for with less than the suballocator behind believes.
func (c *Core) overstated() (n uint64) {
	for _, s := range c.dissolved {
		blocks, bytes := s.live()
		n += blocks*s.size - bytes
	}
	return n
}
