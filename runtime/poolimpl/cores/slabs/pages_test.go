package slabs

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
)

var _ poolimpl.MovingCore = (*Core)(nil)

// newPaged returns slabs in front of a heap with pages.
func newPaged() *Core {
	c := new(Core)
	behind := shards.Params{Behind: &heap.Params{Granule: 16, MinSplit: 16, Counters: true, Pages: true}}
	c.SetSlabs(&Params{Shards: behind, Bins: []uint64{64, 256, 1024, 4096}, LeastBlocks: 8, Crowds: true, Counters: true}, func() shards.Behind { return new(heap.Core) })
	return c
}

// Blocks lie on pages that have memory, and slabs do not keep pages when nothing is live.
func TestPages(t *testing.T) {
	for seed := range uint64(8) {
		c := newPaged()
		coretest.Pages(t, c, rand.New(rand.NewPCG(seed, 3)), func() {})
		if c.memory != 0 || c.parts != 0 {
			t.Errorf("%d bytes in %d pages, of none", c.memory, c.parts)
		}
		if c.Remove(0); c.reach != 0 || c.chunks.Len() != 0 {
			t.Errorf("slabs of up to %d bytes, without a chunk", c.reach)
		}
	}
}

// The map is as long as the memory that has slabs, not as the range. Slabs are those of chunks as long as a page.
func TestMapOfPages(t *testing.T) {
	const page, base = 1 << 20, 1 << 30
	c := newPaged()
	c.Reserve(0, base, 1<<38, page)
	if c.near.table.Load() != nil || c.anyFar.Load() || c.reach != page/chunkParts {
		t.Errorf("far: %t; slabs of up to %d bytes, without memory", c.anyFar.Load(), c.reach)
	}
	for k := range uint64(20) {
		c.Fill(poolimpl.Extent{Addr: base + k*page, Size: page})
		for _, off, ok := c.AllocFast(4096); ok; _, off, ok = c.AllocFast(4096) {
			if k%2 == 0 {
				c.Free(base+off, 4096)
				break
			}
		}
	}
	if n := uint64(len(c.near.table.Load().list)) * 16 << 10; n < 19*page || n > 40*page {
		t.Errorf("a map of %d bytes, of %d", n, 20*page)
	}
}

// Slabs go before the pool grows for a request that they do not serve.
func TestFlushFor(t *testing.T) {
	const page, base = 1 << 20, 1 << 30
	c := newPaged()
	c.Reserve(0, base, 8*page, page)
	c.Fill(poolimpl.Extent{Addr: base, Size: page})
	_, off, _ := c.AllocFast(64)
	c.Free(base+off, 64)
	if c.FlushFor(64) || c.count != 1 {
		t.Errorf("%d slabs are left for blocks that they serve", c.count)
	}
	if !c.FlushFor(page) || c.count != 0 {
		t.Errorf("%d slabs are left for a large block", c.count)
	}
}

// Slabs of all ranges are dissolved for a request that their memory suffices for together: free pages can go to where the request needs them.
func TestSlabsOfAllRangesAreDissolved(t *testing.T) {
	const page, base = 1 << 20, 1 << 30
	c := newPaged()
	for k := range uint64(2) {
		c.Reserve(uint32(k), base+k*8*page, 8*page, page)
		c.Fill(poolimpl.Extent{Addr: base + k*8*page, Size: page})
	}
	var all []uint64
	for slot, off, ok := c.AllocFast(4096); ok; slot, off, ok = c.AllocFast(4096) {
		all = append(all, base+uint64(slot)*8*page+off)
	}
	for k, addr := range all {
		if k%3 > 0 {
			c.Free(addr, 4096)
		}
	}
	if _, _, ok := c.AllocAny(page+page/5, 1); ok || c.count > 0 {
		t.Errorf("a block of more than what has memory in a row: %t; %d slabs are left", ok, c.count)
	}
}

// While goroutines allocate and free, pages without blocks come and go.
func TestPagesComeAndGo(t *testing.T) {
	const page, base = 1 << 18, 1 << 30
	c := newPaged()
	all := poolimpl.Extent{Addr: base, Size: 16 * page}
	c.Reserve(0, base, all.Size, page)
	for k := range uint64(16) {
		c.Fill(poolimpl.Extent{Addr: base + k*page, Size: page})
	}
	var workers sync.WaitGroup
	for id := range uint64(4) {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(id, 4))
			var held []poolimpl.Extent
			for range 4000 {
				if len(held) > 20 {
					k := r.IntN(len(held))
					b := held[k]
					held[k] = held[0]
					held = held[1:]
					if _, v := c.Free(b.Addr, b.Size); v != poolimpl.Freed {
						t.Errorf("free of %+v: %d", b, v)
					}
				}
				n := 1 + r.Uint64N([]uint64{4096, 4096, page}[r.IntN(3)])
				if _, off, ok := c.AllocFast(n); ok {
					held = append(held, poolimpl.Extent{Addr: base + off, Size: n})
					if h := c.Holes(held[len(held)-1]); len(h) > 0 {
						t.Errorf("block %+v lies on holes %+v", held[len(held)-1], h)
					}
				}
			}
			for _, b := range held {
				c.Free(b.Addr, b.Size)
			}
		})
	}
	for range 500 {
		if c.Usage(); c.FlushFor(page) {
			c.FlushFor(64)
		}
		for _, x := range c.Vacate(c.FreePages()) {
			c.Fill(x)
		}
	}
	workers.Wait()
	c.Flush()
	if gone := c.Vacate(c.FreePages()); len(gone) != 1 || gone[0] != all {
		t.Errorf("%+v are free", gone)
	}
}

// A slab lies on one page of memory, so it keeps no other one.
func TestSlabsLieOnOnePage(t *testing.T) {
	const page, base = 1 << 20, 1 << 30
	c := newPaged()
	c.Reserve(0, base, 8*page, page)
	c.Fill(poolimpl.Extent{Addr: base, Size: 2 * page})
	if _, off, ok := c.Alloc(page-16<<10, 1); !ok || off != 0 {
		t.Fatal(off, ok)
	}
	_, off, ok := c.AllocFast(4096)
	if s := c.find(base + off); !ok || s == nil || s.addr/page != (s.addr+s.room-1)/page {
		t.Errorf("%t: the slab of the block at %#x is on two pages, or there is none", ok, off)
	}
}
