package binned

import "math/bits"

// Requests find their bin through cells: ranges of sizes, eight to each doubling, that have the smallest bin of their
// smallest size. Bins that are no closer than cells are found in one step, others in a few.
const (
	mantissa  = 3
	unitBits  = 4 // bins closer than 16 bytes share a cell
	cellCount = 1 << 9
)

// cellOf returns the cell of requests of n+1 bytes: floating point with a short mantissa.
func cellOf(n uint64) uint64 {
	u := n >> unitBits
	e := uint(bits.Len64(u|1<<mantissa)) - 1 - mantissa
	return uint64(e)<<mantissa + u>>(e&63)
}

// binOf returns the smallest bin for n bytes, of which the largest bin has as many.
func (c *Core) binOf(n uint64) int {
	b := int(c.cells[cellOf(n-1)%cellCount])
	for uint64(c.binSlabs[b].size) < n {
		b++
	}
	return b
}

// binSlabs is the state of a bin. A few free blocks lie ready on it, off the lists of their slabs: so most calls
// change no list of slabs, which is where the time would go.
type binSlabs struct {
	size     uint32
	open     uint32 // first of the slabs with free blocks on their list
	keptSlab uint32 // slab all of whose blocks are on its list
	unused   uint32 // first of the slabs that went back to the heap, a list through next
	count    uint32 // of the blocks ready
	depth    uint32 // largest count
	ready    [depth]uint64
}

// suits reports whether blocks of the bin are aligned, and small enough that the entry of one can hold what it has too much.
func (q *binSlabs) suits(bytes, align uint64) bool {
	return (uint64(q.size)|page)&(align-1) == 0 && uint64(q.size)-bytes < liveFlag
}

// layOut computes what follows from the bins. Those that no slab could hold a few blocks of are left out: they
// would be served by the heap in any case.
func (c *Core) layOut() {
	c.binSlabs = make([]binSlabs, len(bins))
	for b, size := range bins {
		if size > largestSlab/fewestBlocks {
			break
		}
		c.top = size
		c.binSlabs[b].size, c.binSlabs[b].depth = uint32(size), uint32(min(max(readyBytes/size, 2), depth))
	}
	b := 0
	for n := range cellCount {
		first := firstOf(uint64(n))
		for bins[b] < first && bins[b] < c.top {
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

// blocksOf returns how many blocks a slab has that may be of reach bytes, 0 if it is not worth having.
func blocksOf(size, reach uint64) uint64 {
	n := min(max(leastSlab, uint64(1)<<bits.Len64(leastBlocks*size-1)), reach) / size
	if n < fewestBlocks || reach < leastSlab {
		return 0
	}
	return min(n, pending)
}

// recipBits is how many bits of a fraction a reciprocal has.
const recipBits = 31

// reciprocal returns what turns the distance of a block from its slab into its index, by a multiplication and a shift: 2^31 / size,
// rounded up. The product for block k is k*2^31 plus less than k*size, thus exact as slabs have 2^31 bytes at most. What is no
// multiple of size may come out as the next block; multiplying back tells.
func reciprocal(size uint32) uint32 {
	return uint32((1<<recipBits + uint64(size) - 1) / uint64(size))
}
