package heap

import "math/bits"

// Fit says which free range serves a request. Good fit takes the same few steps however many blocks are live, and wastes hardly more than best fit. First and
// best fit search a tree of the free ranges.
type Fit uint8

// The ways to choose among free ranges.
const (
	GoodFit  Fit = iota // a range of the request's size class, or of the next larger class that has one
	FirstFit            // the range with the lowest address
	BestFit             // the smallest range, among equals the one with the lowest address
)

// Params are the parameters of a heap. The configuration of the pool has them.
type Params struct {
	Granule    uint64 // unit of sizes in bytes and alignment of every block: a power of two, at most 2 GiB. A chunk has at most 2^32-1 granules
	MinSplit   uint64 // size of the smallest rest in bytes, at most 2 GiB: a request that would leave less of a range gets all of it
	Fit        Fit
	PreferUsed bool // an empty chunk that is larger than the usual ones is kept for requests that take up most of it, see [Space.instead]
	Counters   bool // allocations and the peak are counted
	Trims      bool // a free that empties a chunk or a page says so
	Streams    bool // blocks can be pending
	Shareable  bool // another process may look blocks up
	Pages      bool // chunks are ranges of reserved addresses, see [Core.Reserve]
}

// sizes are the parameters in the form in which the heap computes.
type sizes struct {
	Params
	shift     uint8  // the granule is 1<<shift
	tree      bool   // the fit searches a tree
	mask      uint64 // the granule less one
	leastRest uint32 // MinSplit in granules, at least one
	maxBytes  uint64 // size of the largest block, as a size in granules is a uint32; 0 before Set, so nothing can be allocated
}

// Set sets the parameters, before all other calls.
func (s *sizes) Set(p Params) {
	g := p.Granule
	if g&(g-1) != 0 || g == 0 || g+p.MinSplit > 1<<32 { // a block takes up less than both more than was asked for, which is kept in 32 bits
		panic("poolgen: a heap with a granule that is no power of two, or too large a rest")
	}
	*s = sizes{Params: p, shift: uint8(bits.Len64(g) - 1), tree: p.Fit != GoodFit, mask: g - 1, leastRest: uint32(max(1, (p.MinSplit+g-1)/g)), maxBytes: (1<<32 - 1) * g}
}

// bars: pages move while streams may still be using the places that they leave, see [Space.Bar].
func (s *sizes) bars() bool { return s.Pages && s.Streams }

// MaxSlack returns the largest number of bytes by which the room that [Space.Alloc] gets may exceed the request. Rounding, and a rest too small
// to be split off, add to the difference; the sum fits 32 bits.
func (s *sizes) MaxSlack() uint64 { return 1<<32 - s.Granule - s.MinSplit }
