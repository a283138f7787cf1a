package binned

import "github.com/poolgen/poolgen/templates/heap"

// slab is a range of the heap cut into blocks of one size. One that went back to the heap keeps its bin and its part of
// the side array for the next of the bin.
type slab struct {
	off    uint64 // in its chunk
	size   uint32 // of a block
	recip  uint32 // 2^32 / size, rounded up
	side   uint32 // entry of the first block
	slot   uint32
	prev   uint32 // in the list of its shelf
	next   uint32
	blocks uint16
	live   uint16
	head   uint16 // first free block
	bin    uint8
}

// refill finds a slab with free blocks for a bin that has none open: the one kept, or a new one. It returns 0 when the heap cannot give one.
//
//go:noinline
func (c *Core) refill(b int) uint32 {
	q := &c.shelf[b]
	id := q.kept
	if q.kept = 0; id == 0 {
		if id = c.newSlab(b); id == 0 {
			return 0
		}
	}
	c.link(id)
	return id
}

// larger finds a slab with a free block of up to twice the size of the request's own bin: better than to fail.
func (c *Core) larger(bytes, align uint64) uint32 {
	if bytes-1 >= c.top {
		return 0
	}
	b := c.binOf(bytes)
	for most := 2 * c.shelf[b].size; b < len(bins) && c.shelf[b].size-1 < most; b++ {
		q := &c.shelf[b]
		if q.suits(bytes, align) && q.open|q.kept != 0 {
			if q.open == 0 {
				c.refill(b)
			}
			return q.open
		}
	}
	return 0
}

// newSlab takes a slab from the heap.
func (c *Core) newSlab(b int) uint32 {
	q := &c.shelf[b]
	n := blocksOf(uint64(q.size), c.reach)
	if n == 0 {
		return 0
	}
	room := n * uint64(q.size)
	i := c.space.Take(room, room, page)
	if i == 0 {
		return 0
	}
	id := c.record(b)
	heap.Hold(&c.space, i, id)
	s := c.at(id)
	s.slot, s.off = c.space.Place(i)
	s.blocks, s.live, s.head = uint16(n), 0, 0
	list := c.side[s.side:][:n]
	for k := range list {
		list[k] = uint16(k + 1)
	}
	list[n-1] = none
	c.chunks[s.slot].paint(s.off, room, id)
	return id
}

// record returns a slab of a bin that has no memory: one that went back, or a new one.
func (c *Core) record(b int) uint32 {
	q := &c.shelf[b]
	if id := q.spare; id != 0 {
		q.spare = c.at(id).next
		return id
	}
	c.slabs = append(c.slabs, slab{size: q.size, recip: q.recip, side: uint32(len(c.side)), bin: uint8(b)})
	c.side = append(c.side, make([]uint16, blocksOf(uint64(q.size), largestSlab))...)
	return uint32(len(c.slabs) - 1)
}

// retire puts a slab aside that has no live block: its shelf keeps it, or the heap gets it back.
func (c *Core) retire(id uint32) {
	c.unlink(id)
	if q := &c.shelf[c.at(id).bin]; q.kept == 0 {
		q.kept = id
	} else {
		c.giveBack(id)
	}
}

// dismiss gives the slab that a shelf keeps back to the heap.
func (c *Core) dismiss(q *shelf) {
	c.giveBack(q.kept)
	q.kept = 0
}

// giveBack returns a slab, which no list has, to the heap.
func (c *Core) giveBack(id uint32) {
	s := c.at(id)
	ch := &c.chunks[s.slot]
	room := uint64(s.blocks) * uint64(s.size)
	ch.paint(s.off, room, 0)
	link := c.space.Find(ch.base + s.off)
	heap.Resume(&c.space, *link, room)
	c.space.Give(link)
	q := &c.shelf[s.bin]
	s.next, q.spare = q.spare, id
}

// link puts a slab in front of the list of its shelf.
func (c *Core) link(id uint32) {
	s := c.at(id)
	q := &c.shelf[s.bin]
	s.prev, s.next = 0, q.open
	c.at(q.open).prev = id // slab 0 takes what nobody reads
	q.open = id
}

// unlink takes a slab out of the list of its shelf.
func (c *Core) unlink(id uint32) {
	s := c.at(id)
	c.at(s.next).prev = s.prev
	if s.prev != 0 {
		c.at(s.prev).next = s.next
	} else {
		c.shelf[s.bin].open = s.next
	}
}
