package ring

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// take returns a block that the test is sure to get.
func take(t *testing.T, c *Core, bytes, align uint64) (slot uint32, off uint64) {
	t.Helper()
	slot, off, ok := c.Alloc(bytes, align)
	if !ok {
		t.Fatalf("no room for %d bytes", bytes)
	}
	return slot, off
}

// needRoom skips a test that puts several blocks in an arena, where the parameters leave no room for them.
func needRoom(t testing.TB) {
	t.Helper()
	if arenaSize < 32*granule {
		t.Skip("arenas are too small")
	}
}

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("Alloc without a chunk")
	}
	if _, v := c.Free(0, 1); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	c.Reset()
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
}

// TestEachChunkServesAnArena: three ranges apart, each as good as the other.
func TestEachChunkServesAnArena(t *testing.T) {
	c := newCore()
	for i := range uint32(3) {
		c.Add(i, uint64(i)*2*arenaSize, arenaSize)
	}
	for range 3 {
		take(t, c, c.Need(arenaSize&^(granule-1), granule), granule)
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("more than three arenas")
	}
}

// TestSpaceComesBackInAnyOrder: blocks of many arenas, aligned; freed in any order, all the space is there again.
func TestSpaceComesBackInAnyOrder(t *testing.T) {
	c := newCore()
	needRoom(t)
	const n = 9
	align := 2 * granule
	size := arenaSize / n &^ (align - 1)
	c.Add(0, 0, arenaSize)
	c.Add(1, 2*arenaSize, arenaSize)
	var at []uint64
	for range 2 * (n - 1) {
		slot, off := take(t, c, size-1, align)
		at = append(at, uint64(slot)*2*arenaSize+off)
		if a := at[len(at)-1]; a%align != 0 {
			t.Errorf("block at %d", a)
		}
	}
	for i := range at {
		if _, v := c.Free(at[(i*7+3)%len(at)], size-1); v > poolimpl.Emptied {
			t.Errorf("Free: %d", v)
		}
	}
	if c.Used(0)+c.Used(1) != 0 || c.Usage().LargestFree < arenaSize-granule {
		t.Errorf("%+v", c.Usage())
	}
}

// TestFilledAgainAndAgain: a hundred ranges are filled, freed and filled again.
func TestFilledAgainAndAgain(t *testing.T) {
	c := newCore()
	size := max(arenaSize/1000, 1)
	for i := range uint32(100) {
		c.Add(i, uint64(i)*arenaSize, arenaSize)
	}
	for range 3 {
		var at []uint64
		for {
			slot, off, ok := c.Alloc(size, 1)
			if !ok {
				break
			}
			at = append(at, uint64(slot)*arenaSize+off)
		}
		if rounded := (size + granule - 1) &^ (granule - 1); uint64(len(at)) != 100*(arenaSize/rounded) {
			t.Fatalf("%d blocks of %d", len(at), size)
		}
		for _, a := range at {
			c.Free(a, size)
		}
		if c.Usage().Occupied != 0 {
			t.Fatalf("%+v", c.Usage())
		}
	}
	c.check(t)
}

func TestRemovedChunkServesNothing(t *testing.T) {
	c := newCore()
	for i := range uint32(3) {
		c.Add(i, uint64(i)*arenaSize, arenaSize)
	}
	for _, slot := range []uint32{1, 0, 2} {
		s, off := take(t, c, 1, 1)
		c.Free(uint64(s)*arenaSize+off, 1)
		c.Remove(slot)
		if _, v := c.Free(uint64(slot)*arenaSize, 1); v != poolimpl.Foreign {
			t.Errorf("Free in chunk %d: %d", slot, v)
		}
		c.check(t)
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("room in no chunk")
	}
	c.Add(1, 1<<40, arenaSize)
	if slot, _ := take(t, c, 1, 1); slot != 1 {
		t.Errorf("slot %d", slot)
	}
}

