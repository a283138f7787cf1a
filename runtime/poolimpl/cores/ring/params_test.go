package ring

import (
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/tests/large"
)

// feature are the parameters that the tests run with: those of the environment, or the usual ones.
var feature = Params{Granule: 16, ArenaSize: 1 << 20, Counters: true, Trims: true}

var granule, arenaSize uint64

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() { granule, arenaSize = feature.Granule, feature.ArenaSize })
}

// newCore returns a core with the parameters of the tests.
func newCore() *Core {
	c := new(Core)
	c.Set(&feature)
	return c
}

// A core that is closed is as new.
func TestClose(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<40, arenaSize)
	c.Alloc(granule, 1)
	if c.Close(); !reflect.DeepEqual(c, newCore()) {
		t.Errorf("%+v", c)
	}
}

// others are parameters in which each pair of values of two of them occurs: whole granules, and room for some.
var others = []Params{
	{Granule: 1, ArenaSize: 16, Counters: true},
	{Granule: 256, ArenaSize: 66304, Trims: true},
	{Granule: 16, ArenaSize: 256, Trims: true},
	{Granule: 16, ArenaSize: 4096},
	{Granule: 1, ArenaSize: 66304, Trims: true},
	{Granule: 256, ArenaSize: 1 << 20},
	{Granule: 1, ArenaSize: 256, Counters: true, Trims: true},
	{Granule: 256, ArenaSize: 4096, Counters: true, Trims: true},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 2)]) }
