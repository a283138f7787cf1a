package strict

import (
	rt "runtime"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// newOwning returns a core with a chunk at base, in whose words processors may have owners.
func newOwning(t *testing.T, base, blocks uint64) *Core {
	t.Helper()
	if !poolimpl.Pins {
		t.Skip("goroutines cannot be kept on a processor here")
	}
	c := new(Core)
	c.Set(&Params{BlockSize: 64, ItemBytes: 64, PerWord: 32, Counters: true, Owns: true})
	c.Add(0, base, blocks*64)
	if c.endTurn(); !c.IsOwning() {
		t.Fatal("the turn did not end")
	}
	return c
}

// owners returns how many processors own a word.
func (c *Core) owners() (n int) {
	for i := range c.Processors {
		if c.Processors[i].Own.Load() != nil {
			n++
		}
	}
	return n
}

// TestOwnersGoAway: blocks in words of processors that are gone are found before an allocation fails.
func TestOwnersGoAway(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(4))
	const blocks = 32 * 64
	c := newOwning(t, 1<<20, blocks)
	n := 0
	for range 1000 { // until two processors own words, however the system spreads goroutines
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 100 {
					_, off, ok := c.Alloc(64, 1)
					if !ok {
						t.Error("no block")
						return
					}
					if _, v := c.Free(1<<20+off, 64); v != poolimpl.Freed {
						t.Errorf("Free = %d", v)
					}
				}
			})
		}
		if all.Wait(); c.owners() > n {
			n = c.owners()
		}
		if n > 1 {
			break
		}
		if !c.IsOwning() {
			c.endTurn()
		}
	}
	if n < 2 {
		t.Fatal("goroutines of four processors have one owner at most")
	}
	rt.GOMAXPROCS(1)
	for i := range blocks {
		if _, _, ok := c.Alloc(64, 1); !ok {
			t.Fatalf("%d blocks of %d", i, blocks)
		}
	}
	if _, _, ok := c.Alloc(64, 1); ok || c.owners() > 0 {
		t.Errorf("one block more: %t, %d owners", ok, c.owners())
	}
	c.check(t)
}

// TestPatience: recalls that follow soon make the next turn with owners come later, up to a limit.
func TestPatience(t *testing.T) {
	c := newOwning(t, 1<<20, 320)
	last := c.patience.Load()
	for i := range maxTwice + 2 {
		c.recalled()
		now := c.patience.Load()
		if want := min(2*last, patience<<maxTwice); now != want {
			t.Fatalf("recall %d: a patience of %d, want %d", i, now, want)
		}
		last = now
		c.endTurn()
	}
	c.began = c.began.Add(-2 * soon)
	if c.recalled(); c.patience.Load() != patience {
		t.Errorf("after a long turn: a patience of %d, want %d", c.patience.Load(), patience)
	}
}

// TestWrongFreeKeepsOwners: a free that is refused takes no word from its owner.
func TestWrongFreeKeepsOwners(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1)) // processor 0 may own a word
	c := newOwning(t, 1<<20, 320)
	slot, off, _ := c.Alloc(64, 1)
	addr := 1<<20 + off
	for _, wrong := range []uint64{addr + 64, addr + 1, 1<<20 - 64, 1 << 30} {
		if _, v := c.Free(wrong, 64); v != poolimpl.Double && v != poolimpl.Foreign {
			t.Errorf("Free(%#x) = %d", wrong, v)
		}
	}
	if c.owners() != 1 || !c.IsOwning() {
		t.Errorf("%d owners, chunk %d", c.owners(), slot)
	}
}

// TestFlaggedRowHasNoOwner: whoever frees in a row that is flagged as full is about to clear the flag. Until then, no word of the row is claimed.
func TestFlaggedRowHasNoOwner(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1)) // processor 0 may own a word
	c := newOwning(t, 1<<20, 320)
	ch := c.only()
	ch.Full.Set(0)
	if r := c.take(ch, 0, 1); r.Some != 0 {
		t.Error("a word of a flagged row is claimed")
	}
	ch.Full.Clear(0)
	if r := c.take(ch, 0, 1); r.Some == 0 || c.owners() != 1 {
		t.Errorf("%d owners once the flag is clear", c.owners())
	}
}
