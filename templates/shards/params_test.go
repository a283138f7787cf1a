package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// params are the parameters of the heaps of the shards.
var params = heap.Params{
	Granule: 16, MinSplit: 16, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Pages: feature.Pages,
}
