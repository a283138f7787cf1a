package spec

import (
	"math"
	"math/bits"
)

const (
	// largestSlabBin is the largest size in bytes for which a slab of several blocks for each processor pays. Slabs store in 16 bits how much less a
	// block was asked for with.
	largestSlabBin = 64 << 10

	// slabChunk is the smallest chunk that has slabs.
	slabChunk = 256 << 10
)

// SlabBins lists the sizes in bytes to which a pool with concurrency sharded rounds requests up, and which it serves from slabs without a lock:
// ascending, each a multiple of the granule. There are none if the pool trims, other than by pages when it grows, bounds what is cached, or cannot have a
// chunk that is large enough. A heap, which has no bins of its own, has four sizes for each doubling: a block is rounded up by a quarter at most, and by a twelfth on
// average.
func (p *Pool) SlabBins() (bins []int64) {
	if !p.Shared() || p.Item.Kind == ItemNumber || p.TrimsOnFree() || p.Trim != nil && !p.Paged() || p.Shareable || p.MaxLimit < slabChunk {
		return nil
	}
	for _, n := range p.slabSizes() {
		n = roundUp(n, p.Granule())
		if n <= largestSlabBin && (len(bins) == 0 || n > bins[len(bins)-1]) {
			bins = append(bins, n)
		}
	}
	return bins
}

// LargestSlabBin returns the largest size in bytes that the pool serves from slabs with chunks of chunk_size; 0 if such chunks have no slabs. A slab
// has at least four blocks, and at most a sixteenth of a chunk, rounded down to a power of two. Larger chunks have slabs of larger blocks.
func (p *Pool) LargestSlabBin() (largest int64) {
	if p.ChunkSize < slabChunk {
		return 0
	}
	most := int64(1) << (bits.Len64(uint64(p.ChunkSize/16)) - 1) / 4
	for _, n := range p.SlabBins() {
		if n <= most {
			largest = n
		}
	}
	return largest
}

// slabSizes lists the sizes before they are rounded up.
func (p *Pool) slabSizes() (sizes []int64) {
	switch info := p.Suballocator.Info(); {
	case !info.Heap, p.Cache.PerBin < math.MaxUint32, p.Cache.Bytes != NoLimit:
		return nil
	case info.Bins != nil:
		return p.Bins
	}
	for n := int64(16); n <= largestSlabBin; n *= 2 {
		sizes = append(sizes, n, n/4*5, n/4*6, n/4*7)
	}
	return sizes
}
