package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// maxBlocks is the largest number of blocks that a chunk may have.
const maxBlocks = uint64(pending)

// many is a large number of blocks.
const many = uint64(1 << 16)

// take allocates a block that the test is sure to get.
func take(t *testing.T, c *Core) (uint32, uint64) {
	slot, off, ok := c.Alloc(c.params.ItemBytes, 1)
	if !ok {
		t.Helper() // here, as it takes more time than the rest
		t.Fatal("no block")
	}
	return slot, off
}

// TestZeroValue: pools ask a core for blocks before its parameters are set.
func TestZeroValue(t *testing.T) { checkEmpty(t, new(Core)) }

// checkEmpty checks that a core without chunks does nothing.
func checkEmpty(t *testing.T, c *Core) {
	t.Helper()
	if _, _, ok := c.AllocFast(); ok {
		t.Error("AllocFast without a chunk")
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("Alloc without a chunk")
	}
	if c.Refill(1) || c.Flush() {
		t.Error("blocks without a chunk")
	}
	for _, addr := range []uint64{0, 1, 1 << 20, ^uint64(0)} {
		if c.FreeFast(addr) {
			t.Errorf("FreeFast(%#x)", addr)
		}
		if _, v := c.Free(addr, 1); v != poolimpl.Foreign {
			t.Errorf("Free(%#x) = %d", addr, v)
		}
		if v := c.Lookup(addr, 1); v != poolimpl.Foreign {
			t.Errorf("Lookup(%#x) = %d", addr, v)
		}
		if v := c.Defer(addr, 1); v != poolimpl.Foreign {
			t.Errorf("Defer(%#x) = %d", addr, v)
		}
	}
	if _, v := c.FreeLast(1 << 32); v != poolimpl.Foreign {
		t.Errorf("FreeLast = %d", v)
	}
	if _, off, ok := first(c); ok {
		t.Errorf("block %d at hand", off)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
	c.check(t, 0)
}

// first takes a block off the list at hand, the way a batch does.
func first(c *Core) (slot uint32, off uint64, ok bool) {
	slot, list := c.freeList()
	off, ok = list.pop()
	c.TookFrom(list.head, 0)
	return slot, off, ok
}

// TestClose: a core that was closed, in whatever state, has no blocks, and keeps its parameters.
func TestClose(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		for frees := range 4 {
			c := newCore(p)
			chunks := uint32(1)
			if p.several() {
				chunks = 3
			}
			const blocks = 300
			base := func(slot uint32) uint64 { return 1<<20*p.BlockSize + uint64(slot)*blocks*p.BlockSize }
			if p.Ranged {
				c.Range(9, base(0), blocks*p.BlockSize, make([]uint32, 2*blocks))
			}
			for slot := range chunks {
				c.Add(slot, base(slot), blocks*p.BlockSize)
			}
			var live []uint64
			for range chunks * blocks {
				slot, off := take(t, c)
				live = append(live, base(slot)+off)
			}
			if p.Streams {
				c.Defer(live[9], p.ItemBytes)
			}
			for _, addr := range live[:frees] {
				c.free(addr, p.ItemBytes)
			}
			c.Close()
			checkEmpty(t, c)
			c.Add(0, base(0), blocks*p.BlockSize)
			if _, off := take(t, c); off != 0 {
				t.Errorf("first block at %d", off)
			}
			c.check(t, 0)
		}
	})
}

// TestBlocksAreAligned: every block starts at a multiple of the block size.
func TestBlocksAreAligned(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<30, 9*p.BlockSize)
		for i := range uint64(9) {
			if _, off := take(t, c); off != i*p.BlockSize {
				t.Errorf("block %d at %d", i, off)
			}
		}
	})
}

func TestFullChunkServesNothing(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 0, many*p.BlockSize)
		for range many {
			take(t, c)
		}
		if _, _, ok := c.Alloc(p.ItemBytes, 1); ok || c.Usage().LargestFree != 0 || c.Used(0) != many*p.BlockSize {
			t.Errorf("full: %v, %+v", ok, c.Usage())
		}
	})
}

func TestFreedBlocksCanBeHadAgain(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<40, many*p.BlockSize)
		for range 2 {
			for range many {
				take(t, c)
			}
			for i := range many {
				if _, v := c.Free(1<<40+i*p.BlockSize, p.ItemBytes); v > poolimpl.Emptied {
					t.Fatalf("Free of block %d: %d", i, v)
				}
			}
			if c.Used(0) != 0 || c.Usage().LargestFree != p.ItemBytes {
				t.Fatalf("after freeing all: %+v", c.Usage())
			}
		}
	})
}

func TestRemovedChunkServesNothing(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 0, 16*p.BlockSize)
		if p.several() {
			c.Add(1, 32*p.BlockSize, 16*p.BlockSize)
			c.Remove(1)
		}
		for range 16 {
			take(t, c)
		}
		if _, _, ok := c.Alloc(p.ItemBytes, 1); ok {
			t.Error("a block of the removed chunk")
		}
	})
}

func TestNeed(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		for _, tt := range []struct{ bytes, align, want uint64 }{
			{p.ItemBytes, 1, p.BlockSize},
			{p.BlockSize, p.BlockSize &^ (p.BlockSize - 1), p.BlockSize},
			{p.BlockSize + 1, 1, 0},
			{p.ItemBytes, 2 * (p.BlockSize &^ (p.BlockSize - 1)), 0},
		} {
			if got := c.Need(tt.bytes, tt.align); got != tt.want {
				t.Errorf("Need(%d, %d) = %d, want %d", tt.bytes, tt.align, got, tt.want)
			}
		}
	})
}