func TestInvalidFreesAreRefused(t *testing.T) {
	needRoom(t)
	c := newCore()
	const base = 1 << 40
	c.Add(0, base, arenaSize)
	size := min(2*granule, arenaSize/4)
	first, _ := take(t, c, size, 1)
	_, second := take(t, c, size, 1)
	take(t, c, size, 1)
	for _, tt := range []struct {
		name      string
		at, bytes uint64
		want      poolimpl.Verdict
	}{
		{"longer", base, size + 1, poolimpl.Foreign},
		{"shorter", base, size - 1, poolimpl.Foreign},
		{"no length", base + second, 0, poolimpl.Foreign},
		{"inside", base + 1, size, poolimpl.Foreign},
		{"below", base - 1, size, poolimpl.Foreign},
		{"free space", base + 8*size, size, poolimpl.Foreign},
		{"behind", base + arenaSize, size, poolimpl.Foreign},
		{"out of order", base + second, size, poolimpl.Freed},
		{"again", base + second, size, poolimpl.Double},
		{"again, other length", base + second, size + 1, poolimpl.Double},
	} {
		if _, v := c.Free(tt.at, tt.bytes); v != tt.want {
			t.Errorf("%s: %d, want %d (chunk %d)", tt.name, v, tt.want, first)
		}
		c.check(t)
	}
	if _, v := c.Free(base, size); v != poolimpl.Freed {
		t.Errorf("the oldest: %d", v)
	}
	if _, v := c.Free(base, size); v != poolimpl.Foreign {
		t.Errorf("the oldest again, which is forgotten: %d", v)
	}
}

// TestFailedLargeRequestSpoilsNothing: a large request that fails leaves room for small ones.
func TestFailedLargeRequestSpoilsNothing(t *testing.T) {
	needRoom(t)
	c := newCore()
	c.Add(0, 0, 8*arenaSize)
	for range 8 {
		take(t, c, arenaSize*6/10, 1)
	}
	for range 10 {
		if _, _, ok := c.Alloc(arenaSize*9/10, 1); ok {
			t.Fatal("no arena has room")
		}
	}
	if _, _, ok := c.Alloc(2*arenaSize, 1); ok || c.Need(2*arenaSize, 1) != 0 {
		t.Fatal("larger than an arena")
	}
	for range 8 {
		take(t, c, arenaSize*3/10, 1)
	}
	c.check(t)
}

// TestManyArenas: more arenas than 16 bits can number.
func TestManyArenas(t *testing.T) {
	c := newCore()
	const arenas = 70000
	size := arenaSize&^(granule-1)/2 + 1
	c.Add(0, 0, arenas*arenaSize)
	at := make([]uint64, arenas)
	for i := range at {
		_, at[i] = take(t, c, size, 1)
	}
	if _, _, ok := c.Alloc(size, 1); ok {
		t.Fatal("more arenas than there are")
	}
	if _, v := c.Free(at[arenas-1], size); v != poolimpl.Freed {
		t.Fatalf("Free: %d", v)
	}
	if _, off := take(t, c, size, 1); off != at[arenas-1] {
		t.Errorf("block at %#x, want %#x", off, at[arenas-1])
	}
	if _, v := c.Free(at[4463], size); v != poolimpl.Freed {
		t.Errorf("Free: %d", v)
	}
}

// TestRound: an arena is used round and round, over its end, while it is never empty.
func TestRound(t *testing.T) {
	c := newCore()
	needRoom(t)
	size := arenaSize / 5
	c.Add(0, 0, arenaSize)
	_, old := take(t, c, size, 1)
	for range 100 {
		_, off := take(t, c, size, 1)
		if _, v := c.Free(old, size); v != poolimpl.Freed {
			t.Fatalf("Free: %d", v)
		}
		old = off
		c.check(t)
	}
}

// TestHuge: a huge chunk costs nothing, and a block may be as large as an arena.
func TestHuge(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<63, 1<<63)
	take(t, c, arenaSize&^(granule-1), 1)
	take(t, c, 1, granule)
	if _, _, ok := c.Alloc(^uint64(0), 1); ok {
		t.Error("2^64-1 bytes")
	}
	if _, _, ok := c.Alloc(0, 1); ok {
		t.Error("no bytes")
	}
	if n := len(c.chunks[0].arenas); n > 2 {
		t.Errorf("%d arenas", n)
	}
}

// TestReset: the queues go, the arenas stay.
func TestReset(t *testing.T) {
	c := newCore()
	c.Add(0, 0, arenaSize)
	for range 3 {
		_, off := take(t, c, 1, 1)
		c.Free(off, 1)
		c.Reset()
		for _, a := range c.chunks[0].arenas {
			if a.queue != nil {
				t.Error("a queue is kept")
			}
		}
	}
	c.check(t)
}

func TestNoGarbage(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<40, 2*arenaSize)
	if n := testing.AllocsPerRun(100, func() {
		_, off := take(t, c, 1, 1)
		c.Free(1<<40+off, 1)
	}); n != 0 {
		t.Errorf("%v allocations a pair", n)
	}
}
