package classes

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// params are the parameters of the heap behind the core.
var params = heap.Params{Granule: 16, MinSplit: 16, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Pages: feature.Pages}

// newCore returns a core with its parameters.
func newCore() (c Core) {
	c.Set(&params)
	return c
}
