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
		for i := c.Space.First(uint32(slot)); i != 0; i = c.Space.Next(i) {
			if c.Space.Held(i) {
				used[slot] += c.checkSlab(t, uint32(slot), i, streams)
				n++
			}
		}
		if n := c.Used(uint32(slot)) - c.Space.Used(uint32(slot)); used[slot] != n {
			t.Fatalf("chunk %d: %d bytes in slabs, counted %d", slot, used[slot], n)
		}
		standing += n
	}
	c.checkIndex(t)
	for b := range c.binSlabs {
		standing += c.checkBinSlabs(t, b)
	}
	if n := c.records(); standing != n {
		t.Fatalf("%d of %d slabs", standing, n)
	}
}

// records returns the number of slabs, also of those that went back to the heap.
func (c *Core) records() (n int) {
	for id := uint32(1); id < uint32(len(c.lines)); id += c.linesOf(c.at(id).bin) {
		n++
	}
	return n
}

// checkSlab verifies the slab on a held block and returns the bytes of its live and pending blocks.
func (c *Core) checkSlab(t testing.TB, slot, i uint32, streams bool) uint64 {
	t.Helper()
	id := c.Space.Note(i)
	s := c.at(id)
	at, off := c.Space.Place(i)
	room := c.Space.Room(i)
	if s.slot != slot || at != slot || s.off != off || s.addr != c.Space.Address(i) || uint64(s.blocks)*bins[s.bin] > room {
		t.Fatalf("slab %d on %d+%d of chunk %d: %+v", id, off, room, slot, s)
	}
	if s.blocks < fewestBlocks || s.addr%c.slabBytes(bins[s.bin]) != 0 {
		t.Fatalf("slab %d: %d blocks at %#x", id, s.blocks, s.addr)
	}
	free := 0
	for k := s.head; k != none; k = *s.entry(uint64(k)) {
		if free++; k >= s.blocks || free > int(s.blocks) {
			t.Fatalf("slab %d: list is broken at block %d", id, k)
		}
	}
	q := &c.binSlabs[s.bin]
	ready := 0
	for _, x := range q.ready[:q.count] {
		if uint32(x>>32) == id {
			ready++
			if e := *s.entry(x & (1<<32 - 1)); e != none {
				t.Fatalf("slab %d: block %d lies ready as %d", id, x&(1<<32-1), e)
			}
		}
	}
	live := 0
	for k := range uint64(s.blocks) {
		if e := *s.entry(k); e >= liveFlag {
			live++
			if uint64(e-liveFlag) >= bins[s.bin] {
				t.Fatalf("slab %d: block %d of %d bytes has %d too much", id, k, bins[s.bin], e-liveFlag)
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
	return uint64(live+pending) * bins[s.bin]
}

// checkIndex verifies that the index has the slabs, each in its bucket, and nothing else.
func (c *Core) checkIndex(t testing.TB) {
	t.Helper()
	held := map[uint32]bool{}
	for slot := range c.chunks {
		for i := c.Space.First(uint32(slot)); i != 0; i = c.Space.Next(i) {
			if c.Space.Held(i) {
				held[c.Space.Note(i)] = true
			}
		}
	}
	n := 0
	for b, id := range c.index.bucket {
		for ; id != 0; id = c.at(id).chain {
			if n++; !held[id] || c.index.hash(c.at(id).addr) != uint64(b) {
				t.Fatalf("slab %d at %#x is in bucket %d", id, c.at(id).addr, b)
			}
		}
	}
	if n != len(held) || n != int(c.index.count) {
		t.Fatalf("%d slabs in the index, counted %d, of %d", n, c.index.count, len(held))
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
		if n++; n > len(c.lines) || int(c.at(id).bin) != b {
			t.Fatalf("bin %d: spare slab %d is %+v", b, id, c.at(id))
		}
	}
	return n
}
