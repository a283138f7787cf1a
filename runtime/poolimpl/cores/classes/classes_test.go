package classes

import (
	"math"
	"math/bits"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

var _ poolimpl.Core = (*Core)(nil)

// must returns the address of a new block in the only chunk, at base.
func must(t *testing.T, c *Core, base, bytes uint64) uint64 {
	t.Helper()
	_, off, ok := c.Alloc(bytes, 1)
	if !ok {
		t.Fatalf("no room for %d", bytes)
	}
	return base + off
}

// fill takes blocks until there is no room and returns their addresses.
func fill(c *Core, base, bytes uint64) (addr []uint64) {
	for {
		_, off, ok := c.Alloc(bytes, 1)
		if !ok {
			return addr
		}
		addr = append(addr, base+off)
	}
}

func TestBins(t *testing.T) {
	for i, b := range bins {
		if b == 0 || i > 0 && b <= bins[i-1] {
			t.Errorf("bin %d of %d bytes does not ascend", i, b)
		}
	}
}

// TestClassOf compares the class with a search from the first.
func TestClassOf(t *testing.T) {
	c := newCore()
	try := func(bytes uint64) {
		if bytes == 0 {
			return
		}
		want := 0
		for want < len(bins) && bins[want] < bytes {
			want++
		}
		if got := c.classOf(bytes); got != want && (want == len(bins) || bins[want]-bytes < 1<<31) {
			t.Errorf("%d bytes: class %d, want %d", bytes, got, want)
		}
	}
	for _, b := range bins {
		for d := -3; d <= 3; d++ {
			try(b + uint64(d))
		}
		try(b / 3)
	}
	for k := range 64 {
		try(1 << k)
		try(1<<k + 1<<k/7 + 1)
	}
	try(math.MaxUint64)
}

// TestClassOfSteps: lists of powers of two need no steps, at most a few per octave else.
func TestClassOfSteps(t *testing.T) {
	octaves := newCore().octaves
	for k := 1; k < len(octaves); k++ {
		if n := octaves[k] - octaves[k-1]; bits.OnesCount64(bins[0]) == 1 && n > 16 {
			t.Errorf("%d classes between 2^%d and 2^%d", n, k-2, k-1)
		}
	}
}

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("no chunk serves a request")
	}
	if _, v := c.Free(0, 1); v != poolimpl.Foreign {
		t.Errorf("free: verdict %d", v)
	}
	if c.Flush() || c.Usage() != (poolimpl.Usage{}) {
		t.Errorf("usage %+v", c.Usage())
	}
}

// TestReuse: the block freed last is handed out first, to its class alone.
func TestReuse(t *testing.T) {
	if feature.PerBin < 2 || feature.Bytes < 4*unit || len(bins) < 2 {
		t.Skip("nothing is kept")
	}
	c := newCore()
	const base = 1 << 40
	next := bins[min(1, len(bins)-1)]
	c.Add(0, base, 64*(next+unit))
	a, b := must(t, &c, base, bins[0]), must(t, &c, base, (bins[0]+1)/2)
	c.Free(a, bins[0])
	c.Free(b, (bins[0]+1)/2)
	if got := must(t, &c, base, next); got == a || got == b {
		t.Error("a block of a small class serves a larger one")
	}
	if got := must(t, &c, base, bins[0]); got != b {
		t.Errorf("%#x, want %#x", got, b)
	}
	if got := must(t, &c, base, bins[0]); got != a {
		t.Errorf("%#x, want %#x", got, a)
	}
}

// TestDoubleFree: a second free of a kept block is refused, and the block has one owner after that.
func TestDoubleFree(t *testing.T) {
	c := newCore()
	const base = 1 << 40
	c.Add(0, base, 1<<20*unit)
	a := must(t, &c, base, bins[0])
	must(t, &c, base, bins[0])
	c.Free(a, bins[0])
	for range 2 {
		if _, v := c.Free(a, bins[0]); v != poolimpl.Double {
			t.Fatalf("verdict %d", v)
		}
	}
	if x, y := must(t, &c, base, bins[0]), must(t, &c, base, bins[0]); x == y {
		t.Errorf("%#x has two owners", x)
	}
	if u := c.Usage(); u.Live != 3 {
		t.Errorf("usage %+v", u)
	}
}

// TestTrimThenAlloc: a chunk with nothing but kept blocks is empty and goes; its blocks are not handed out afterwards.
func TestTrimThenAlloc(t *testing.T) {
	c := newCore()
	bases := map[uint32]uint64{5: 1 << 40, 6: 1 << 41}
	for slot, base := range bases {
		c.Add(slot, base, 16*unit)
	}
	addr := map[uint32][]uint64{}
	for {
		slot, off, ok := c.Alloc(bins[0], 1)
		if !ok {
			break
		}
		addr[slot] = append(addr[slot], bases[slot]+off)
	}
	for slot, list := range addr {
		for i, a := range list {
			want := poolimpl.Freed
			if feature.Trims && i == len(list)-1 {
				want = poolimpl.Emptied
			}
			if s, v := c.Free(a, bins[0]); s != slot || v != want {
				t.Fatalf("free %d: chunk %d, verdict %d, want %d", i, s, v, want)
			}
		}
	}
	if c.Used(5) != 0 || c.Used(6) != 0 {
		t.Fatalf("used %d and %d", c.Used(5), c.Used(6))
	}
	c.Remove(5)
	c.check(t, []uint32{6})
	for range addr[6] {
		slot, _, ok := c.Alloc(bins[0], 1)
		if !ok || slot != 6 {
			t.Fatalf("chunk %d, %v", slot, ok)
		}
	}
	if _, _, ok := c.Alloc(bins[0], 1); ok {
		t.Error("memory of a removed chunk was handed out")
	}
}

