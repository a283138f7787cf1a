package classes

import (
	"testing"
)

// check verifies everything that must hold between two calls. It returns the address ranges that are free or kept.
func (c *Core) check(t testing.TB, slots []uint32) {
	t.Helper()
	held := c.checkLists(t)
	for _, slot := range slots {
		c.checkChunk(t, slot, held)
	}
	if len(held) != 0 {
		t.Fatalf("kept blocks outside of all chunks: %v", held)
	}
}

// checkLists verifies the list of each class and returns the blocks in them.
func (c *Core) checkLists(t testing.TB) map[uint32]bool {
	t.Helper()
	held := map[uint32]bool{}
	var sum uint64
	for k, in := range c.classes {
		i := in.head
		var prev, n uint32
		for ; i != 0; i = c.Space.Note(i) {
			room := c.Space.Room(i)
			if held[i] || !c.Space.Held(i) || room < bins[k] || prev != 0 && c.prevs[i] != prev || int(c.nodes[i]) != k {
				t.Fatalf("class %d has node %d of %d bytes, of class %d, after %d", k, i, room, c.nodes[i], c.prevs[i])
			}
			held[i] = true
			sum += room
			prev = i
			n++
		}
		if in.kept != n || uint64(n) > feature.PerBin {
			t.Fatalf("class %d keeps %d blocks, counts %d, may %d", k, n, in.kept, feature.PerBin)
		}
	}
	if c.cached() != sum || sum > feature.Bytes {
		t.Fatalf("%d bytes kept, %d counted, %d allowed", sum, c.cached(), feature.Bytes)
	}
	return held
}

// checkChunk verifies that the blocks of a chunk lie side by side, and takes the kept ones out of held.
func (c *Core) checkChunk(t testing.TB, slot uint32, held map[uint32]bool) {
	t.Helper()
	var at, used uint64
	wasFree := false
	for i := c.Space.First(slot); i != 0; i = c.Space.Next(i) {
		a, room := c.Space.Address(i), c.Space.Room(i)
		link := c.Space.Find(a)
		free := link == nil
		switch {
		case at != 0 && a != at, free && wasFree, !free && *link != i, c.Space.Held(i) != held[i]:
			t.Fatalf("chunk %d: node %d at %#x+%d after %#x, held %v", slot, i, a, room, at, held[i])
		case !free && !held[i]:
			used += room
		}
		delete(held, i)
		at, wasFree = a+room, free
	}
	if c.Used(slot) != used {
		t.Fatalf("chunk %d: used %d, blocks have %d", slot, c.Used(slot), used)
	}
}
