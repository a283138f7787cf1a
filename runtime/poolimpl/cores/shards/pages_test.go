package shards

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

var _ poolimpl.MovingCore = (*Core)(nil)

// newPaged returns shards of heaps with pages.
func newPaged() *Core {
	c := new(Core)
	c.SetShards(&Params{Behind: &heap.Params{Granule: 16, MinSplit: 16, Streams: true, Pages: true}, Streams: true}, func() Behind { return new(heap.Core) })
	return c
}

// Blocks lie on pages that have memory. Shards that had chunks before can have pages.
func TestPages(t *testing.T) {
	for seed := range uint64(8) {
		c := newPaged()
		if has := c.Features(); !has.Pages || !has.Moves {
			t.Errorf("%+v", has)
		}
		if seed%2 == 0 {
			c.Add(3, 1<<40, 1<<20)
			c.Remove(3)
		}
		coretest.Pages(t, c, rand.New(rand.NewPCG(seed, 3)), func() {})
	}
}
