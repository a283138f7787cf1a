package bump

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Params are the parameters. The configuration of the pool has them.
type Params struct {
	Granule   uint64 // alignment of every block in bytes, a power of two. Lengths are rounded up to a multiple of it
	Counters  bool   // allocations and the peak are counted
	Shareable bool   // another process may look blocks up
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	if g := c.params.Granule; g == 0 || g&(g-1) != 0 {
		panic("poolgen: a granule that is no power of two")
	}
	c.mask = c.params.Granule - 1
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features { return poolimpl.Features{Shares: c.params.Shareable} }

// Close drops the chunks.
func (c *Core) Close() { *c = Core{params: c.params, mask: c.mask} }
