package strict

import (
	rt "runtime"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/large"
)

// setup is what differs between two runs of the tests.
type setup struct {
	Params
	Patience   uint32 // 0: the usual one
	Processors int    // 0: those of the machine
}

// feature is what the tests run with: that of the environment, or the usual one.
var feature = setup{Params: Params{BlockSize: 64, ItemBytes: 64, PerWord: 32, Counters: true, Trims: true}}

func TestMain(m *testing.M) {
	coretest.Main(m, &feature, func() {
		blockSize, itemBytes, perWord = feature.BlockSize, feature.ItemBytes, feature.PerWord
		most = 3*perWord + 6
		cell = most * blockSize
		streamEach = 2*perWord + 3
		if feature.Patience > 0 {
			patience = feature.Patience
		}
		if feature.Processors > 0 {
			rt.GOMAXPROCS(feature.Processors)
		}
	})
}

// The parameters, by the names that the tests use.
var blockSize, itemBytes, perWord uint64

// newCore returns a core with the parameters of the tests.
func newCore() *Core {
	c := new(Core)
	c.Set(&feature.Params)
	return c
}

// crowd is a number of processors of which several share a hint.
const crowd = 2*MaxProcessors + 1

// others are parameters in which each pair of values of two of them occurs.
var others = []setup{
	{Params: Params{BlockSize: 64, ItemBytes: 64, PerWord: 32, Counters: true, Owns: true}, Patience: 3},
	{Params: Params{BlockSize: 65544, ItemBytes: 32772, PerWord: 16, Magazine: 32, Streams: true, AllocsOn: true}, Patience: 3},
	{Params: Params{BlockSize: 1 << 20, ItemBytes: 1 << 19, PerWord: 16, Counters: true, Trims: true, Streams: true, AllocsOn: true, Sampled: true}, Processors: crowd},
	{Params: Params{BlockSize: 65544, ItemBytes: 32772, PerWord: 32, Magazine: 5, Counters: true, Sampled: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 24, ItemBytes: 1, PerWord: 32, Magazine: 1, Counters: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 1, ItemBytes: 1, PerWord: 16, Magazine: 5, Streams: true, Sampled: true}},
	{Params: Params{BlockSize: 64, ItemBytes: 1, PerWord: 32, Trims: true}},
	{Params: Params{BlockSize: 1 << 20, ItemBytes: 1 << 20, PerWord: 32, Magazine: 32, Counters: true, Sampled: true}, Patience: 3, Processors: crowd},
	{Params: Params{BlockSize: 64, ItemBytes: 1, PerWord: 16, Magazine: 1, Streams: true, AllocsOn: true, Sampled: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 24, ItemBytes: 24, PerWord: 16, Trims: true, Streams: true, AllocsOn: true}},
	{Params: Params{BlockSize: 1, ItemBytes: 1, PerWord: 16, Magazine: 1, Counters: true, Streams: true, AllocsOn: true}, Patience: 3},
	{Params: Params{BlockSize: 1 << 20, ItemBytes: 1, PerWord: 16, Magazine: 5, Streams: true, AllocsOn: true}, Patience: 100},
	{Params: Params{BlockSize: 1, ItemBytes: 1, PerWord: 32, Magazine: 32, Counters: true, Sampled: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 65544, ItemBytes: 65544, PerWord: 32, Magazine: 1}, Processors: crowd},
	{Params: Params{BlockSize: 64, ItemBytes: 32, PerWord: 32, Magazine: 5, Counters: true}, Patience: 3},
	{Params: Params{BlockSize: 24, ItemBytes: 12, PerWord: 16, Magazine: 32, Counters: true, Streams: true, AllocsOn: true, Sampled: true}, Processors: crowd},
	{Params: Params{BlockSize: 64, ItemBytes: 64, PerWord: 32, Magazine: 32, Counters: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 65544, ItemBytes: 1, PerWord: 16, Counters: true, Streams: true}, Processors: crowd},
	{Params: Params{BlockSize: 24, ItemBytes: 1, PerWord: 32, Owns: true}, Patience: 100, Processors: crowd},
	{Params: Params{BlockSize: 65544, ItemBytes: 65544, PerWord: 16, Owns: true}, Patience: 3},
	{Params: Params{BlockSize: 24, ItemBytes: 1, PerWord: 16, Magazine: 5, Counters: true, Streams: true, AllocsOn: true, Sampled: true}, Patience: 3, Processors: crowd},
	{Params: Params{BlockSize: 1, ItemBytes: 1, PerWord: 32, Trims: true}, Processors: crowd},
	{Params: Params{BlockSize: 1 << 20, ItemBytes: 1, PerWord: 16, Magazine: 1, Counters: true, Streams: true, Sampled: true}},
	{Params: Params{BlockSize: 65544, ItemBytes: 65544, PerWord: 16, Trims: true, Streams: true}, Processors: crowd},
}

// TestOtherParams runs the tests with other parameters: some of them by default, as that takes some seconds.
func TestOtherParams(t *testing.T) { coretest.Others(t, others[:large.Or(len(others), 4)]) }

// TestSet: pools use the interfaces for which they have the parameter alone. Set keeps a copy of the parameters.
func TestSet(t *testing.T) {
	given := feature.Params
	c := new(Core)
	c.Set(&given)
	want := poolimpl.Features{Streams: given.Streams, Spreads: given.AllocsOn, Shares: true, Samples: given.Sampled}
	if got := c.Features(); got != want {
		t.Errorf("Features = %+v, want %+v", got, want)
	}
	if given = (Params{}); c.Need(itemBytes, 1) != blockSize {
		t.Errorf("blocks of %d", c.Need(itemBytes, 1))
	}
}
