package shards

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// feature are the parameters of the heaps that the tests run with: those of the environment, or the usual ones.
var feature = heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true, Streams: true}

func TestMain(m *testing.M) { coretest.Main(m, &feature, func() {}) }

// TestOtherParams runs the tests with other parameters.
func TestOtherParams(t *testing.T) {
	coretest.Others(t, []heap.Params{{Granule: 16, MinSplit: 16, Streams: true}})
}

// newCore returns shards of a heap with the parameters of the tests.
func newCore() *Core {
	c := new(Core)
	c.SetShards(&Params{Behind: &feature, Streams: feature.Streams}, func() Behind { return new(heap.Core) })
	return c
}
