package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// take allocates a block that the test is sure to get.
func take(t *testing.T, c *Core) (uint32, uint64) {
	t.Helper()
	slot, off, ok := c.AllocAny(itemBytes, 1)
	if !ok {
		t.Fatal("no block")
	}
	return slot, off
}

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.fast(); ok {
		t.Error("AllocFast without a chunk")
	}
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("Alloc without a chunk")
	}
	if _, v := c.Free(0, itemBytes); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	if _, v := c.FreeRun(c.Gather(0)); v != poolimpl.Foreign {
		t.Errorf("FreeRun = %d", v)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) || !c.Shut(false) {
		t.Errorf("Usage = %+v", u)
	}
}

// TestEachBlockIsHandedOutOnce: each block is handed out Once, at a multiple of the block size.
func TestEachBlockIsHandedOutOnce(t *testing.T) {
	c := newCore()
	const many = 100_000
	c.Add(0, 0, many*blockSize)
	seen := make([]bool, many)
	for range many {
		_, off := take(t, c)
		if seen[off/blockSize] || off%blockSize != 0 {
			t.Fatalf("block at %d", off)
		}
		seen[off/blockSize] = true
	}
	if _, _, ok := c.AllocAny(itemBytes, 1); ok || c.Usage().LargestFree != 0 || c.Used(0) != many*blockSize {
		t.Errorf("full: %v, %+v", ok, c.Usage())
	}
	for _, i := range []uint64{many - 1, 0, 50_000} { // one that is freed is found
		if _, v := c.Free(i*blockSize, itemBytes); v != poolimpl.Freed {
			t.Fatalf("Free = %d", v)
		}
		if _, off := take(t, c); off != i*blockSize {
			t.Errorf("block %d, not %d", off/blockSize, i)
		}
	}
}

func TestNeed(t *testing.T) {
	c := newCore()
	for _, tt := range []struct{ bytes, align, want uint64 }{
		{itemBytes, 1, blockSize},
		{blockSize, blockSize &^ (blockSize - 1), blockSize},
		{blockSize + 1, 1, 0},
		{itemBytes, 2 * (blockSize &^ (blockSize - 1)), 0},
	} {
		if got := c.Need(tt.bytes, tt.align); got != tt.want {
			t.Errorf("Need(%d, %d) = %d, want %d", tt.bytes, tt.align, got, tt.want)
		}
	}
}

// TestSmallChunkServesNothing: a chunk smaller than a block gives nothing, and its addresses are no blocks.
func TestSmallChunkServesNothing(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<20, blockSize-1)
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("a block of no room")
	}
	if _, v := c.Free(1<<20, itemBytes); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	c.Remove(0)
	c.Add(0, 1<<20, blockSize)
	take(t, c)
}

func TestInvalidFreesAreRefused(t *testing.T) {
	c := newCore()
	const base = 1 << 20
	c.Add(0, base, 4*blockSize)
	_, off := take(t, c)
	take(t, c)
	c.Free(base+off, itemBytes)
	for _, tt := range []struct {
		name string
		addr uint64
		want poolimpl.Verdict
	}{
		{"double", base + off, poolimpl.Double},
		{"never handed out", base + 3*blockSize, poolimpl.Double},
		{"below", base - 1, poolimpl.Foreign},
		{"a block below", base - blockSize, poolimpl.Foreign},
		{"behind", base + 4*blockSize, poolimpl.Foreign},
		{"zero", 0, poolimpl.Foreign},
		{"top", ^uint64(0), poolimpl.Foreign},
	} {
		if _, v := c.Free(tt.addr, itemBytes); v != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, v, tt.want)
		}
	}
	for i := uint64(1); i < blockSize; i++ {
		if _, v := c.Free(base+blockSize+i, itemBytes); v != poolimpl.Foreign {
			t.Errorf("%d into a live block: %d", i, v)
		}
	}
	c.check(t)
	if c.Usage().Live != 1 {
		t.Errorf("%d live", c.Usage().Live)
	}
}

// TestManyChunks: full chunks, in more slots than the first flags are made for, are all found and emptied again.
func TestManyChunks(t *testing.T) {
	c := newCore()
	const chunks, each = 200, 9
	for i := range uint32(chunks) {
		c.Add(i, uint64(chunks-i)*each*blockSize, each*blockSize)
		take(t, c)
	}
	for range chunks*each - chunks {
		take(t, c)
	}
	if _, _, ok := c.AllocAny(itemBytes, 1); ok {
		t.Fatal("more blocks than there are")
	}
	for i := range uint64(chunks * each) {
		at := i * 11 % (chunks * each)
		if _, v := c.Free((each+at)*blockSize, itemBytes); v > poolimpl.Emptied {
			t.Fatalf("Free: %d", v)
		}
	}
	c.check(t)
	for i := range uint32(chunks) {
		if !c.Evict(i) {
			t.Fatalf("chunk %d stays", i)
		}
	}
	if u := c.Usage(); feature.Counters && u.Allocs != chunks*each || u.Live != 0 {
		t.Errorf("%+v", u)
	}
}

