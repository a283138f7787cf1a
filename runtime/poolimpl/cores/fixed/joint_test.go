package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.PlacedCore = (*Core)(nil)

// filled returns a core whose chunks of so many blocks are full, with the addresses of all blocks. Chunks lie apart by a distance.
func filled(t *testing.T, p Params, chunks, blocks, distance uint64) (c *Core, live []uint64) {
	t.Helper()
	c = newCore(p)
	base := func(slot uint32) uint64 { return 1<<40 + uint64(slot)*distance }
	for slot := range uint32(chunks) {
		c.Add(slot, base(slot), blocks*p.BlockSize)
	}
	for range chunks * blocks {
		slot, off := take(t, c)
		live = append(live, base(slot)+off)
	}
	return c, live
}

// replace replaces random blocks, one by one. AllocFast has to hand out each block that was freed just before.
func replace(t *testing.T, c *Core, live []uint64, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		addr := live[r.IntN(len(live))]
		if _, v := c.free(addr, c.params.ItemBytes); v != poolimpl.Freed {
			t.Fatalf("Free(%#x) = %d", addr, v)
		}
		if slot, off, ok := c.AllocFast(); !ok || c.chunks[slot].base+off != addr {
			t.Fatalf("AllocFast = %d in chunk %d, %v, want %#x", off, slot, ok, addr)
		}
	}
}

// TestJoin: entries are joined once blocks have been replaced for some time, and parted by whatever is not a replacement.
func TestJoin(t *testing.T) {
	where(t, joins, func(t *testing.T, p Params) {
		const chunks, blocks = 5, 300
		for _, tt := range []struct {
			name string
			part func(c *Core, live []uint64)
		}{
			{"two frees", func(c *Core, live []uint64) {
				for _, addr := range live[:2] {
					c.free(addr, p.ItemBytes)
				}
			}},
			{"a free and a double free", func(c *Core, live []uint64) {
				c.free(live[0], p.ItemBytes)
				if _, v := c.free(live[0], p.ItemBytes); v != poolimpl.Double {
					t.Errorf("second free: %d", v)
				}
			}},
			{"Alloc", func(c *Core, live []uint64) { c.Alloc(p.ItemBytes, 1) }},
			{"Used", func(c *Core, live []uint64) {
				c.free(live[0], p.ItemBytes)
				if n := c.Used(c.chunkAt(live[0]).slot); n != (blocks-1)*p.BlockSize {
					t.Errorf("Used = %d", n)
				}
			}},
			{"FreeList", func(c *Core, live []uint64) { c.FreeList() }},
			{"nothing between blocks", func(c *Core, live []uint64) {
				if _, v := c.free(live[0]+blocks*p.BlockSize, p.ItemBytes); v != poolimpl.Foreign {
					t.Errorf("free between chunks: %d", v)
				}
			}},
		} {
			c, live := filled(t, p, chunks, blocks, (blocks+1)*p.BlockSize)
			replace(t, c, live, chunks*blocks)
			if c.Accepts != lone {
				t.Fatalf("%s: entries are not joined", tt.name)
			}
			c.check(t, 0)
			before := c.Usage()
			if tt.part(c, live); c.Accepts == lone {
				t.Errorf("%s: entries are still joined", tt.name)
			}
			c.check(t, 0)
			if n := before.Live - c.Usage().Live; n > 2 {
				t.Errorf("%s: %d blocks less", tt.name, n)
			}
			live = live[2:]
			for _, addr := range live {
				if _, v := c.free(addr, p.ItemBytes); v > poolimpl.Emptied {
					t.Fatalf("%s: Free(%#x) = %d", tt.name, addr, v)
				}
			}
		}
	})
}

// TestUnfitForJoining: chunks far apart, and at distances that are no multiples of a block, keep arrays of their own.
func TestUnfitForJoining(t *testing.T) {
	where(t, joins, func(t *testing.T, p Params) {
		const blocks = 300
		for _, distance := range []uint64{4 * blocks * p.BlockSize, blocks*p.BlockSize + 1, 1 << 40} {
			if distance%p.BlockSize == 0 && distance < 2*blocks*p.BlockSize {
				continue // blocks of one byte
			}
			c, live := filled(t, p, 3, blocks, distance)
			replaceSlow(t, c, live, 9*blocks)
			if c.Accepts == lone || c.joint.next != nil {
				t.Errorf("distance %d: entries are joined", distance)
			}
			c.check(t, 0)
		}
	})
}

// replaceSlow is replace, whatever the core does.
func replaceSlow(t *testing.T, c *Core, live []uint64, n int) {
	t.Helper()
	for i := range n {
		if _, v := c.free(live[i*7%len(live)], c.params.ItemBytes); v > poolimpl.Emptied {
			t.Fatalf("Free = %d", v)
		}
		take(t, c)
	}
}

// TestChunksCome: chunks that are added while entries are joined serve blocks, and their entries join the others.
func TestChunksCome(t *testing.T) {
	where(t, joins, func(t *testing.T, p Params) {
		const blocks = 300
		c, live := filled(t, p, 3, blocks, blocks*p.BlockSize)
		replace(t, c, live, 9*blocks)
		for slot := uint32(3); slot < 6; slot++ {
			base := 1<<40 + uint64(slot)*blocks*p.BlockSize
			c.Add(slot, base, blocks*p.BlockSize)
			for range blocks {
				_, off := take(t, c)
				live = append(live, base+off)
			}
			c.check(t, 0)
		}
		replace(t, c, live, 18*blocks)
		if c.Accepts != lone || len(c.joint.next) != 6*blocks {
			t.Errorf("%d entries are joined, of %d", len(c.joint.next), 6*blocks)
		}
		c.check(t, 0)
	})
}

// TestJointArrayGoes: the array that all chunks share does not outlive them in the one that stays.
func TestJointArrayGoes(t *testing.T) {
	where(t, joins, func(t *testing.T, p Params) {
		const blocks = 300
		c, live := filled(t, p, 3, blocks, blocks*p.BlockSize)
		replace(t, c, live, 9*blocks)
		for _, addr := range live[:blocks] {
			c.free(addr, p.ItemBytes)
		}
		c.Remove(c.chunkAt(live[0]).slot)
		c.check(t, 0)
		if n := cap(c.chunkAt(live[blocks]).list.Next); c.joint.next != nil || n >= 2*blocks {
			t.Errorf("a chunk of %d blocks has an array of %d entries", blocks, n)
		}
		replace(t, c, live[blocks:], 9*blocks)
		if c.Accepts != lone {
			t.Error("entries of two chunks are not joined again")
		}
	})
}

// TestLastBlockIsNotReplaced: the free of the only live block of a chunk says that the chunk is empty, also where blocks of other chunks are replaced.
func TestLastBlockIsNotReplaced(t *testing.T) {
	where(t, func(p Params) bool { return p.Joins && p.Trims }, func(t *testing.T, p Params) {
		const blocks = 300
		c := newCore(p)
		var live []uint64
		for slot := range uint32(3) {
			c.Add(slot, 1<<40+uint64(slot)*blocks*p.BlockSize, blocks*p.BlockSize)
		}
		for range 2*blocks + 1 {
			slot, off := take(t, c)
			live = append(live, 1<<40+uint64(slot)*blocks*p.BlockSize+off)
		}
		replaceSlow(t, c, live[:2*blocks], 9*blocks)
		c.check(t, 0)
		if _, v := c.free(live[2*blocks], p.ItemBytes); v != poolimpl.Emptied {
			t.Errorf("Free of the last block = %d", v)
		}
	})
}
