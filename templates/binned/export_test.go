package binned

import (
	"testing"
)

// check verifies everything that must hold between two calls. Blocks are pending only where defers says so.
func (c *Core) check(t testing.TB, streams bool) {
	t.Helper()
	used := make([]uint64, len(c.chunks))
	standing := 0
	for slot := range c.chunks {
		n := 0
		for i := c.space.First(uint32(slot)); i != 0; i = c.space.Next(i) {
			if c.space.Held(i) {
				used[slot] += c.checkSlab(t, uint32(slot), i, streams)
				n++
			}
		}
		if used[slot] != c.chunks[slot].used {
			t.Fatalf("chunk %d: %d bytes in slabs, counted %d", slot, used[slot], c.chunks[slot].used)
		}
		standing += n
	}
	c.checkPages(t)
	for b := range c.binSlabs {
		standing += c.checkBinSlabs(t, b)
	}
	if len(c.slabs) > 0 && standing != len(c.slabs)-1 {
		t.Fatalf("%d of %d slabs", standing, len(c.slabs)-1)
	}
}

// checkSlab verifies the slab on a held block and returns the bytes of its live and pending blocks.
func (c *Core) checkSlab(t testing.TB, slot, i uint32, streams bool) uint64 {
	t.Helper()
	id := c.space.Note(i)
	s := c.at(id)
	at, off := c.space.Place(i)
	room := c.space.Room(i)
	if s.slot != slot || at != slot || s.off != off || s.addr != c.space.Address(i) || uint64(s.blocks)*uint64(s.size) > room || uint64(s.size) != bins[s.bin] {
		t.Fatalf("slab %d on %d+%d of chunk %d: %+v", id, off, room, slot, s)
	}
	if s.blocks < fewestBlocks || s.addr%page != 0 {
		t.Fatalf("slab %d: %d blocks at %#x", id, s.blocks, s.addr)
	}
	free := 0
	for k := s.head; k != none; k = *c.entry(s, uint64(k)) {
		if free++; k >= s.blocks || free > int(s.blocks) {
			t.Fatalf("slab %d: list is broken at block %d", id, k)
		}
	}
	q := &c.binSlabs[s.bin]
	ready := 0
	for _, x := range q.ready[:q.count] {
		if uint32(x>>32) == id {
			ready++
			if e := *c.entry(s, x&(1<<32-1)); e != none {
				t.Fatalf("slab %d: block %d lies ready as %d", id, x&(1<<32-1), e)
			}
		}
	}
	live := 0
	for k := range uint64(s.blocks) {
		if e := *c.entry(s, k); e >= liveFlag {
			live++
			if uint32(e-liveFlag) >= s.size {
				t.Fatalf("slab %d: block %d of %d bytes has %d too much", id, k, s.size, e-liveFlag)
			}
		}
	}
	pending := int(s.blocks) - live - ready - free
	if pending < 0 || live+ready+pending != int(s.out) || pending > 0 && !streams {
		t.Fatalf("slab %d: %d live, %d ready, counts %d, %d free of %d", id, live, ready, s.out, free, s.blocks)
	}
	listed := false
	for k := q.open; k != 0; k = c.at(k).next {
		listed = listed || k == id
	}
	if listed != (s.out > 0 && free > 0) || (q.keptSlab == id) != (s.out == 0) {
		t.Fatalf("slab %d: %d out, %d free, listed is %v, kept is %d", id, s.out, free, listed, q.keptSlab)
	}
	return uint64(live+pending) * uint64(s.size)
}

// checkPages verifies that the page map has the slabs, each with all of its pages, and nothing else.
func (c *Core) checkPages(t testing.TB) {
	t.Helper()
	owner := map[uint64]uint32{}
	for slot := range c.chunks {
		for i := c.space.First(uint32(slot)); i != 0; i = c.space.Next(i) {
			if !c.space.Held(i) {
				continue
			}
			id := c.space.Note(i)
			s := c.at(id)
			for p := s.addr / page; p <= (s.addr+uint64(s.blocks)*uint64(s.size)-1)/page; p++ {
				if owner[p] != 0 {
					t.Fatalf("slabs %d and %d in page %#x", owner[p], id, p)
				}
				owner[p] = id
			}
		}
	}
	left, regions := len(owner), 0
	for b, i := range c.pages.bucket {
		for ; i != 0; i = c.pages.regions[i].next {
			d := &c.pages.regions[i]
			n := 0
			for k, id := range d.slab {
				if id != owner[d.number*regionPages+uint64(k)] {
					t.Fatalf("page %d of region %#x has slab %d", k, d.number, id)
				}
				n += int(min(id, 1))
			}
			if n == 0 || n != int(d.owned) || c.pages.hash(d.number) != uint64(b) {
				t.Fatalf("region %d is %+v in bucket %d", i, d, b)
			}
			left -= n
			regions++
		}
	}
	if left != 0 || regions != int(c.pages.count) {
		t.Fatalf("%d regions, counted %d, %d pages left", regions, c.pages.count, left)
	}
}

// checkBinSlabs verifies the lists of a bin and returns how many slabs lie there without memory.
func (c *Core) checkBinSlabs(t testing.TB, b int) int {
	t.Helper()
	q := &c.binSlabs[b]
	prev := uint32(0)
	for id := q.open; id != 0; id = c.at(id).next {
		if c.at(id).prev != prev || int(c.at(id).bin) != b || c.at(id).out == 0 {
			t.Fatalf("bin %d: open slab %d is %+v after %d", b, id, c.at(id), prev)
		}
		prev = id
	}
	seen := map[uint64]bool{}
	for _, x := range q.ready[:q.count] {
		if s := c.at(uint32(x >> 32)); seen[x] || int(s.bin) != b || x&(1<<32-1) >= uint64(s.blocks) {
			t.Fatalf("bin %d: %#x lies ready", b, x)
		}
		seen[x] = true
	}
	if q.count > q.depth || q.depth > depth || uint64(q.size) != bins[b] && bins[b] <= largestSlab/fewestBlocks {
		t.Fatalf("bin %d is %+v", b, q)
	}
	n := 0
	for id := q.unused; id != 0; id = c.at(id).next {
		if n++; n > len(c.slabs) || int(c.at(id).bin) != b {
			t.Fatalf("bin %d: spare slab %d is %+v", b, id, c.at(id))
		}
	}
	return n
}
