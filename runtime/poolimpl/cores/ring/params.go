package ring

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Params are the parameters of a ring. The configuration of the pool has them.
type Params struct {
	Granule uint64 // alignment of every block in bytes, a power of two. Lengths are rounded up to a multiple of it

	// ArenaSize is the size in bytes of the arenas that chunks are cut into, and so of the largest block: a multiple of the granule. A
	// block that lives long keeps the space behind it in its arena from being used again, so small arenas lose less. Large ones take
	// larger blocks, and last longer until another arena becomes the current one.
	ArenaSize uint64

	Counters  bool // allocations and the peak are counted
	Trims     bool // a free that empties a chunk says so
	Streams   bool // blocks can be pending
	Shareable bool // another process may look blocks up
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	g := c.params.Granule
	if g&(g-1) != 0 || c.params.ArenaSize < max(g, 1) {
		panic("poolgen: a ring with a granule that is no power of two, or that is larger than an arena")
	}
	c.mask = g - 1
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.params.Streams, Shares: c.params.Shareable}
}

// Close drops the chunks.
func (c *Core) Close() { *c = Core{params: c.params, mask: c.mask} }

// roundUp returns the bytes that a block of a length takes up.
func (c *Core) roundUp(bytes uint64) uint64 { return (bytes + c.mask) &^ c.mask }
