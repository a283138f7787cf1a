package fixed

import (
	"slices"
	"testing"
)

// check holds the state of all chunks against each other: lists, lists of chunks, and counters.
func (c *Core) check(t *testing.T) {
	t.Helper()
	if live := c.now.check(t); live != c.taken-c.gone {
		t.Fatalf("%d live in the current chunk, not %d", live, c.taken-c.gone)
	}
	if !single {
		c.checkOthers(t)
	}
}

// checkOthers holds the chunks that are not the current one against the lists of chunks.
//
//poolgen:if !single
func (c *Core) checkOthers(t *testing.T) {
	t.Helper()
	others, freed, fresh := uint64(0), 0, 0
	for i := range c.chunks {
		slot, ch := uint32(i), &c.chunks[i]
		current := slot == c.slot
		if current {
			ch = &c.now
		}
		listed, carvable := !current && ch.hasFreed(), ch.hasFresh()
		if slices.Contains(c.freed, slot) != listed || slices.Contains(c.fresh, slot) != carvable {
			t.Fatalf("chunk %d: %+v is listed wrongly: freed %v, fresh %v, current %d", slot, *ch, c.freed, c.fresh, c.slot)
		}
		if listed {
			freed++
		}
		if carvable {
			fresh++
		}
		if !current {
			live := ch.check(t)
			if others += live; live != ch.live {
				t.Fatalf("chunk %d: %d live, not %d", slot, live, ch.live)
			}
		}
	}
	if others != c.others || freed != len(c.freed) || fresh != len(c.fresh) {
		t.Fatalf("%d live in others, not %d; freed %v, fresh %v", others, c.others, c.freed, c.fresh)
	}
}

// check walks the list: every block that is carved must be there once, or be marked as used. It returns how many are marked.
func (ch *chunk) check(t *testing.T) (live uint64) {
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
	if live+free != uint64(len(ch.list.next)) {
		t.Fatalf("%d entries, %d marked, %d on the list", len(ch.list.next), live, free)
	}
	return live
}
