package ring

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// TestFreeFast: the fast path takes the oldest block back and nothing else, and not before the slow one has seen that it may.
func TestFreeFast(t *testing.T) {
	needRoom(t)
	c := newCore()
	const base = 1 << 40
	if c.FreeFast(base, 0) || c.FreeFast(0, 0) {
		t.Fatal("FreeFast without a chunk")
	}
	c.Add(0, base, arenaSize)
	var at [6]uint64
	for i := range at {
		_, off := take(t, c, 2, 1)
		at[i] = base + off
	}
	give := func(name string, at, bytes uint64, want bool) {
		t.Helper()
		before := c.Usage()
		if got := c.FreeFast(at, bytes); got != want {
			t.Fatalf("%s: %v", name, got)
		}
		c.check(t)
		if after := c.Usage(); after.Live != before.Live && !want {
			t.Fatalf("%s: %+v, then %+v", name, before, after)
		}
	}
	free := func(at uint64) {
		t.Helper()
		if _, v := c.Free(at, 2); v != poolimpl.Freed {
			t.Fatalf("Free: %d", v)
		}
	}
	give("at a peak", at[0], 2, false)
	free(at[0])
	give("again", at[0], 2, false)
	give("not the oldest", at[2], 2, false)
	give("inside", at[1]+1, 2, false)
	give("longer", at[1], 3, false)
	give("no length", at[1], 0, false)
	give("the oldest", at[1], 2, true)
	give("again", at[1], 2, false)
	free(at[3])
	give("before one that is freed", at[2], 2, false)
	free(at[2])
	give("the oldest", at[4], 2, true)
	give("the last", at[5], 2, false)
	c.Free(at[5], 2)
	give("nothing live", at[5], 2, false)
	if u := c.Usage(); u.Live != 0 || u.LiveBytes != 0 {
		t.Errorf("%+v", u)
	}
}

// TestMakeCurrent: blocks are freed in arenas that are current no more, or again.
func TestMakeCurrent(t *testing.T) {
	needRoom(t)
	c := newCore()
	c.Add(0, 0, 3*arenaSize)
	size := arenaSize / 4 &^ (granule - 1)
	var at []uint64
	for round := range 30 {
		for range 3 + round%5 {
			_, off := take(t, c, size, 1)
			at = append(at, off)
			c.check(t)
		}
		for len(at) > round%4 {
			if _, v := c.Free(at[0], size); v > poolimpl.Emptied {
				t.Fatalf("Free: %d", v)
			}
			at = at[1:]
			c.check(t)
		}
	}
}
