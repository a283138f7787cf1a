package fixed

import (
	"slices"
	"testing"
)

// check holds the state of all chunks against each other: lists, lists of chunks, and counters.
func (c *Core) check(t *testing.T, pending uint64) {
	t.Helper()
	withheld := c.checkWithheld(t)
	if live, idle := c.current.check(t); live+idle-withheld != c.allocated-c.freed {
		t.Fatalf("%d live and %d pending in the current chunk, not %d", live, idle-withheld, c.allocated-c.freed)
	}
	if !single {
		c.checkOthers(t, pending)
	}
}

// checkOthers holds the chunks that are not the current one against the lists of chunks.
//
//poolgen:if !single
func (c *Core) checkOthers(t *testing.T, pending uint64) {
	t.Helper()
	others, partial, fresh := uint64(0), 0, 0
	for i := range c.chunks {
		slot, ch := uint32(i), &c.chunks[i]
		current := slot == c.slot
		if current {
			ch = &c.current
		}
		listed, carvable := !current && ch.hasFreed(), ch.hasFresh()
		if slices.Contains(c.partial, slot) != listed || slices.Contains(c.fresh, slot) != carvable {
			t.Fatalf("chunk %d: %+v is listed wrongly: freed %v, fresh %v, current %d", slot, *ch, c.partial, c.fresh, c.slot)
		}
		if listed {
			partial++
		}
		if carvable {
			fresh++
		}
		if !current {
			live, idle := ch.check(t)
			if others += ch.live; live+idle != ch.live {
				t.Fatalf("chunk %d: %d live and %d pending, not %d", slot, live, idle, ch.live)
			}
		}
	}
	if others-pending != c.others || partial != len(c.partial) || fresh != len(c.fresh) {
		t.Fatalf("%d live in others, not %d; freed %v, fresh %v", others, c.others, c.partial, c.fresh)
	}
}

// checkWithheld walks the blocks that are kept off the list of the current chunk, and returns how many there are. All on the list can be taken
// without a new peak.
func (c *Core) checkWithheld(t *testing.T) (n uint64) {
	t.Helper()
	if paced {
		next := c.current.list.next
		for i := c.withheld; n < c.withheldCount; i = next[i] {
			if n++; uint64(i) >= uint64(len(next)) || next[i] == used || n == c.withheldCount && next[i] != none {
				t.Fatalf("block %d is kept, the %d of %d", i, n, c.withheldCount)
			}
		}
		if most := uint64(len(next)) + c.others - n; most > c.peak {
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
	free := uint64(0)
	for i := ch.list.head; uint64(i) < uint64(len(ch.list.next)); i = ch.list.next[i] {
		if free++; free > uint64(len(ch.list.next)) || ch.list.next[i] == used {
			t.Fatalf("list is broken at block %d", i)
		}
	}
	for _, n := range ch.list.next {
		if n == used {
			live++
		}
	}
	return live, uint64(len(ch.list.next)) - live - free
}
