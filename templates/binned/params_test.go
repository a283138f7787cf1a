package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// Parameters of the heap behind: the residual matrix varies them.
const (
	// granule is the unit of sizes.
	//poolgen:param
	granule uint64 = 16

	// minSplit is the size of the smallest rest.
	//poolgen:param
	minSplit uint64 = 16

	// fit says which free range serves a request.
	//poolgen:param
	fit heap.Fit = 0
)

// params are the parameters of the heap behind the core.
var params = heap.Params{
	Granule: granule, MinSplit: minSplit, Fit: fit, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Pages: feature.Pages,
}

// newCore returns a core with its parameters.
func newCore() (c Core) {
	c.Set(&params)
	return c
}