// TestFullCache: memory that is kept for one class fails the others until it is flushed.
func TestFullCache(t *testing.T) {
	if feature.PerBin < 64 || feature.Bytes < 64*unit {
		t.Skip("the cache is bounded")
	}
	c := newCore()
	const base = 1 << 40
	c.Add(0, base, 64*unit)
	for _, a := range fill(&c, base, bins[0]) {
		c.Free(a, bins[0])
	}
	if u := c.Usage(); u.Cached != 64*unit || u.LargestFree != bins[0] || u.Occupied != 0 {
		t.Errorf("usage %+v", u)
	}
	if _, _, ok := c.Alloc(64*unit, 1); ok {
		t.Error("kept memory was handed out for another class")
	}
	if !c.Flush() || c.Flush() {
		t.Error("flush does not say what it did")
	}
	if u := c.Usage(); u.Cached != 0 || u.LargestFree != 64*unit {
		t.Errorf("usage %+v", u)
	}
	must(t, &c, base, 64*unit)
}

// TestBounds: blocks beyond the bounds of the cache go back to the heap.
func TestBounds(t *testing.T) {
	c := newCore()
	const base = 1 << 40
	c.Add(0, base, 1<<20*unit)
	var addr []uint64
	for range 256 {
		addr = append(addr, must(t, &c, base, bins[0]))
	}
	for _, a := range addr {
		c.Free(a, bins[0])
	}
	want := min(256, feature.PerBin, feature.Bytes/unit)
	if u := c.Usage(); u.Cached != want*unit {
		t.Errorf("%d bytes kept, want %d blocks of %d", u.Cached, want, unit)
	}
	c.check(t, []uint32{0})
}

// TestExactChunk: a request of exactly the chunk's size fits an empty chunk although its class does not, and the
// block is not kept for that class.
func TestExactChunk(t *testing.T) {
	c := newCore()
	const base = 1 << 40
	bytes := bins[len(bins)/2] + bins[0]
	if c.Need(bytes, 1) == 0 {
		t.Skip("the class is larger than a chunk can be")
	}
	if n := c.Need(bytes, 1); n < bytes || n >= bytes+unit {
		t.Fatalf("need %d for %d", n, bytes)
	}
	c.Add(0, base, c.Need(bytes, 1))
	for range 3 {
		a := must(t, &c, base, bytes)
		c.Free(a, bytes)
		c.check(t, []uint32{0})
	}
	if u := c.Usage(); u.LargestFree < bytes {
		t.Errorf("usage %+v", u)
	}
}

// TestAligned: an alignment above the granule is honoured by kept blocks and by the heap.
func TestAligned(t *testing.T) {
	c := newCore()
	const base = 1 << 40
	c.Add(0, base, 1<<20*unit)
	for range 3 {
		for align := uint64(1); align <= unit<<8; align <<= 1 {
			_, off, ok := c.Alloc(bins[0], align)
			if !ok || off%align != 0 {
				t.Fatalf("alignment %d: offset %d, %v", align, off, ok)
			}
			must(t, &c, base, bins[0])
			c.Free(base+off, bins[0])
			c.check(t, []uint32{0})
		}
	}
}

// TestAboveBins: requests above the last class go to the heap and are not kept.
func TestAboveBins(t *testing.T) {
	c := newCore()
	const base = 1 << 40
	bytes := bins[len(bins)-1] + 1
	if c.Need(bytes, 1) == 0 {
		t.Skip("the class is larger than a chunk can be")
	}
	c.Add(0, base, 2*bytes)
	a := must(t, &c, base, bytes)
	c.Free(a, bytes)
	if u := c.Usage(); u.Cached != 0 || u.LargestFree < bytes {
		t.Errorf("usage %+v", u)
	}
	if _, v := c.Free(a, bytes); v != poolimpl.Double {
		t.Errorf("second free: verdict %d", v)
	}
}

// With KeepLarge, a large chunk that is empty serves no small request until a Flush that finds nothing cached.
func TestKeepLarge(t *testing.T) {
	const size = 512
	var c Core
	c.Set(&Params{heap.Params{Granule: 16, MinSplit: 16}, []uint64{size}, none, none})
	c.Add(0, 1<<40, 4*size)
	c.KeepLarge()
	small := fill(&c, 1<<40, size)
	c.Add(1, 1<<41, 1024*size)
	c.Free(must(t, &c, 1<<41, 1000*size), 1000*size) // for which the chunk came
	if _, _, ok := c.Alloc(size, 1); ok || len(small) != 4 {
		t.Fatal("a small block lies in a large chunk")
	}
	c.Free(small[0], size)
	if cached, kept, more := c.Flush(), c.Flush(), c.Flush(); !cached || !kept || more {
		t.Error("Flush frees what is cached, then opens the chunk, then does nothing")
	}
	if len(fill(&c, 0, size)) != 1025 {
		t.Error("the chunk is open, and was not used")
	}
}