// TestSmallChunkServesNothing: a chunk smaller than a block gives nothing, and its addresses are no blocks.
func TestSmallChunkServesNothing(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<20, p.BlockSize-1)
		if _, _, ok := c.Alloc(p.ItemBytes, 1); ok {
			t.Error("a block of no room")
		}
		if _, v := c.Free(1<<20, p.ItemBytes); v != poolimpl.Foreign {
			t.Errorf("Free = %d", v)
		}
		c.Remove(0)
		c.Add(0, 1<<20, p.BlockSize)
		take(t, c)
	})
}

func TestInvalidFreesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		const base = 1 << 20
		c.Add(0, base, 4*p.BlockSize)
		_, off := take(t, c)
		take(t, c)
		c.Free(base+off, p.ItemBytes)
		for _, tt := range []struct {
			name string
			addr uint64
			want poolimpl.Verdict
		}{
			{"double", base + off, poolimpl.Double},
			{"never handed out", base + 3*p.BlockSize, poolimpl.Double},
			{"below", base - 1, poolimpl.Foreign},
			{"a block below", base - p.BlockSize, poolimpl.Foreign},
			{"behind", base + 4*p.BlockSize, poolimpl.Foreign},
			{"zero", 0, poolimpl.Foreign},
			{"top", ^uint64(0), poolimpl.Foreign},
		} {
			if _, v := c.Free(tt.addr, p.ItemBytes); v != tt.want {
				t.Errorf("%s: %d, want %d", tt.name, v, tt.want)
			}
		}
		for i := uint64(1); i < p.BlockSize; i++ {
			if _, v := c.Free(base+p.BlockSize+i, p.ItemBytes); v != poolimpl.Foreign {
				t.Errorf("%d into a live block: %d", i, v)
			}
		}
		c.check(t, 0)
		if c.Usage().Live != 1 {
			t.Errorf("%d live", c.Usage().Live)
		}
	})
}

// TestHuge: a chunk of the greatest number of blocks costs no more than the blocks used.
func TestHuge(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<62, maxBlocks*p.BlockSize)
		for range 10 {
			take(t, c)
		}
		if n := uint64(cap(c.Near)); n > 64 {
			t.Errorf("%d entries for 10 blocks", n)
		}
		if _, v := c.Free(1<<62+3*p.BlockSize, p.ItemBytes); v != poolimpl.Freed {
			t.Errorf("Free = %d", v)
		}
		if _, v := c.Free(1<<62+(maxBlocks-1)*p.BlockSize, p.ItemBytes); v != poolimpl.Double {
			t.Errorf("Free of a fresh block = %d", v)
		}
		defer func() {
			if recover() == nil {
				t.Error("a chunk with too many blocks was accepted")
			}
		}()
		c.Remove(0)
		c.Add(0, 0, (maxBlocks+1)*p.BlockSize)
	})
}

// TestNextChunk: chunks are used one after the other, and freed blocks of any are found again.
func TestNextChunk(t *testing.T) {
	where(t, Params.several, func(t *testing.T, p Params) {
		c := newCore(p)
		const chunks, blocks = 70, 9
		for i := range uint32(chunks) {
			c.Add(i, uint64(chunks-i)*blocks*p.BlockSize, blocks*p.BlockSize)
		}
		for round := range uint64(3) {
			for range chunks * blocks {
				take(t, c)
			}
			if _, _, ok := c.Alloc(p.ItemBytes, 1); ok {
				t.Fatal("more blocks than there are")
			}
			for i := range uint64(chunks * blocks) {
				at := (i*11 + round) % (chunks * blocks)
				if _, v := c.Free((blocks+at)*p.BlockSize, p.ItemBytes); v > poolimpl.Emptied {
					t.Fatalf("Free: %d", v)
				}
			}
		}
	})
}

// FreeFast goes on after a free of a block of the current chunk without it, as that of a block that is sampled; after one of another chunk it is not tried for a while.
func TestFreeFastGoesOn(t *testing.T) {
	where(t, Params.several, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<30, 4*p.BlockSize)
		c.Add(1, 1<<31, 4*p.BlockSize)
		var at [8]uint64
		for i := range at {
			slot, off := take(t, c)
			at[i] = uint64(1)<<(30+slot) + off
		}
		free := func(i int) {
			if _, v := c.Free(at[i], p.ItemBytes); v != poolimpl.Freed {
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
	})
}

func TestNoGarbage(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<20, 64*p.BlockSize)
		if n := testing.AllocsPerRun(100, func() {
			_, off := take(t, c)
			c.Free(1<<20+off, p.ItemBytes)
		}); n != 0 {
			t.Errorf("%v allocations a pair", n)
		}
	})
}

// TestManyChunks: blocks of hundreds of chunks are freed in any order, and found again.
func TestManyChunks(t *testing.T) {
	where(t, Params.several, func(t *testing.T, p Params) {
		const chunks, blocks = 300, 3
		c := newCore(p)
		var live []uint64
		base := func(slot uint32) uint64 { return uint64(slot+1) * 4 * blocks * p.BlockSize }
		for slot := range uint32(chunks) {
			c.Add(slot, base(slot), blocks*p.BlockSize)
		}
		fill := func() {
			for len(live) < chunks*blocks {
				slot, off := take(t, c)
				live = append(live, base(slot)+off)
			}
		}
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 10, 500, chunks * blocks} {
			fill()
			r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
			for _, addr := range live[:n] {
				if _, v := c.free(addr, p.ItemBytes); v > poolimpl.Emptied {
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
	})
}
