package strips

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{Params: bump.Params{Granule: 16, Counters: true}}

var granule uint64

func TestMain(m *testing.M) { coretest.Main(m, &feature, func() { granule = feature.Granule }) }

// newCore returns a core with the parameters of the tests.
func newCore() *Core {
	c := new(Core)
	c.Set(&feature)
	return c
}

// others are all values of the parameters.
var others = []bump.Params{
	{Granule: 1}, {Granule: 256, Counters: true}, {Granule: 1, Counters: true}, {Granule: 16}, {Granule: 256}, {Granule: 1 << 16}, {Granule: 1 << 16, Counters: true},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
