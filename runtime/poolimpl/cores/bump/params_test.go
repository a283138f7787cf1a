package bump

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{Granule: 16, Counters: true}

var granule, unit uint64

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() { granule, unit = feature.Granule, max(feature.Granule, 8) })
}

// newCore returns a core with the parameters of the tests.
func newCore() (c Core) {
	c.Set(&feature)
	return c
}

// A core that is closed is as one without chunks.
func TestClose(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<40, 1<<20)
	m := c.Mark()
	c.Alloc(granule, 1)
	c.Close()
	if _, _, ok := c.Alloc(granule, 1); ok || c.Release(m) || c.Usage().Live != 0 {
		t.Errorf("%+v", c.Usage())
	}
}

// others are all values of the parameters.
var others = []Params{
	{Granule: 1}, {Granule: 256, Counters: true}, {Granule: 1, Counters: true}, {Granule: 16}, {Granule: 256}, {Granule: 1 << 16}, {Granule: 1 << 16, Counters: true},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
