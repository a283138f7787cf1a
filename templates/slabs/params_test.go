package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/binned"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// Parameters of what is behind: the residual matrix varies them.
const (
	// behind names the suballocator.
	//poolgen:param
	behind = "classes"

	// minSplit is the size of the smallest rest.
	//poolgen:param
	minSplit uint64 = 16

	// fit says which free range serves a request.
	//poolgen:param
	fit heap.Fit = 0
)

// params returns the parameters of the suballocator behind the slabs.
func params() any {
	h := heap.Params{
		Granule: 16, MinSplit: minSplit, Fit: fit, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams,
	}
	return map[string]any{
		"heap":    &h,
		"binned":  &binned.Params{Params: h, Bins: []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
		"classes": &classes.Params{Params: h, Bins: []uint64{512, 1024, 2048, 4096, 8192, 16384, 32768}, PerBin: 1<<64 - 1, Bytes: 1<<64 - 1},
	}[behind]
}
