package binned

import "math/bits"

// Requests find their bin through cells: ranges of sizes, eight to each doubling. A cell has the smallest bin of its smallest size. If bins
// are no closer than cells, a request finds its bin in at most one step from there, otherwise in a few.
const (
	mantissa  = 3
	unitBits  = 4 // bins closer than 16 bytes share a cell
	cellCount = 1 << 9
)

// cellOf returns the cell of requests of n+1 bytes: n as a floating-point number with a short mantissa.
func cellOf(n uint64) uint64 {
	u := n >> unitBits
	e := uint(bits.Len64(u|1<<mantissa)) - 1 - mantissa
	return uint64(e)<<mantissa + u>>(e&63)
}

// binOf returns the smallest bin for n bytes. The largest bin must be large enough.
func (c *Core) binOf(n uint64) int {
	b := int(c.cells[cellOf(n-1)%cellCount])
	for uint64(c.binSlabs[b].size) < n {
		b++
	}
	return b
}

// binSlabs is the state of a bin. A few free blocks are ready, off the lists of their slabs, so most calls change no list of a slab, which
// would take most of the time.
type binSlabs struct {
	mask     uint64 // slabs start at multiples of mask+1, a power of two, and are no longer than that
	size     uint32 // of a block
	recip    uint32 // of size
	open     uint32 // first of the slabs with free blocks on their list
	keptSlab uint32 // slab with all blocks on its list, kept for the next requests
	unused   uint32 // first of the slabs that went back to the heap, a list through next
	count    uint32 // number of ready blocks
	depth    uint32 // largest count
	ready    [depth]uint64
}

// suits reports whether the blocks of the bin are aligned to align, and whether the bytes of one beyond the request fit its entry.
func (q *binSlabs) suits(bytes, align uint64) bool {
	return (uint64(q.size)|page)&(align-1) == 0 && uint64(q.size)-bytes < liveFlag
}

// index returns the index of the block that starts at a distance from the start of a slab, or of one beside it if none does.
func (q *binSlabs) index(rel uint64) uint64 { return rel * uint64(q.recip) >> recipBits }

// layOut computes the tables for the bins, and the least length of a slab, as suits chunks of so many bytes. It leaves out bins that are too large for a slab of a few blocks: the heap would serve them in
// any case.
func (c *Core) layOut(chunk uint64) {
	c.least = min(max(leastSlab, uint64(1)<<bits.Len64(reach(chunk))>>1), usualSlab)
	c.binSlabs = make([]binSlabs, len(c.bins))
	for b, size := range c.bins {
		if size > largestSlab/fewestBlocks {
			break
		}
		c.top = size
		q := &c.binSlabs[b]
		q.mask, q.size, q.recip = c.slabBytes(size)-1, uint32(size), reciprocal(uint32(size))
		q.depth = uint32(min(max(readyBytes/size, 2), depth))
	}
	b := 0
	for n := range cellCount {
		first := firstOf(uint64(n))
		for c.bins[b] < first && c.bins[b] < c.top {
			b++
		}
		c.cells[n] = uint8(b)
	}
}

// firstOf returns the smallest request of a cell.
func firstOf(cell uint64) uint64 {
	e := cell >> mantissa
	if e == 0 {
		return cell<<unitBits + 1
	}
	e--
	return (1<<mantissa|cell&(1<<mantissa-1))<<e<<unitBits + 1
}

// slabBytes returns the power of two that the slabs of a bin fill as far as the size of their blocks allows.
func (c *Core) slabBytes(size uint64) uint64 {
	return min(max(c.least, uint64(1)<<bits.Len64(leastBlocks*size-1)), largestSlab)
}

// blocksOf returns how many blocks a slab of up to reach bytes has, 0 if the slab would have too few.
func (c *Core) blocksOf(size, reach uint64) uint64 {
	n := min(c.slabBytes(size), reach) / size
	if n < fewestBlocks || reach < leastSlab {
		return 0
	}
	return min(n, pending)
}

// recipBits is the number of fraction bits of a reciprocal.
const recipBits = 31

// reciprocal returns 2^31 / size, rounded up: a multiplication by it and a shift turn the distance of a block from the start of its slab
// into the index of the block. The product for block k is k*2^31 plus less than k*size, so the index is exact in slabs of up to 2^31 bytes.
// A distance that is no multiple of size may give the index of the next block, which multiplying back detects. (Granlund and Montgomery,
// Division by Invariant Integers using Multiplication, 1994.)
func reciprocal(size uint32) uint32 {
	return uint32((1<<recipBits + uint64(size) - 1) / uint64(size))
}