// TestOverflow: more is counted than a word has room for.
func TestOverflow(t *testing.T) {
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	counted := CountMask/Once - perWord // as if so much had been handed out
	if feature.Counters || feature.Magazine > 0 {
		c.only().Words[0].Store(counted * Once)
	}
	for range 3 * perWord {
		_, off := take(t, c)
		c.Free(off, itemBytes)
		counted++
		if _, run := c.AllocRun(perWord); run.Some != 0 { // what is left may lie in a magazine
			counted += count(run.Some)
			if _, v := c.FreeRun(run); v > poolimpl.Emptied {
				t.Fatalf("FreeRun = %d", v)
			}
		}
	}
	if u := c.Usage(); feature.Counters && u.Allocs != counted || u.Live != 0 {
		t.Errorf("%+v after %d", u, counted)
	}
}

// TestGateAfterFrees: no free that is done leaves the gate shut, also where another one, which is not, has made room in the word before.
func TestGateAfterFrees(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 3*blockSize)
	for range 3 {
		take(t, c)
	}
	ticket, _ := c.Gate.Announce()
	word := &c.only().Words[0]
	word.Store(word.Load() &^ 1) // a free that stops there
	if _, v := c.Free(blockSize, itemBytes); v != poolimpl.Freed {
		t.Fatalf("Free = %d", v)
	}
	if c.Gate.Close(ticket) {
		t.Error("the gate is shut in spite of a free block")
	}
	take(t, c)
	take(t, c)
	if _, _, ok := c.Alloc(itemBytes, 1); ok || !c.Gate.IsClosed() {
		t.Errorf("a block of a full pool: %t; gate shut: %t", ok, c.Gate.IsClosed())
	}
	c.Free(0, itemBytes)
	take(t, c)
}

// TestSeekAmongGrowth: who looked up the flags before other chunks came may find his processor at one of those.
func TestSeekAmongGrowth(t *testing.T) {
	for _, more := range []uint32{2, 200} { // 200 are more than the first flags are for
		c := newCore()
		c.Add(0, 0, blockSize)
		before := c.open.Load()
		for slot := uint32(1); slot <= more; slot++ {
			c.Add(slot, uint64(slot)*blockSize, blockSize)
		}
		for range 1 + more {
			take(t, c)
		}
		h := &c.Processors[0].Hint
		h.point(c.Chunks.At(more), 0)
		c.open.Store(before)
		if c.seek(h, 0) {
			t.Errorf("a block of %d full chunks", 1+more)
		}
	}
}

// TestTooLargeChunkIsRefused: a chunk of more blocks than can be numbered is refused.
func TestTooLargeChunkIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a chunk with too many blocks was accepted")
		}
	}()
	c := newCore()
	c.Add(0, 0, (MaxBlocks+1)*blockSize)
}

func TestNoGarbage(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<20, 64*blockSize)
	if n := testing.AllocsPerRun(100, func() {
		_, off := take(t, c)
		c.Free(1<<20+off, itemBytes)
	}); n != 0 {
		t.Errorf("%v allocations a pair", n)
	}
}

// TestFullIsCountedOnce: while no block is free, Usage looks at no word again. After a free, and in another table, it does.
func TestFullIsCountedOnce(t *testing.T) {
	c := newCore()
	if !c.countsStay() {
		t.Skip("counts change in a full pool")
	}
	const many = 1000
	c.Add(0, 0, many*blockSize)
	for range many {
		take(t, c)
	}
	if _, _, ok := c.AllocAny(itemBytes, 1); ok {
		t.Fatal("a block of a full core")
	}
	full := c.Usage()
	if full.Live != many || full.LargestFree != 0 {
		t.Fatalf("%+v", full)
	}
	word := &c.only().Words[3]
	before := word.Swap(0)
	if u := c.Usage(); u != full {
		t.Errorf("%+v, want %+v", u, full)
	}
	word.Store(before)
	if _, v := c.Free(0, itemBytes); v > poolimpl.Emptied {
		t.Fatal(v)
	}
	if u := c.Usage(); u.Live != many-1 || u.LargestFree != itemBytes {
		t.Errorf("%+v after a free", u)
	}
	take(t, c)
	c.AllocAny(itemBytes, 1)
	if u := c.Usage(); u.Live != many || feature.Counters && u.Allocs != many+1 {
		t.Errorf("%+v when full again", u)
	}
	if !c.Shut(true) {
		t.Fatal("Shut")
	}
	if u := c.Usage(); u.Live != many || feature.Counters && u.Allocs != many+1 {
		t.Errorf("%+v after Shut", u)
	}
}
