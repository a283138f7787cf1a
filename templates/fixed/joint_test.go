package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = joins && feature.Trims // the conditions of the declarations below

//poolgen:if joins
var _ poolimpl.PlacedCore = (*Core)(nil)

// filled returns a core whose chunks of so many blocks are full, with the addresses of all blocks. Chunks lie apart by a distance.
//
//poolgen:if joins
func filled(t *testing.T, chunks, blocks, distance uint64) (c *Core, live []uint64) {
	t.Helper()
	c = new(Core)
	base := func(slot uint32) uint64 { return 1<<40 + uint64(slot)*distance }
	for slot := range uint32(chunks) {
		c.Add(slot, base(slot), blocks*blockSize)
	}
	for range chunks * blocks {
		slot, off := take(t, c)
		live = append(live, base(slot)+off)
	}
	return c, live
}

// replace replaces random blocks, one by one. AllocFast has to hand out each block that was freed just before.
//
//poolgen:if joins
func replace(t *testing.T, c *Core, live []uint64, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		addr := live[r.IntN(len(live))]
		if _, v := c.free(addr, itemBytes); v != poolimpl.Freed {
			t.Fatalf("Free(%#x) = %d", addr, v)
		}
		if slot, off, ok := c.AllocFast(); !ok || c.chunks[slot].base+off != addr {
			t.Fatalf("AllocFast = %d in chunk %d, %v, want %#x", off, slot, ok, addr)
		}
	}
}

// TestJoin: entries are joined once blocks have been replaced for some time, and parted by whatever is not a replacement.
//
//poolgen:if joins
func TestJoin(t *testing.T) {
	const chunks, blocks = 5, 300
	for _, tt := range []struct {
		name string
		part func(c *Core, live []uint64)
	}{
		{"two frees", func(c *Core, live []uint64) {
			for _, addr := range live[:2] {
				c.free(addr, itemBytes)
			}
		}},
		{"a free and a double free", func(c *Core, live []uint64) {
			c.free(live[0], itemBytes)
			if _, v := c.free(live[0], itemBytes); v != poolimpl.Double {
				t.Errorf("second free: %d", v)
			}
		}},
		{"Alloc", func(c *Core, live []uint64) { c.Alloc(itemBytes, 1) }},
		{"Used", func(c *Core, live []uint64) {
			c.free(live[0], itemBytes)
			if n := c.Used(c.chunkOf(live[0]).slot); n != (blocks-1)*blockSize {
				t.Errorf("Used = %d", n)
			}
		}},
		{"FreeList", func(c *Core, live []uint64) { c.FreeList() }},
		{"nothing between blocks", func(c *Core, live []uint64) {
			if _, v := c.free(live[0]+blocks*blockSize, itemBytes); v != poolimpl.Foreign {
				t.Errorf("free between chunks: %d", v)
			}
		}},
	} {
		c, live := filled(t, chunks, blocks, (blocks+1)*blockSize)
		replace(t, c, live, chunks*blocks)
		if c.accepts != lone {
			t.Fatalf("%s: entries are not joined", tt.name)
		}
		c.check(t, 0)
		before := c.Usage()
		if tt.part(c, live); c.accepts == lone {
			t.Errorf("%s: entries are still joined", tt.name)
		}
		c.check(t, 0)
		if n := before.Live - c.Usage().Live; n > 2 {
			t.Errorf("%s: %d blocks less", tt.name, n)
		}
		live = live[2:]
		for _, addr := range live {
			if _, v := c.free(addr, itemBytes); v > poolimpl.Emptied {
				t.Fatalf("%s: Free(%#x) = %d", tt.name, addr, v)
			}
		}
	}
}

// TestUnfitForJoining: chunks far apart, and at distances that are no multiples of a block, keep arrays of their own.
//
//poolgen:if joins
func TestUnfitForJoining(t *testing.T) {
	const blocks = 300
	for _, distance := range []uint64{4 * blocks * blockSize, blocks*blockSize + 1, 1 << 40} {
		if distance%blockSize == 0 && distance < 2*blocks*blockSize {
			continue // blocks of one byte
		}
		c, live := filled(t, 3, blocks, distance)
		replaceSlow(t, c, live, 9*blocks)
		if c.accepts == lone || c.joint.next != nil {
			t.Errorf("distance %d: entries are joined", distance)
		}
		c.check(t, 0)
	}
}

// replaceSlow is replace, whatever the core does.
//
//poolgen:if joins
func replaceSlow(t *testing.T, c *Core, live []uint64, n int) {
	t.Helper()
	for i := range n {
		if _, v := c.free(live[i*7%len(live)], itemBytes); v > poolimpl.Emptied {
			t.Fatalf("Free = %d", v)
		}
		take(t, c)
	}
}

// TestChunksCome: chunks that are added while entries are joined serve blocks, and their entries join the others.
//
//poolgen:if joins
func TestChunksCome(t *testing.T) {
	const blocks = 300
	c, live := filled(t, 3, blocks, blocks*blockSize)
	replace(t, c, live, 9*blocks)
	for slot := uint32(3); slot < 6; slot++ {
		base := 1<<40 + uint64(slot)*blocks*blockSize
		c.Add(slot, base, blocks*blockSize)
		for range blocks {
			_, off := take(t, c)
			live = append(live, base+off)
		}
		c.check(t, 0)
	}
	replace(t, c, live, 18*blocks)
	if c.accepts != lone || len(c.joint.next) != 6*blocks {
		t.Errorf("%d entries are joined, of %d", len(c.joint.next), 6*blocks)
	}
	c.check(t, 0)
}

// TestJointArrayGoes: the array that all chunks share does not outlive them in the one that stays.
//
//poolgen:if joins
func TestJointArrayGoes(t *testing.T) {
	const blocks = 300
	c, live := filled(t, 3, blocks, blocks*blockSize)
	replace(t, c, live, 9*blocks)
	for _, addr := range live[:blocks] {
		c.free(addr, itemBytes)
	}
	c.Remove(c.chunkOf(live[0]).slot)
	c.check(t, 0)
	if n := cap(c.chunkOf(live[blocks]).list.next); c.joint.next != nil || n >= 2*blocks {
		t.Errorf("a chunk of %d blocks has an array of %d entries", blocks, n)
	}
	replace(t, c, live[blocks:], 9*blocks)
	if c.accepts != lone {
		t.Error("entries of two chunks are not joined again")
	}
}

// TestLastBlockIsNotReplaced: the free of the only live block of a chunk says that the chunk is empty, also where blocks of other chunks are replaced.
//
//poolgen:if joins && feature.Trims
func TestLastBlockIsNotReplaced(t *testing.T) {
	const blocks = 300
	c := new(Core)
	var live []uint64
	for slot := range uint32(3) {
		c.Add(slot, 1<<40+uint64(slot)*blocks*blockSize, blocks*blockSize)
	}
	for range 2*blocks + 1 {
		slot, off := take(t, c)
		live = append(live, 1<<40+uint64(slot)*blocks*blockSize+off)
	}
	replaceSlow(t, c, live[:2*blocks], 9*blocks)
	c.check(t, 0)
	if _, v := c.free(live[2*blocks], itemBytes); v != poolimpl.Emptied {
		t.Errorf("Free of the last block = %d", v)
	}
}
