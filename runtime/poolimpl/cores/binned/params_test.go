package binned

import (
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{
	Params: heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true}, Bins: []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
}

// Sizes that the tests derive from the parameters.
var (
	bins       []uint64
	unit       uint64 // the granule of the heap
	top, roomy uint64 // the largest bin, and a chunk in which every bin gets many slabs
)

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() {
		bins, unit = feature.Bins, feature.Granule
		top = bins[len(bins)-1]
		roomy = max(1<<22, uint64(1)<<(9+log(top)))
	})
}

// newCore returns a core with the parameters of the tests.
func newCore() (c Core) {
	c.Set(&feature)
	return c
}

// A core that is closed is as new.
func TestClose(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<40, roomy)
	c.Alloc(bins[0], 1)
	if c.Close(); !reflect.DeepEqual(c, newCore()) {
		t.Errorf("%+v", c)
	}
}

// others are parameters in which each pair of values of two of them occurs.
var others = []Params{
	{heap.Params{Granule: 1, MinSplit: 4096, Fit: heap.FirstFit, Trims: true, Streams: true}, []uint64{1, 2, 3, 100, 1000}},
	{
		heap.Params{Granule: 256, MinSplit: 256, Fit: heap.BestFit, Counters: true, Streams: true, Pages: true},
		[]uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842},
	},
	{heap.Params{Granule: 16, MinSplit: 4096, Fit: heap.BestFit, Trims: true, Pages: true}, []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
	{heap.Params{Granule: 16, MinSplit: 16, Fit: heap.FirstFit, Counters: true, Pages: true}, []uint64{24}},
	{heap.Params{Granule: 1, MinSplit: 1, Counters: true, Trims: true, Streams: true, Pages: true}, []uint64{24}},
	{heap.Params{Granule: 256, MinSplit: 4096}, []uint64{1, 2, 3, 100, 1000}},
	{heap.Params{Granule: 1, MinSplit: 1, Fit: heap.BestFit, Counters: true}, []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
	{heap.Params{Granule: 16, MinSplit: 16, Trims: true}, []uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}},
	{heap.Params{Granule: 256, MinSplit: 256, Fit: heap.FirstFit, Trims: true, Streams: true}, []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
