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

// A range with pages stays in its shard, also where there are several, as the pool had chunks before: it is empty, and most of it has no memory.
func TestRangeIsNotStolen(t *testing.T) {
	const page, base = 1 << 20, 1 << 40
	c := newPaged()
	c.Add(3, 1<<41, 1<<20)
	c.Remove(3)
	c.Reserve(0, base, 8*page, page)
	c.Fill(poolimpl.Extent{Addr: base, Size: page})
	slot, off, ok := c.Alloc(64, 1)
	if !ok || slot != 0 {
		t.Fatal(slot, off, ok)
	}
	c.Free(base+off, 64)
	for n := range c.all() {
		if c.takeEmpty(&c.all()[n]) != nil {
			t.Errorf("the range is taken from shard %d", n)
		}
	}
}
