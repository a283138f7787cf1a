package slabs

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/binned"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/tests/large"
)

// parameters are what the tests run with.
type parameters struct {
	Params
	Heap   heap.Params // of what is behind
	Caches uint32      // number of procCaches
	Behind string      // which suballocator is behind
}

var (
	ofHeap   = []uint64{16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 4096, 5120, 16384, 65536}
	oneBin   = []uint64{48}
	oddBins  = []uint64{256, 384, 576, 864, 1296, 1952, 2928, 4384, 6576, 9856}
	wideBins = []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}
)

// feature are those of the environment, or the usual ones.
var feature = parameters{Params{Bins: ofHeap, LeastBlocks: 16, Crowds: true}, heap.Params{Granule: 16, MinSplit: 16, Counters: true, Streams: true}, 64, "heap"}

var bins []uint64

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() {
		feature.Counters, feature.Shards.Streams = feature.Heap.Counters, feature.Heap.Streams
		bins = feature.Bins
	})
}

// doublings returns the powers of two from least to most.
func doublings(least, most uint64) (all []uint64) {
	for n := least; n <= most; n *= 2 {
		all = append(all, n)
	}
	return all
}

// set gives a pool the parameters of the tests.
func (p *pool) set() {
	params := feature.Params
	switch feature.Behind {
	case "heap":
		params.Shards.Behind = &feature.Heap
		p.SetSlabs(&params, func() shards.Behind { return new(heap.Core) })
	case "binned":
		params.Shards.Behind = &binned.Params{Params: feature.Heap, Bins: doublings(16, 4096)}
		p.SetSlabs(&params, func() shards.Behind { return new(binned.Core) })
	case "classes":
		params.Shards.Behind = &classes.Params{Params: feature.Heap, Bins: doublings(512, 1<<20), PerBin: 1 << 62, Bytes: 1 << 62}
		p.SetSlabs(&params, func() shards.Behind { return new(classes.Core) })
	}
	p.setCaches(feature.Caches)
}

// others are parameters in which each pair of values of two of them occurs.
var others = []parameters{
	{Params{Bins: oneBin, LeastBlocks: 8}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.FirstFit}, 1, "classes"},
	{Params{Bins: oddBins, LeastBlocks: 1}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.BestFit, Counters: true}, 4, "binned"},
	{Params{Bins: wideBins, LeastBlocks: 16, Crowds: true}, heap.Params{Granule: 16, MinSplit: 4096, Streams: true}, 1, "heap"},
	{Params{Bins: ofHeap, LeastBlocks: 8, Crowds: true}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.FirstFit}, 4, "classes"},
	{Params{Bins: oneBin, LeastBlocks: 1, Crowds: true}, heap.Params{Granule: 16, MinSplit: 16, Counters: true, Streams: true}, 64, "binned"},
	{Params{Bins: oddBins, LeastBlocks: 16}, heap.Params{Granule: 16, MinSplit: 4096, Fit: heap.FirstFit, Streams: true}, 64, "heap"},
	{Params{Bins: wideBins, LeastBlocks: 8}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.BestFit, Streams: true}, 64, "classes"},
	{Params{Bins: ofHeap, LeastBlocks: 1, Crowds: true}, heap.Params{Granule: 16, MinSplit: 4096, Fit: heap.BestFit, Counters: true}, 1, "heap"},
	{Params{Bins: oddBins, LeastBlocks: 8, Crowds: true}, heap.Params{Granule: 16, MinSplit: 16, Counters: true}, 1, "binned"},
	{Params{Bins: wideBins, LeastBlocks: 1}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.FirstFit, Counters: true}, 4, "classes"},
	{Params{Bins: oneBin, LeastBlocks: 16}, heap.Params{Granule: 16, MinSplit: 16, Fit: heap.BestFit}, 4, "heap"},
	{Params{Bins: ofHeap, LeastBlocks: 16}, heap.Params{Granule: 16, MinSplit: 16, Streams: true}, 4, "binned"},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
