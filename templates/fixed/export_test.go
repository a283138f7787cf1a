package fixed

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// free frees a block as the pools do.
func (c *Core) free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot = c.state().number()
	if joins {
		if ch := c.chunkOf(addr); ch != nil {
			slot = ch.slot
		}
	}
	if c.FreeFast(addr) {
		return slot, poolimpl.Freed
	}
	return c.Free(addr, bytes)
}

// check compares the state of all chunks: lists, lists of chunks, and counters.
func (c *Core) check(t *testing.T, pending uint64) {
	t.Helper()
	if joins {
		c.checkJoint(t)
		if c.accepts == lone {
			c.checkJoined(t)
			c.checkOthers(t, pending)
			return
		}
	}
	if joins {
		if c.current != nil && c.start != c.current.base {
			t.Fatalf("FreeList has the base %#x, the current chunk %#x", c.start, c.current.base)
		}
	}
	withheld := c.checkWithheld(t)
	ch := c.state()
	if next := ch.list.next; len(c.list.next) != len(next) || len(next) > 0 && &c.list.next[0] != &next[0] {
		t.Fatalf("the list has %d entries that are not those of the current chunk, %d", len(c.list.next), len(next))
	}
	if live, idle := ch.check(t); live+idle-withheld-c.list.check(t) != c.liveIn(ch) {
		t.Fatalf("%d live and %d pending in the current chunk, not %d", live, idle-withheld, c.liveIn(ch))
	}
	if !single {
		c.checkOthers(t, pending)
	}
}

// checkOthers compares the chunks that are not the current one with the lists of chunks.
//
//poolgen:if !single
func (c *Core) checkOthers(t *testing.T, pending uint64) {
	t.Helper()
	base := c.current
	if joins {
		if c.accepts == lone {
			base = c.joint.first
		}
	}
	if n, next := len(c.near), c.list.next; n > 0 && (n != len(next) || &c.near[0] != &next[0] || c.base != base.base) {
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
			t.Fatalf("chunk %d: %+v is listed wrongly: freed %b, fresh %v, current %d", slot, *ch, c.partial, c.fresh, c.current.slot)
		}
		if carvable {
			fresh++
		}
		others += ch.live
		if base != c.current || ch != c.current {
			live, idle := ch.check(t)
			if live+idle != ch.live {
				t.Fatalf("chunk %d: %d live and %d pending, not %d", slot, live, idle, ch.live)
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
//
//poolgen:if joins
func (c *Core) checkJoint(t *testing.T) {
	t.Helper()
	if c.joint.next == nil || c.joint.stale {
		return
	}
	for _, ch := range c.chunks {
		if ch != nil && len(ch.list.next) > 0 && &ch.list.next[0] != &c.joint.next[c.joint.entry(ch)] {
			t.Fatalf("chunk %d has its entries apart", ch.slot)
		}
	}
}

// checkJoined checks the list at hand while entries are joined: it has one block at most, which all counts by chunk have as a live one.
//
//poolgen:if joins
func (c *Core) checkJoined(t *testing.T) {
	t.Helper()
	if len(c.list.next) != len(c.joint.next) || &c.list.next[0] != &c.joint.next[0] || c.slot != c.joint.first.slot {
		t.Fatalf("the list has %d entries from chunk %d on, not the %d joined ones from chunk %d on", len(c.list.next), c.slot, len(c.joint.next), c.joint.first.slot)
	}
	if n := c.list.check(t); n > 1 || c.freed-c.allocated != n {
		t.Fatalf("%d blocks at hand, %d counted", n, c.freed-c.allocated)
	}
}

// checkWithheld walks the blocks that are kept off the list of the current chunk, and returns how many there are. All on the list can be taken
// without a new peak.
func (c *Core) checkWithheld(t *testing.T) (n uint64) {
	t.Helper()
	if paced {
		next := c.list.next
		for i := c.withheld; n < c.withheldCount; i = next[i] {
			if n++; uint64(i) >= uint64(len(next)) || next[i] == used || n == c.withheldCount && next[i] != none {
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
func (ch *chunk) check(t *testing.T) (live, idle uint64) {
	t.Helper()
	if uint64(len(ch.list.next)) > ch.blocks {
		t.Fatalf("%d entries for %d blocks", len(ch.list.next), ch.blocks)
	}
	free := ch.list.check(t)
	for _, n := range ch.list.next {
		if n == used {
			live++
		}
	}
	return live, uint64(len(ch.list.next)) - live - free
}

// check walks the list and returns how many blocks it has.
func (l *List) check(t *testing.T) (free uint64) {
	for i := l.head; uint64(i) < uint64(len(l.next)); i = l.next[i] {
		if free++; free > uint64(len(l.next)) || l.next[i] == used {
			t.Helper() // here, as it takes more time than the rest
			t.Fatalf("list is broken at block %d", i)
		}
	}
	return free
}
