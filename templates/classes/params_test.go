package classes

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// Parameters of the heap behind: the residual matrix varies them.
const (
	// granule is the unit of sizes.
	//poolgen:param
	granule uint64 = 16
)

// params are the parameters of the heap behind the core.
var params = heap.Params{
	Granule: granule, MinSplit: granule, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Pages: feature.Pages,
}

// newCore returns a core with its parameters.
func newCore() (c Core) {
	c.Set(&params)
	return c
}
