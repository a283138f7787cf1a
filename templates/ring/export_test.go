package ring

import (
	"math/bits"
	"testing"
)

// check holds the whole state against its invariants.
func (c *Core) check(t *testing.T) {
	t.Helper()
	live, filed := uint64(0), 0
	for slot := range c.chunks {
		ch, busy := &c.chunks[slot], 0
		for _, a := range ch.arenas {
			n := a.check(t)
			live += n
			if n > 0 {
				busy++
			}
			if want := bits.Len64(a.room()); a != c.current && a.bin != want || a == c.current && a.bin != 0 {
				t.Fatalf("arena at %#x with %d bytes of room is in bin %d", a.base, a.room(), a.bin)
			}
			if a.bin > 0 {
				filed++
			}
		}
		if ch.busy != busy {
			t.Fatalf("chunk %d: %d busy arenas, counted %d", slot, ch.busy, busy)
		}
	}
	if got := c.count.Usage().Live; got != live {
		t.Fatalf("%d live, counted %d", got, live)
	}
	for bin, a := range c.shelf {
		if (a != nil) != (c.filled>>bin&1 == 1) {
			t.Fatalf("bin %d: %p, filled %#x", bin, a, c.filled)
		}
		for prev := (*arena)(nil); a != nil; prev, a = a, a.next {
			if filed--; a.bin != bin+1 || a.prev != prev {
				t.Fatalf("bin %d: arena at %#x is misplaced", bin, a.base)
			}
		}
	}
	if c.barren > 0 {
		for _, a := range c.shelf {
			for ; a != nil; a = a.next {
				if a.room() >= c.barren {
					t.Fatalf("arena at %#x has %d bytes of room, barren is %d", a.base, a.room(), c.barren)
				}
			}
		}
	}
	if filed != 0 {
		t.Fatalf("%d arenas are missing from the shelf", filed)
	}
}

// check walks the queue of an arena and returns the number of its live blocks.
func (a *arena) check(t *testing.T) (live uint64) {
	t.Helper()
	if a.oldest == a.newest {
		if a.head != 0 || a.tail != 0 || a.limit != a.size {
			t.Fatalf("empty arena %+v", a)
		}
		return 0
	}
	round := a.limit < a.size
	at := a.tail
	for i := a.oldest; i != a.newest; i++ {
		b := a.at(i)
		if round && i == a.round {
			at = 0
		}
		if b.off < at || i == a.oldest && (b.off != a.tail || b.bytes == 0) {
			t.Fatalf("block %d at %d, want %d or more: %+v", i, b.off, at, a)
		}
		at = b.off
		if b.bytes > 0 {
			live++
			at += (b.bytes + granule - 1) &^ (granule - 1)
		}
	}
	if at > a.head || a.head > a.limit || round && a.limit != a.tail {
		t.Fatalf("head %d, limit %d, blocks end at %d", a.head, a.limit, at)
	}
	return live
}

// couldServe reports whether any arena, cut off or not, has room.
func (c *Core) couldServe(bytes, align uint64) bool {
	for slot := range c.chunks {
		ch := &c.chunks[slot]
		for _, a := range ch.arenas {
			if a.canServe(bytes, align) {
				return true
			}
		}
		next := ch.cut(uint32(slot))
		if next.canServe(bytes, align) {
			return true
		}
	}
	return false
}
