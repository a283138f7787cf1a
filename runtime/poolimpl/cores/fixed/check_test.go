package fixed

import (
	"slices"
	"testing"
)

// check compares the state of all chunks: lists, lists of chunks, and counters.
func (c *Core) check(t *testing.T, pending uint64) {
	t.Helper()
	c.checkJoint(t)
	if c.Accepts == lone {
		c.checkJoined(t)
		c.checkOthers(t, pending)
		return
	}
	if c.Current != nil && c.start != c.Current.base {
		t.Fatalf("FreeList has the base %#x, the current chunk %#x", c.start, c.Current.base)
	}
	withheld := c.checkWithheld(t)
	ch := c.state()
	if next := ch.list.Next; len(c.List.Next) != len(next) || len(next) > 0 && &c.List.Next[0] != &next[0] {
		t.Fatalf("the list has %d entries that are not those of the current chunk, %d", len(c.List.Next), len(next))
	}
	if live, idle := ch.check(t); live+idle-withheld-c.List.check(t) != c.liveIn(ch) {
		t.Fatalf("%d live and %d pending in the current chunk, not %d", live, idle-withheld, c.liveIn(ch))
	}
	c.checkOthers(t, pending)
}

// checkOthers compares the chunks that are not the current one with the lists of chunks.
func (c *Core) checkOthers(t *testing.T, pending uint64) {
	t.Helper()
	base := c.Current
	if c.Accepts == lone {
		base = c.joint.first
	}
	if n, next := len(c.Near), c.List.Next; n > 0 && (n != len(next) || &c.Near[0] != &next[0] || c.Base != base.base) {
		t.Fatalf("FreeFast has %d entries that are not those of the list, %d", n, len(next))
	}
	others, fresh := uint64(0), 0
	for i, ch := range c.chunks {
		if ch == nil {
			continue
		}
		slot := uint32(i)
		listed, carvable := ch.list.hasFreed(), ch.hasFresh()
		if listed != (c.partial[slot/64]>>(slot%64)&1 == 1) || listed && slot/64 < c.lowest || slices.Contains(c.fresh, slot) != carvable || ch.slot != slot {
			t.Fatalf("chunk %d: %+v is listed wrongly: freed %b, fresh %v, current %d", slot, *ch, c.partial, c.fresh, c.Current.slot)
		}
		if carvable {
			fresh++
		}
		others += ch.Live
		if base != c.Current || ch != c.Current {
			live, idle := ch.check(t)
			if live+idle != ch.Live {
				t.Fatalf("chunk %d: %d live and %d pending, not %d", slot, live, idle, ch.Live)
			}
		}
	}
	if fresh != len(c.fresh) {
		t.Fatalf("%d chunks with blocks to carve, fresh %v", fresh, c.fresh)
	}
	if others-pending != c.others {
		t.Fatalf("%d live in others, not %d", others-pending, c.others)
	}
}

// checkJoint checks that the chunks have their entries in a joint array which is up to date.
func (c *Core) checkJoint(t *testing.T) {
	t.Helper()
	if c.joint.next == nil || c.joint.stale {
		return
	}
	for _, ch := range c.chunks {
		if ch != nil && len(ch.list.Next) > 0 && &ch.list.Next[0] != &c.joint.next[c.joint.entry(ch, c)] {
			t.Fatalf("chunk %d has its entries apart", ch.slot)
		}
	}
}

// checkJoined checks the list at hand while entries are joined: it has one block at most, which all counts by chunk have as a live one.
func (c *Core) checkJoined(t *testing.T) {
	t.Helper()
	if len(c.List.Next) != len(c.joint.next) || &c.List.Next[0] != &c.joint.next[0] || c.Slot != c.joint.first.slot {
		t.Fatalf("the list has %d entries from chunk %d on, not the %d joined ones from chunk %d on", len(c.List.Next), c.Slot, len(c.joint.next), c.joint.first.slot)
	}
	if n := c.List.check(t); n > 1 || c.Returned-c.Handed != n {
		t.Fatalf("%d blocks at hand, %d counted", n, c.Returned-c.Handed)
	}
}

// checkWithheld walks the blocks that are kept off the list of the current chunk, and returns how many there are. All on the list can be taken
// without a new peak.
func (c *Core) checkWithheld(t *testing.T) (n uint64) {
	t.Helper()
	if c.paced() {
		next := c.List.Next
		for i := c.withheld; n < c.withheldCount; i = next[i] {
			if n++; uint64(i) >= uint64(len(next)) || next[i] == Used || n == c.withheldCount && next[i] != none {
				t.Fatalf("block %d is kept, the %d of %d", i, n, c.withheldCount)
			}
		}
		if most := uint64(len(next)) + c.live() - c.liveIn(c.state()) - n; most > c.peak {
			t.Fatalf("%d blocks could be live, the peak is %d", most, c.peak)
		}
	}
	return n
}

// check walks the list: every block that is carved must be there once, or be marked as used, or be of those that are idle: pending, or kept off the
// list. It returns how many are marked, and idle.
func (ch *Chunk) check(t *testing.T) (live, idle uint64) {
	t.Helper()
	if uint64(len(ch.list.Next)) > ch.blocks {
		t.Fatalf("%d entries for %d blocks", len(ch.list.Next), ch.blocks)
	}
	free := ch.list.check(t)
	for _, n := range ch.list.Next {
		if n == Used {
			live++
		}
	}
	return live, uint64(len(ch.list.Next)) - live - free
}

// check walks the list and returns how many blocks it has.
func (l *List) check(t *testing.T) (free uint64) {
	for i := l.Head; uint64(i) < uint64(len(l.Next)); i = l.Next[i] {
		if free++; free > uint64(len(l.Next)) || l.Next[i] == Used {
			t.Helper() // here, as it takes more time than the rest
			t.Fatalf("list is broken at block %d", i)
		}
	}
	return free
}
