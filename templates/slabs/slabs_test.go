package slabs

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs"
)

// Slabs, and the suballocators behind them, have the parameters of the configuration.
func TestBehind(t *testing.T) {
	var c Core
	behind := shards.Params{Behind: &classes.Params{Params: heap.Params{Granule: 16, MinSplit: 16}, Bins: []uint64{1 << 17}}}
	c.Set(&slabs.Params{Shards: behind, Bins: []uint64{64}, LeastBlocks: 16})
	const base = 1 << 30
	c.Add(0, base, 1<<20)
	for _, bytes := range []uint64{60, 1 << 16} {
		_, off, ok := c.AllocAny(bytes, 1) // the goroutine may have moved to a processor that has no chunk
		if !ok {
			t.Fatalf("no block of %d bytes", bytes)
		}
		if _, v := c.Free(base+off, bytes); v != poolimpl.Freed {
			t.Errorf("Free = %d", v)
		}
	}
}
