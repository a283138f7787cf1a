package binned

import "math/bits"

// Requests find their bin through cells: ranges of sizes, eight to each doubling, that know the smallest bin of their
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
	for uint64(c.shelf[b].size) < n {
		b++
	}
	return b
}

// shelf is the state of a bin.
type shelf struct {
	open  uint32 // first of the slabs with live and free blocks
	kept  uint32 // slab without live blocks
	spare uint32 // first of the slabs that went back to the heap, a list through next
	size  uint32
	recip uint32
}

// suits reports whether blocks of the bin are aligned, and small enough that the entry of one can hold what it has too much.
func (q *shelf) suits(bytes, align uint64) bool {
	return (uint64(q.size)|page)&(align-1) == 0 && uint64(q.size)-bytes < mark
}

// layOut computes what follows from the bins. Those that no slab could hold a few blocks of are left out: they
// would be served by the heap in any case.
func (c *Core) layOut() {
	for b, size := range bins {
		if size*fewestBlocks > largestSlab {
			break
		}
		c.top = size
		// Rounded up, the reciprocal is exact for multiples of size below 2^32: k*size*recip is k*2^32 plus less than k*size.
		c.shelf[b].size, c.shelf[b].recip = uint32(size), uint32((1<<32+size-1)/size)
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
	if n < fewestBlocks {
		return 0
	}
	return min(n, none)
}
