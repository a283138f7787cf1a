package binned

import (
	"unsafe"
)

// slab is a range of the heap, cut into blocks of one size. Its entries follow in the same lines. A slab that went back to the heap keeps
// its bin and its lines, for the next slab of the bin.
type slab struct {
	addr   uint64
	off    uint64 // in its chunk
	chain  uint32 // next in the index
	slot   uint32
	prev   uint32 // in the list of its bin
	next   uint32
	blocks uint16
	out    uint16 // blocks that are not on the list
	head   uint16 // first block on the list
	bin    uint8
}

// line is a line of the cache, the unit of the memory of slabs.
type line [8]uint64

// linesOf returns the number of lines of a slab of a bin and its entries.
func (c *Core) linesOf(b uint8) uint32 {
	n := uint64(unsafe.Sizeof(slab{})) + 2*c.blocksOf(c.bins[b], largestSlab)
	return uint32((n + uint64(unsafe.Sizeof(line{})) - 1) / uint64(unsafe.Sizeof(line{})))
}

// at returns slab id. No number comes from a caller, so all are within bounds.
func (c *Core) at(id uint32) *slab {
	return (*slab)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.lines)), uintptr(id)*unsafe.Sizeof(line{})))
}

// entry returns the entry of block i, which the slab must have.
func (s *slab) entry(i uint64) *uint16 {
	return (*uint16)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(slab{})+uintptr(i)*2))
}

// lives reports whether block i, which the slab must have, is live, starts at addr, and was asked for with so many bytes.
func (s *slab) lives(i, size, addr, bytes uint64) bool {
	slack := size - bytes
	return s.addr+i*size == addr && slack < liveFlag && *s.entry(i) == uint16(liveFlag+slack)
}

// refill makes blocks of one slab ready in a bin that has none: of the first open slab, of the kept one, or of a new one. It reports
// whether there were any.
//
//go:noinline
func (c *Core) refill(b int) bool {
	q := &c.binSlabs[b]
	id := q.open
	if id == 0 {
		id, q.keptSlab = q.keptSlab, 0
		if id == 0 {
			id = c.newSlab(b)
		}
		if id == 0 {
			return false
		}
		c.link(id)
	}
	s := c.at(id)
	for q.count < (q.depth+1)/2 && s.head != none {
		i := uint64(s.head)
		e := s.entry(i)
		s.head, *e = *e, none
		s.out++
		q.ready[q.count] = uint64(id)<<32 | i
		q.count++
	}
	c.chunk(s).out += uint64(q.count) * uint64(q.size)
	if s.head == none {
		c.unlink(id)
	}
	return true
}

// drain puts the n blocks that have been ready longest back on the lists of their slabs.
//
//go:noinline
func (c *Core) drain(q *binSlabs, n uint32) {
	for _, x := range q.ready[:n] {
		id := uint32(x >> 32)
		s, i := c.at(id), x&(1<<32-1)
		if s.head == none {
			c.link(id)
		}
		*s.entry(i) = s.head
		s.head = uint16(i)
		c.chunk(s).out -= uint64(q.size)
		if s.out--; s.out == 0 {
			c.releaseSlab(id)
		}
	}
	copy(q.ready[:], q.ready[n:q.count])
	q.count -= n
}

// largerBin returns a bin of up to twice the size of the request's own that has a ready block, nil if there is none. A block that is too
// large is better than a failure.
func (c *Core) largerBin(bytes, align uint64) *binSlabs {
	if bytes-1 >= c.top {
		return nil
	}
	b := c.binOf(bytes)
	for most := 2 * c.binSlabs[b].size; b < len(c.bins) && c.binSlabs[b].size-1 < most; b++ {
		if q := &c.binSlabs[b]; q.suits(bytes, align) && q.open != 0 && c.refill(b) {
			return q
		}
	}
	return nil
}

// newSlab takes a slab from the heap, and returns 0 if there is no room for one.
func (c *Core) newSlab(b int) uint32 {
	q := &c.binSlabs[b]
	n := c.blocksOf(uint64(q.size), c.reach)
	if n == 0 {
		return 0
	}
	room := n * uint64(q.size)
	i := c.Space.Alloc(room, room, q.mask+1)
	if i == 0 {
		return 0
	}
	id := c.record(b)
	c.Space.Hold(i, id, false)
	s := c.at(id)
	s.addr = c.Space.Address(i)
	s.slot, s.off = c.Space.Place(i)
	s.blocks, s.out, s.head = uint16(n), 0, 0
	for k := range n {
		*s.entry(k) = uint16(k + 1)
	}
	*s.entry(n - 1) = none
	c.insert(id)
	return id
}

// record returns a slab of a bin, without memory: one that went back to the heap, or a new one.
func (c *Core) record(b int) uint32 {
	q := &c.binSlabs[b]
	if id := q.unused; id != 0 {
		q.unused = c.at(id).next
		return id
	}
	id := uint32(len(c.lines))
	c.lines = append(c.lines, make([]line, c.linesOf(uint8(b)))...)
	c.at(id).bin = uint8(b)
	return id
}

// releaseSlab gives back a slab with all blocks on its list. The bin keeps it if the bin keeps none yet; otherwise it goes to the heap.
func (c *Core) releaseSlab(id uint32) {
	c.unlink(id)
	if q := &c.binSlabs[c.at(id).bin]; q.keptSlab == 0 {
		q.keptSlab = id
	} else {
		c.freeSlab(id)
	}
}

// freeSlab gives a slab that is in no list back to the heap.
func (c *Core) freeSlab(id uint32) {
	s := c.at(id)
	c.remove(id)
	link := c.Space.Find(s.addr)
	c.Space.Resume(*link, uint64(s.blocks)*c.bins[s.bin], false)
	c.Space.Free(link)
	q := &c.binSlabs[s.bin]
	s.next, q.unused = q.unused, id
}

// link puts a slab in front of the list of its bin.
func (c *Core) link(id uint32) {
	s := c.at(id)
	q := &c.binSlabs[s.bin]
	s.prev, s.next = 0, q.open
	c.at(q.open).prev = id // may be slab 0, whose prev nobody reads
	q.open = id
}

// unlink removes a slab from the list of its bin.
func (c *Core) unlink(id uint32) {
	s := c.at(id)
	c.at(s.next).prev = s.prev
	if s.prev != 0 {
		c.at(s.prev).next = s.next
	} else {
		c.binSlabs[s.bin].open = s.next
	}
}
