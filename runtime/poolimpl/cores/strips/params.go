package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
)

// Params are the parameters of strips. The configuration of the pool has them.
type Params struct {
	bump.Params                  // of the chunks
	Samples     poolimpl.Weights // of blocks that may be sampled
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	c.samples = c.params.Samples.Any()
	c.chunks.Set(&c.params.Params)
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Shares: c.params.Shareable, Samples: c.params.Samples.Any()}
}

// maxProcStrips is the largest number of processors that have strips of their own, a power of two.
const maxProcStrips = 256
