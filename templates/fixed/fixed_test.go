package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// many is a large number of blocks that fits one chunk at any width of the index.
// maxBlocks is the largest number of blocks that a chunk may have.
const maxBlocks = uint64(pending)

const many = min(1<<20, maxBlocks)

// take allocates a block that the test is sure to get.
func take(t *testing.T, c *Core) (uint32, uint64) {
	slot, off, ok := c.Alloc(itemBytes, 1)
	if !ok {
		t.Helper() // here, as it takes more time than the rest
		t.Fatal("no block")
	}
	return slot, off
}

func TestZeroValue(t *testing.T) {
	var c Core
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("Alloc without a chunk")
	}
	if _, v := c.Free(0, itemBytes); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
}

// TestBlocksAreAligned: every block starts at a multiple of the block size.
func TestBlocksAreAligned(t *testing.T) {
	var c Core
	c.Add(0, 1<<30, 9*blockSize)
	for i := range uint64(9) {
		if _, off := take(t, &c); off != i*blockSize {
			t.Errorf("block %d at %d", i, off)
		}
	}
}

func TestFullChunkServesNothing(t *testing.T) {
	var c Core
	c.Add(0, 0, many*blockSize)
	for range many {
		take(t, &c)
	}
	if _, _, ok := c.Alloc(itemBytes, 1); ok || c.Usage().LargestFree != 0 || c.Used(0) != many*blockSize {
		t.Errorf("full: %v, %+v", ok, c.Usage())
	}
}

func TestFreedBlocksCanBeHadAgain(t *testing.T) {
	var c Core
	c.Add(0, 1<<40, many*blockSize)
	for range 2 {
		for range many {
			take(t, &c)
		}
		for i := range many {
			if _, v := c.Free(1<<40+i*blockSize, itemBytes); v > poolimpl.Emptied {
				t.Fatalf("Free of block %d: %d", i, v)
			}
		}
		if c.Used(0) != 0 || c.Usage().LargestFree != itemBytes {
			t.Fatalf("after freeing all: %+v", c.Usage())
		}
	}
}

func TestRemovedChunkServesNothing(t *testing.T) {
	var c Core
	c.Add(0, 0, 16*blockSize)
	if !single {
		c.Add(1, 32*blockSize, 16*blockSize)
		c.Remove(1)
	}
	for range 16 {
		take(t, &c)
	}
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("a block of the removed chunk")
	}
}

func TestNeed(t *testing.T) {
	var c Core
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
	var c Core
	c.Add(0, 1<<20, blockSize-1)
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("a block of no room")
	}
	if _, v := c.Free(1<<20, itemBytes); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	c.Remove(0)
	c.Add(0, 1<<20, blockSize)
	take(t, &c)
}

func TestInvalidFreesAreRefused(t *testing.T) {
	var c Core
	const base = 1 << 20
	c.Add(0, base, 4*blockSize)
	_, off := take(t, &c)
	take(t, &c)
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
	c.check(t, 0)
	if c.Usage().Live != 1 {
		t.Errorf("%d live", c.Usage().Live)
	}
}

// TestHuge: a chunk of the greatest number of blocks costs no more than the blocks used.
func TestHuge(t *testing.T) {
	var c Core
	c.Add(0, 1<<62, maxBlocks*blockSize)
	for range 10 {
		take(t, &c)
	}
	if n := uint64(cap(c.near)); n > 64 {
		t.Errorf("%d entries for 10 blocks", n)
	}
	if _, v := c.Free(1<<62+3*blockSize, itemBytes); v != poolimpl.Freed {
		t.Errorf("Free = %d", v)
	}
	if _, v := c.Free(1<<62+(maxBlocks-1)*blockSize, itemBytes); v != poolimpl.Double {
		t.Errorf("Free of a fresh block = %d", v)
	}
	defer func() {
		if recover() == nil {
			t.Error("a chunk with too many blocks was accepted")
		}
	}()
	c.Remove(0)
	c.Add(0, 0, (maxBlocks+1)*blockSize)
}

// TestNextChunk: chunks are used one after the other, and freed blocks of any are found again.
func TestNextChunk(t *testing.T) {
	if single {
		t.Skip("one chunk")
	}
	var c Core
	const chunks, blocks = 70, 9
	for i := range uint32(chunks) {
		c.Add(i, uint64(chunks-i)*blocks*blockSize, blocks*blockSize)
	}
	for round := range uint64(3) {
		for range chunks * blocks {
			take(t, &c)
		}
		if _, _, ok := c.Alloc(itemBytes, 1); ok {
			t.Fatal("more blocks than there are")
		}
		for i := range uint64(chunks * blocks) {
			at := (i*11 + round) % (chunks * blocks)
			if _, v := c.Free((blocks+at)*blockSize, itemBytes); v > poolimpl.Emptied {
				t.Fatalf("Free: %d", v)
			}
		}
	}
}

// FreeFast goes on after a free of a block of the current chunk without it, as that of a block that is sampled; after one of another chunk it is not tried for a while.
func TestFreeFastGoesOn(t *testing.T) {
	if single {
		t.Skip("one chunk")
	}
	var c Core
	c.Add(0, 1<<30, 4*blockSize)
	c.Add(1, 1<<31, 4*blockSize)
	var at [8]uint64
	for i := range at {
		slot, off := take(t, &c)
		at[i] = uint64(1)<<(30+slot) + off
	}
	free := func(i int) {
		if _, v := c.Free(at[i], itemBytes); v != poolimpl.Freed {
			t.Fatalf("Free of block %d: %d", i, v)
		}
	}
	free(7)
	if !c.FreeFast(at[6]) {
		t.Error("not after a free of the current chunk")
	}
	free(0)
	if c.FreeFast(at[5]) {
		t.Error("after a free of another chunk")
	}
}

func TestNoGarbage(t *testing.T) {
	var c Core
	c.Add(0, 1<<20, 64*blockSize)
	if n := testing.AllocsPerRun(100, func() {
		_, off := take(t, &c)
		c.Free(1<<20+off, itemBytes)
	}); n != 0 {
		t.Errorf("%v allocations a pair", n)
	}
}

// TestManyChunks: blocks of hundreds of chunks are freed in any order, and found again.
func TestManyChunks(t *testing.T) {
	if single {
		t.Skip("there is one chunk")
	}
	const chunks, blocks = 300, 3
	var c Core
	var live []uint64
	base := func(slot uint32) uint64 { return uint64(slot+1) * 4 * blocks * blockSize }
	for slot := range uint32(chunks) {
		c.Add(slot, base(slot), blocks*blockSize)
	}
	fill := func() {
		for len(live) < chunks*blocks {
			slot, off := take(t, &c)
			live = append(live, base(slot)+off)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 10, 500, chunks * blocks} {
		fill()
		r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		for _, addr := range live[:n] {
			if _, v := c.free(addr, itemBytes); v > poolimpl.Emptied {
				t.Fatalf("Free(%#x) = %d", addr, v)
			}
			c.check(t, 0)
		}
		live = live[n:]
	}
	for slot := range uint32(chunks) {
		c.Remove(slot)
		c.check(t, 0)
	}
	if u := c.Usage(); u.Live != 0 || u.LargestFree != 0 {
		t.Errorf("after all chunks were removed: %+v", u)
	}
}
