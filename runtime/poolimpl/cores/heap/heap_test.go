package heap

import (
	"math"
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.Core = (*Core)(nil)

// small bounds the blocks of a test, so that a coarse granule does not make it long.
const small = 1 << 12

// free gives back a block that must be live.
func free(t *testing.T, c *Core, addr, bytes uint64) poolimpl.Verdict {
	t.Helper()
	_, v := c.Free(addr, bytes)
	if v != poolimpl.Freed && v != poolimpl.Emptied {
		t.Fatalf("free(%#x, %d): verdict %d", addr, bytes, v)
	}
	return v
}

// ranges counts the free ranges of all chunks.
func (c *Core) ranges() int {
	n := 0
	for slot := range c.Space.chunks {
		for i := c.Space.First(uint32(slot)); i != 0; i = c.Space.Next(i) {
			if c.Space.at(i).state() == poolrt.PieceFree {
				n++
			}
		}
	}
	return n
}

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("a heap without chunks serves a request")
	}
	if _, _, ok := c.Alloc(1, granule*8); ok {
		t.Error("a heap without chunks serves an aligned request")
	}
	if _, v := c.Free(0, 1); v != poolimpl.Foreign {
		t.Errorf("free: verdict %d", v)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("usage %+v", u)
	}
	if c.Flush() {
		t.Error("a heap keeps nothing back")
	}
}

// Two chunks are two free ranges with their lengths.
func TestChunksAreFreeRanges(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 1024*granule)
	c.Add(1, 2048*granule, 65536*granule)
	c.Space.check(t)
	if n := c.ranges(); n != 2 {
		t.Errorf("%d free ranges", n)
	}
	if u := c.Usage(); u.LargestFree != 65536*granule || u.Occupied != 0 {
		t.Errorf("usage %+v", u)
	}
}

// A chunk serves as many of the smallest blocks as it has granules.
func TestEachGranuleServesABlock(t *testing.T) {
	c := newCore()
	const n = 1 << 16
	if leastRest > 1 {
		t.Skip("the last block takes what is left")
	}
	c.Add(0, 0, n*granule)
	for i := range n {
		if _, _, ok := c.Alloc(1, 1); !ok {
			t.Fatalf("block %d of %d", i, n)
		}
	}
	if u := c.Usage(); u.Live != n || u.LiveBytes != n || u.Occupied != n*granule || u.LargestFree != 0 {
		t.Errorf("usage %+v", u)
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("a full chunk serves a request")
	}
}

// All blocks freed in random order leave exactly one free range.
func TestFreesMergeIntoOneRange(t *testing.T) {
	c := newCore()
	const n = 1 << 15
	c.Add(0, 1<<40, n*granule)
	var addr []uint64
	for {
		_, off, ok := c.Alloc(1, 1)
		if !ok {
			break
		}
		addr = append(addr, 1<<40+off)
	}
	if len(addr) > n || len(addr)+int(leastRest) <= n {
		t.Fatalf("%d blocks in %d granules", len(addr), n)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(addr), func(i, j int) { addr[i], addr[j] = addr[j], addr[i] })
	for i, a := range addr {
		want := poolimpl.Freed
		if feature.Trims && i == len(addr)-1 {
			want = poolimpl.Emptied
		}
		if v := free(t, &c, a, 1); v != want {
			t.Fatalf("free %d: verdict %d, want %d", i, v, want)
		}
	}
	c.Space.check(t)
	if u := c.Usage(); c.ranges() != 1 || u.LargestFree != n*granule || u.Occupied != 0 || u.LiveBytes != 0 {
		t.Errorf("%d ranges, usage %+v", c.ranges(), u)
	}
}

// A removed chunk is gone, the other stays; its slot can be used again.
func TestRemovedChunkServesNothing(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 1024*granule)
	c.Add(1, 2048*granule, 1024*granule)
	c.Remove(0)
	c.Space.check(t)
	if n := c.ranges(); n != 1 {
		t.Errorf("%d free ranges", n)
	}
	if slot, _, ok := c.Alloc(1024*granule, 1); !ok || slot != 1 {
		t.Errorf("chunk %d, %v", slot, ok)
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("memory of a removed chunk was handed out")
	}
	c.Add(0, 8192*granule, 16*granule)
	if slot, off, ok := c.Alloc(1, 1); !ok || slot != 0 || off != 0 {
		t.Errorf("chunk %d+%d, %v", slot, off, ok)
	}
	c.Space.check(t)
}

