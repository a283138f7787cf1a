package fixed

import "testing"

// check walks the list of the current chunk: every block that was ever on it must be there once, or be
// marked as used. The lists of other chunks are seen when they become current.
func (c *Core) check(t *testing.T) {
	t.Helper()
	if uint64(len(c.next)) > c.blocks {
		t.Fatalf("%d entries for %d blocks", len(c.next), c.blocks)
	}
	free, live := uint64(0), uint64(0)
	for i := c.head; c.blocks > 0 && i != none; i = c.next[i] {
		if free++; free > uint64(len(c.next)) || c.next[i] == used {
			t.Fatalf("list is broken at block %d", i)
		}
	}
	for _, n := range c.next {
		if n == used {
			live++
		}
	}
	if live != c.live() || live+free != uint64(len(c.next)) {
		t.Fatalf("%d entries, %d marked, %d on the list, %d live", len(c.next), live, free, c.live())
	}
}
