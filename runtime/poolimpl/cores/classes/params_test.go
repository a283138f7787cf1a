package classes

import (
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{
	Params: heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true}, PerBin: none, Bytes: none,
	Bins: []uint64{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 1 << 30, 2 << 30},
}

// none is no bound.
const none = 1<<64 - 1

var (
	bins []uint64
	unit uint64 // what a block of the first class takes up, the scale of the tests
)

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() {
		bins = feature.Bins
		c := newCore()
		c.Add(0, 1<<40, 1<<40)
		c.Alloc(bins[0], 1)
		unit = c.Usage().Occupied
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
	c.Add(0, 1<<40, 1<<10*unit)
	c.Alloc(bins[0], 1)
	if c.Close(); !reflect.DeepEqual(c, newCore()) {
		t.Errorf("%+v", c)
	}
}

// others are parameters in which each pair of values of two of them occurs.
var others = []Params{
	{heap.Params{Granule: 1, MinSplit: 1, Trims: true, Streams: true}, []uint64{1, 2, 3, 100, 1000}, 3, 150},
	{heap.Params{Granule: 256, MinSplit: 256, Counters: true, Pages: true}, []uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}, 3, none},
	{heap.Params{Granule: 16, MinSplit: 16, Trims: true, Pages: true}, []uint64{1000}, 0, none},
	{heap.Params{Granule: 16, MinSplit: 16, Counters: true, Streams: true}, []uint64{1, 2, 3, 100, 1000}, none, 0},
	{heap.Params{Granule: 256, MinSplit: 256, Trims: true, Streams: true, Pages: true}, []uint64{512, 1024, 2048, 4096, 8192, 16384, 32768}, none, 10000},
	{heap.Params{Granule: 1, MinSplit: 1, Counters: true}, []uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}, 0, 10000},
	{heap.Params{Granule: 1, MinSplit: 1, Pages: true}, []uint64{512, 1024, 2048, 4096, 8192, 16384, 32768}, 3, 0},
	{heap.Params{Granule: 256, MinSplit: 256, Streams: true}, []uint64{1000}, none, none},
	{heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true}, []uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}, none, 0},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