// Chunks that touch do not merge, and removing one leaves the other exact.
func TestTouchingChunksDoNotMerge(t *testing.T) {
	c := newCore()
	c.Add(3, 1<<40, 64*granule)
	c.Add(7, 1<<40+64*granule, 64*granule)
	if _, _, ok := c.Alloc(65*granule, 1); ok {
		t.Fatal("a block spans two chunks")
	}
	for range 2 {
		slot, off, ok := c.Alloc(64*granule, 1)
		if !ok || off != 0 {
			t.Fatalf("chunk %d+%d, %v", slot, off, ok)
		}
	}
	free(t, &c, 1<<40, 64*granule)
	free(t, &c, 1<<40+64*granule, 64*granule)
	c.Space.check(t)
	if c.ranges() != 2 {
		t.Errorf("%d free ranges", c.ranges())
	}
	c.Remove(7)
	if u := c.Usage(); u.LargestFree != 64*granule {
		t.Errorf("usage %+v", u)
	}
	c.Space.check(t)
}

// TestWholeChunk: a request of exactly the chunk's size fits an empty chunk, whatever else is free, and at any alignment of its base.
func TestWholeChunk(t *testing.T) {
	c := newCore()
	size := 1000003 % small * granule
	for slot := range uint32(100) {
		c.Add(slot, 1<<40+uint64(slot)<<24*granule, size)
		if slot != 0 {
			if _, _, ok := c.Alloc(1, 1); !ok {
				t.Fatal("no room")
			}
		}
		if slot == 1 {
			// Chunk 0 is whole again after chunk 1 has got its block or the other way round: free the one in chunk 0.
			for _, a := range []uint64{1 << 40, 1<<40 + 1<<24*granule} {
				c.Free(a, 1)
			}
		}
	}
	if _, _, ok := c.Alloc(size, min(1<<20*granule, 1<<40)); !ok {
		t.Error("no empty chunk was found")
	}
	c.Space.check(t)
}

// TestNeed: a chunk of the size that Need returns, at a base with the alignment, serves the request.
func TestNeed(t *testing.T) {
	for _, bytes := range []uint64{1, granule - 1, granule, granule + 1, 33 * granule, 1000*granule + 1, 100_003 * granule} {
		for align := uint64(1); align <= 1<<20*granule; align <<= 1 {
			c := newCore()
			c.Add(0, 1<<62, 64*granule) // something else that is free
			need := c.Need(bytes, align)
			if need < bytes || need >= bytes+granule {
				t.Fatalf("need(%d, %d) = %d", bytes, align, need)
			}
			if bytes <= 64*granule {
				continue
			}
			c.Add(1, max(align, granule)*3<<10, need)
			if slot, _, ok := c.Alloc(bytes, align); !ok || slot != 1 {
				t.Fatalf("alloc(%d, %d) fails in a chunk of %d", bytes, align, need)
			}
		}
	}
	c := newCore()
	for _, bytes := range []uint64{0, maxBytes + 1, math.MaxUint64} {
		if n := c.Need(bytes, 1); n != 0 {
			t.Errorf("need(%d) = %d", bytes, n)
		}
	}
	if n := c.Need(maxBytes, 1); n != maxBytes {
		t.Errorf("need(%d) = %d", uint64(maxBytes), n)
	}
}

// TestAlignedFill: a chunk takes as many aligned blocks as it has aligned places.
func TestAlignedFill(t *testing.T) {
	if leastRest > 1 {
		t.Skip("blocks take what is left beside them")
	}
	for align := granule; align <= 64*granule; align *= 2 {
		c := newCore()
		c.Add(0, 1<<40, 1024*granule)
		n := uint64(0)
		for {
			_, off, ok := c.Alloc(align, align)
			if !ok {
				break
			}
			if off%align != 0 {
				t.Fatalf("alignment %d: offset %d", align, off)
			}
			n++
		}
		if n != 1024*granule/align {
			t.Errorf("alignment %d: %d blocks", align, n)
		}
		c.Space.check(t)
	}
}

// TestHold: a block that the template in front keeps is found, but neither counted nor merged.
func TestHold(t *testing.T) {
	unit := uint64(leastRest) * granule
	s := newSpace()
	s.Add(2, 1<<40, 8*unit)
	i := s.Alloc(2*unit, unit+1, 1)
	j := s.Alloc(unit, unit, 1)
	s.Hold(i, 77, false)
	s.check(t)
	if !s.Held(i) || s.Held(j) || s.Note(i) != 77 || s.Used(2) != unit || s.Room(i) != 2*unit {
		t.Fatalf("note %d, used %d, room %d", s.Note(i), s.Used(2), s.Room(i))
	}
	s.SetNote(i, 78)
	if s.Free(s.Find(s.Address(j))); s.Used(2) != 0 || s.Note(i) != 78 {
		t.Fatalf("used %d, note %d", s.Used(2), s.Note(i))
	}
	s.check(t)
	s.Resume(i, 2*unit-1, false)
	if s.Asked(i) != 2*unit-1 || s.Used(2) != 2*unit {
		t.Fatalf("asked %d, used %d", s.Asked(i), s.Used(2))
	}
	if k := s.Free(s.Find(1 << 40)); s.First(2) != k || s.Next(k) != 0 {
		t.Fatal("the chunk is not one free range")
	}
	s.check(t)
	s.Remove(2)
	s.check(t)
}
