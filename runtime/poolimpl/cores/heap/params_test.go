package heap

import (
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true}

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() {
		granule, minSplit, fit = feature.Granule, feature.MinSplit, feature.Fit
		goodFit, preferUsed, paged, bars = fit == GoodFit, feature.PreferUsed, feature.Pages, feature.Pages && feature.Streams
		leastRest, maxBytes = newSpace().leastRest, newSpace().maxBytes
	})
}

// The parameters, by the names that the tests use.
var (
	granule, minSplit, maxBytes      uint64
	fit                              Fit
	goodFit, preferUsed, paged, bars bool
	leastRest                        uint32
)

// newCore returns a core with the parameters of the tests.
func newCore() (c Core) {
	c.Set(&feature)
	return c
}

// newSpace returns a heap with the parameters of the tests.
func newSpace() (s Space) {
	s.Set(feature)
	return s
}

// A core that is closed is as new.
func TestClose(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<40, 1<<16)
	c.Alloc(100, 1)
	if c.Close(); !reflect.DeepEqual(c, newCore()) {
		t.Errorf("%+v", c)
	}
}

// others are parameters in which each pair of values of two of them occurs.
var others = []Params{
	{Granule: 1, MinSplit: 1, Fit: FirstFit, PreferUsed: true, Trims: true, Streams: true},
	{Granule: 16, MinSplit: 4096, Fit: BestFit, Counters: true, Streams: true, Pages: true},
	{Granule: 16, MinSplit: 1, Fit: FirstFit, Counters: true, Pages: true, Trims: true},
	{Granule: 512, MinSplit: 16, Fit: BestFit, PreferUsed: true, Counters: true, Trims: true},
	{Granule: 512, MinSplit: 4096, PreferUsed: true, Streams: true},
	{Granule: 1, MinSplit: 4096, Fit: BestFit, Trims: true, Pages: true},
	{Granule: 512, MinSplit: 1, Counters: true, Trims: true, Streams: true, Pages: true},
	{Granule: 16, MinSplit: 16, Fit: FirstFit, Streams: true},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
