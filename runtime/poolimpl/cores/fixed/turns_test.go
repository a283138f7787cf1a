package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.RangeCore = (*Core)(nil)

// field is a core over a range whose chunks were all carved, and all of whose blocks are live.
type field struct {
	*Core
	t      *testing.T
	base   uint64
	blocks uint64 // of a chunk
	live   []uint64
	r      *rand.Rand
}

func newField(t *testing.T, p Params, chunks, blocks uint64) *field {
	t.Helper()
	f := &field{Core: newCore(p), t: t, base: 1 << 40 / p.BlockSize * p.BlockSize, blocks: blocks, r: rand.New(rand.NewPCG(1, 2))}
	f.Range(0, f.base, blocks*p.BlockSize, make([]uint32, chunks*blocks))
	for k := range chunks {
		f.Add(uint32(k+1), f.base+k*blocks*p.BlockSize, blocks*p.BlockSize)
	}
	f.alloc(int(chunks * blocks))
	return f
}

func (f *field) alloc(n int) {
	for range n {
		slot, off, ok := f.AllocFast()
		if addr := f.base + off; ok && slot == 0 {
			f.live = append(f.live, addr)
			continue
		}
		slot, off = take(f.t, f.Core)
		f.live = append(f.live, f.base+uint64(slot-1)*f.blocks*f.params.BlockSize+off)
	}
}

// free frees n random blocks.
func (f *field) free(n int) {
	for range n {
		i, last := f.r.IntN(len(f.live)), len(f.live)-1
		addr := f.live[i]
		f.live[i] = f.live[last]
		f.live = f.live[:last]
		if _, v := f.Core.free(addr, f.params.ItemBytes); v != poolimpl.Freed {
			f.t.Fatalf("Free(%#x) = %d", addr, v)
		}
	}
}

// empty returns the number of chunks without a live block.
func (f *field) empty() (n int) {
	for slot, ch := range f.chunks {
		if ch != nil && f.Used(uint32(slot)) == 0 {
			n++
		}
	}
	return n
}

// TestChunksDrain: once fewer blocks are live, most chunks have none, whether their number goes up and down or they are replaced one by one.
func TestChunksDrain(t *testing.T) {
	where(t, ranged, func(t *testing.T, p Params) {
		const chunks, blocks = 10, 4096
		for _, step := range []int{1, 200} {
			f := newField(t, p, chunks, blocks)
			f.free(len(f.live) * 9 / 10)
			for range 2 * chunks * blocks / step {
				f.free(step)
				f.alloc(step)
			}
			if n := f.empty(); n < chunks*8/10 {
				t.Errorf("%d by %d: %d of %d chunks are empty", step, step, n, chunks)
			}
			f.check(t, 0)
			f.alloc(chunks*blocks - len(f.live))
			if _, _, ok := f.Alloc(p.ItemBytes, 1); ok {
				t.Error("more blocks than there are")
			}
		}
	})
}

// TestFastPathServesAll: while all blocks are live, and few are free, the fast path frees blocks of each chunk, and hands out the block that was freed last.
func TestFastPathServesAll(t *testing.T) {
	where(t, ranged, func(t *testing.T, p Params) {
		f := newField(t, p, 5, 4096)
		f.free(1) // ends the turn in which blocks were carved
		slow := 0
		for range 10 * turn {
			addr := f.live[f.r.IntN(len(f.live))]
			if !f.FreeFast(addr) {
				slow++
				f.Core.Free(addr, p.ItemBytes)
			}
			if slot, off, ok := f.AllocFast(); ok && (slot != 0 || f.base+off != addr) {
				t.Fatalf("AllocFast = %d in %d, not the block that was freed last, %d", off, slot, addr-f.base)
			} else if !ok {
				f.Core.Alloc(p.ItemBytes, 1)
			}
		}
		if slow > 11 {
			t.Errorf("%d frees took the slow path, in ten turns", slow)
		}
		f.check(t, 0)
	})
}

// TestHolesAreFilled: a chunk that comes back at a place between others serves blocks, with entries that say nothing of those before.
func TestHolesAreFilled(t *testing.T) {
	where(t, ranged, func(t *testing.T, p Params) {
		const chunks, blocks = 4, 300
		f := newField(t, p, chunks, blocks)
		hole := f.base + blocks*p.BlockSize
		for i := range uint64(blocks) {
			f.Core.free(hole+i*p.BlockSize, p.ItemBytes)
		}
		if n := f.Used(2); n != 0 {
			t.Fatalf("%d bytes are used", n)
		}
		f.Remove(2)
		f.check(t, 0)
		for i := range uint64(blocks) {
			if _, v := f.Core.free(hole+i*p.BlockSize, p.ItemBytes); v != poolimpl.Foreign {
				t.Fatalf("free in a hole: %d", v)
			}
		}
		f.Add(2, hole, blocks*p.BlockSize)
		f.check(t, 0)
		if slot, off := take(t, f.Core); slot != 2 || off != 0 {
			t.Errorf("block %d of chunk %d", off, slot)
		}
	})
}

// TestLargeChunk: a chunk that takes up several places serves all of its blocks, and one that does not fit in the range is served next to it.
func TestLargeChunk(t *testing.T) {
	where(t, ranged, func(t *testing.T, p Params) {
		const blocks = 100
		c := newCore(p)
		base := 1 << 20 * p.BlockSize
		c.Range(9, base, blocks*p.BlockSize, make([]uint32, 4*blocks))
		for slot, place := range []uint64{0, 1, 7} {
			c.Add(uint32(slot), base+place*blocks*p.BlockSize, [...]uint64{blocks, 3 * blocks, 2 * blocks}[slot]*p.BlockSize)
		}
		at := func(slot uint32, off uint64) uint64 {
			return base + [...]uint64{0, 1, 7}[slot]*blocks*p.BlockSize + off
		}
		live := map[uint64]bool{}
		for range 6 * blocks {
			addr := at(take(t, c))
			if live[addr] {
				t.Fatalf("%#x twice", addr)
			}
			live[addr] = true
		}
		for addr := range live {
			if _, v := c.free(addr, p.ItemBytes); v != poolimpl.Freed {
				t.Fatalf("Free(%#x) = %d", addr, v)
			}
		}
		c.check(t, 0)
		for slot := range uint32(3) {
			if n := c.Used(slot); n != 0 {
				t.Errorf("chunk %d: %d bytes are used", slot, n)
			}
			c.Remove(slot)
			c.check(t, 0)
		}
	})
}
