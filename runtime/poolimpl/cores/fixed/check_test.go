package fixed

import "testing"

// check compares the state of all chunks: lists, sets of chunks, and counters.
func (c *Core) check(t *testing.T, pending uint64) {
	t.Helper()
	at := map[*chunk]uint64{} // blocks of each chunk that are at hand or withheld
	if n := c.walk(t, c.List.Head, at); n != c.atHand() {
		t.Fatalf("%d blocks are at hand, not %d", n, c.atHand())
	}
	if c.withheldCount > 0 {
		if n := c.walk(t, c.withheld, at); n != c.withheldCount {
			t.Fatalf("%d blocks are withheld, not %d", n, c.withheldCount)
		}
	}
	if most := c.live() + c.atHand(); c.paced() && most > c.peak {
		t.Fatalf("%d blocks could be live, the peak is %d", most, c.peak)
	}
	if next := c.List.Next; c.span != nil && (len(next) != len(c.span.next) || len(next) > 0 && &next[0] != &c.span.next[0] || c.Slot != c.span.slot) {
		t.Fatalf("the list has %d entries that are not those of the span at hand, %d", len(next), len(c.span.next))
	}
	if n := len(c.Near); n > 0 && (n > len(c.List.Next) || &c.Near[0] != &c.List.Next[0] || c.Base != c.span.base) {
		t.Fatalf("FreeFast has %d entries that are not those of the list, %d", n, len(c.List.Next))
	}
	var live, idle uint64
	for slot, ch := range c.chunks {
		if ch != nil {
			l, i := c.checkChunk(t, uint32(slot), ch, at[ch])
			live, idle = live+l, idle+i
		}
	}
	if live != c.live() || idle != pending+c.retired || c.waiting != pending {
		t.Fatalf("%d live and %d pending or retired, not %d and %d", live, idle, c.live(), pending+c.retired)
	}
}

// checkChunk returns how many blocks of a chunk are live, and how many are pending or retired. So many others are at hand.
func (c *Core) checkChunk(t *testing.T, slot uint32, ch *chunk, atHand uint64) (live, idle uint64) {
	t.Helper()
	if ch.carved > ch.blocks || ch.slot != slot || c.places[ch.place] != ch {
		t.Fatalf("chunk %d: %+v", slot, *ch)
	}
	if listed, fresh := c.listed.has(ch.place), c.fresh.has(ch.place); listed != (ch.free > 0) || fresh != (ch.carved < ch.blocks) {
		t.Fatalf("chunk %d is listed: %v, fresh: %v; %+v", slot, listed, fresh, *ch)
	}
	if n := ch.walk(t); n != ch.free {
		t.Fatalf("chunk %d has a list of %d blocks, not %d", slot, n, ch.free)
	}
	for _, n := range ch.entries() {
		if n == Used {
			live++
		}
	}
	idle = ch.carved - live - ch.free - atHand
	if got := c.liveIn(ch); !ch.span.ranged && got != live+idle {
		t.Fatalf("chunk %d: %d live and %d pending or retired, not %d", slot, live, idle, got)
	}
	return live, idle
}

// walk walks a list of blocks of the span at hand, counts the blocks by chunk, and returns their number.
func (c *Core) walk(t *testing.T, head uint32, by map[*chunk]uint64) (n uint64) {
	next := c.List.Next
	for i := head; uint64(i) < uint64(len(next)); i = next[i] {
		ch := c.current
		if c.span.ranged {
			ch = c.chunkOf(i)
		}
		if by[ch]++; n == uint64(len(next)) || next[i] == Used || uint64(i)-ch.first >= ch.carved {
			t.Helper() // here, as it takes more time than the rest
			t.Fatalf("list is broken at block %d", i)
		}
		n++
	}
	return n
}

// walk walks the list of a chunk and returns how many blocks it has.
func (ch *chunk) walk(t *testing.T) (n uint64) {
	next := ch.span.next
	for i := ch.head; i < none; i = next[i] {
		if n++; n > ch.carved || uint64(i)-ch.first >= ch.carved || next[i] == Used {
			t.Helper() // here, as it takes more time than the rest
			t.Fatalf("list of chunk %d is broken at block %d", ch.slot, i)
		}
	}
	return n
}

// has reports whether a number is in the set, and can be found.
func (m *marks) has(i uint32) bool {
	return i/64 < uint32(len(m.words)) && m.words[i/64]>>(i%64)&1 == 1 && m.lowest <= i/64
}
