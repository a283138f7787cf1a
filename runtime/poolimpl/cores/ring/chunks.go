package ring

import (
	"slices"
)

// chunk is a chunk and its arenas.
type chunk struct {
	base   uint64
	size   uint64
	busy   int      // arenas with blocks in their queues, without the current arena
	arenas []*arena // arenas cut so far, in the order of addresses
}

// Add makes a chunk available. Its arenas are cut when they are needed, so a large chunk costs no more than a small one.
func (c *Core) Add(slot uint32, base, size uint64) {
	c.where.Add(slot, base, size)
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = chunk{base: base, size: size}
	if c.cut(slot).size > 0 {
		c.fresh = append(c.fresh, slot)
	}
}

// Remove removes an empty chunk.
func (c *Core) Remove(slot uint32) {
	for _, a := range c.chunks[slot].arenas {
		c.removeArena(a)
		c.retired += a.newest
		if c.last == a {
			c.last = nil
		}
		if a == &c.current {
			c.home, c.current = nil, arena{}
		}
	}
	if i := slices.Index(c.fresh, slot); i >= 0 {
		c.fresh = slices.Delete(c.fresh, i, i+1)
	}
	c.where.Remove(slot)
	c.chunks[slot] = chunk{}
}

// newArena cuts a new arena that can serve a request from a chunk, the last one in fresh if possible. It returns nil if no chunk
// has room for one.
func (c *Core) newArena(bytes, align uint64) *arena {
	for i := len(c.fresh) - 1; i >= 0; i-- {
		slot := c.fresh[i]
		ch := &c.chunks[slot]
		next := c.cut(slot)
		if !next.canServe(bytes, align) {
			continue
		}
		a := new(arena)
		*a = next
		ch.arenas = append(ch.arenas, a)
		if c.cut(slot).size == 0 {
			c.fresh = slices.Delete(c.fresh, i, i+1)
		}
		return a
	}
	return nil
}

// cut returns the next arena to be cut from a chunk. Its size is 0 if there is none.
func (c *Core) cut(slot uint32) arena {
	ch := &c.chunks[slot]
	first := min(uint64(len(ch.arenas))*c.params.ArenaSize, ch.size)
	length := min(c.params.ArenaSize, ch.size-first)
	pad := min(-(ch.base+first)&c.mask, length)
	size := (length - pad) &^ c.mask
	start := first + pad
	return arena{slot: slot, base: ch.base, head: start, limit: start + size, start: start, size: size}
}

// arenaOf returns the arena that contains an address, or nil if there is none.
func (c *Core) arenaOf(addr uint64) *arena {
	slot, off, ok := c.where.Find(addr)
	if !ok {
		return nil
	}
	arenas := c.chunks[slot].arenas
	if k := off / c.params.ArenaSize; k < uint64(len(arenas)) {
		if a := arenas[k]; off-a.start < a.size {
			return a
		}
	}
	return nil
}
