package ring

import (
	"math/bits"
	"testing"
)

// check holds the whole state against its invariants.
func (c *Core) check(t *testing.T) {
	t.Helper()
	live, listed := uint64(0), 0
	if (c.home != nil) != (c.current.size > 0) || c.home != nil && c.chunks[c.current.slot].arenas[c.current.start/arenaSize] != &c.current {
		t.Fatalf("current arena %+v, taken from %p", c.current, c.home)
	}
	for slot := range c.chunks {
		ch, busy := &c.chunks[slot], 0
		for _, a := range ch.arenas {
			live += a.check(t)
			current := a == &c.current
			if a.oldest != a.newest && !current {
				busy++
			}
			if want := bits.Len64(a.room()); !current && a.bin != want || current && a.bin != 0 {
				t.Fatalf("arena at %#x with %d bytes of room is in bin %d", a.base, a.room(), a.bin)
			}
			if a.bin > 0 {
				listed++
			}
		}
		if ch.busy != busy {
			t.Fatalf("chunk %d: %d busy arenas, counted %d", slot, ch.busy, busy)
		}
	}
	if got := c.Usage().Live; got != live {
		t.Fatalf("%d live, counted %d", live, got)
	}
	for bin, a := range c.arenasBySize {
		if (a != nil) != (c.filled>>bin&1 == 1) {
			t.Fatalf("bin %d: %p, filled %#x", bin, a, c.filled)
		}
		for prev := (*arena)(nil); a != nil; prev, a = a, a.next {
			if listed--; a.bin != bin+1 || a.prev != prev {
				t.Fatalf("bin %d: arena at %#x is misplaced", bin, a.base)
			}
		}
	}
	if c.noFitFrom > 0 {
		for _, a := range c.arenasBySize {
			for ; a != nil; a = a.next {
				if a.room() >= c.noFitFrom {
					t.Fatalf("arena at %#x has %d bytes of room, noFitFrom is %d", a.base, a.room(), c.noFitFrom)
				}
			}
		}
	}
	if listed != 0 {
		t.Fatalf("%d arenas are not listed", listed)
	}
}

// check walks the queue of an arena and returns the number of its live blocks.
func (a *arena) check(t *testing.T) (live uint64) {
	t.Helper()
	end := a.start + a.size
	if a.oldest == a.newest && (a.head != a.start || a.limit != end || a.isRound()) {
		t.Fatalf("empty arena %+v", a)
	}
	at := a.start
	for i := a.oldest; i != a.newest; i++ {
		b := a.at(i)
		if i == a.round {
			at = a.start
		}
		if b.off < at || i == a.oldest && b.bytes == 0 {
			t.Fatalf("block %d at %d, want %d or more: %+v", i, b.off, at, a)
		}
		at = b.off
		if bytes := b.bytes &^ pendingFlag; bytes > 0 {
			at += (bytes + granule - 1) &^ (granule - 1)
		}
		if b.bytes-1 < pendingFlag-1 {
			live++
		}
		if at > end {
			t.Fatalf("block %d ends at %d: %+v", i, at, a)
		}
	}
	if at > a.head || a.head > a.limit || a.limit > a.bound() {
		t.Fatalf("blocks end at %d: %+v", at, a)
	}
	if n := uint64(len(a.queue)); a.mask != max(n, 1)-1 || a.newest-a.oldest > n || a.ahead > a.oldest+n {
		t.Fatalf("queue of %d: %+v", n, a)
	}
	a.checkIndex(t)
	if a.skipped != a.newest-a.oldest-live {
		t.Fatalf("%d live: %+v", live, a)
	}
	for i := a.oldest; i < a.sure; i++ {
		if i+1 >= a.newest || a.at(i).bytes-1 >= pendingFlag-1 {
			t.Fatalf("block %d is not sure: %+v", i, a)
		}
	}
	return live
}

// checkIndex verifies that the index has what was entered, unless it has yet to follow the queue.
func (a *arena) checkIndex(t *testing.T) {
	t.Helper()
	x := &a.index
	if len(x.older) != len(a.queue) {
		return
	}
	for i := a.oldest; i < min(a.newest, x.next); i++ {
		at := *x.head(a.at(i).off)
		for at > i+1 {
			at = x.older[(at-1)&a.mask]
		}
		if at != i+1 {
			t.Fatalf("block %d is not in the index: %+v", i, a)
		}
	}
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
		next := c.cut(uint32(slot))
		if next.canServe(bytes, align) {
			return true
		}
	}
	return false
}
