package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// params are the parameters of the shards.
var params = classes.Params{
	Params: heap.Params{Granule: 16, MinSplit: 16, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams},
	Bins:   []uint64{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10}, PerBin: 1<<64 - 1, Bytes: 1<<64 - 1,
}
