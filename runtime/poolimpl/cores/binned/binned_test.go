package binned

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

func log(n uint64) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}

// must takes a block that has to be there.
func (m *model) must(bytes, align uint64) block {
	m.t.Helper()
	b, ok := m.alloc(bytes, align)
	if !ok {
		m.t.Fatalf("alloc(%d, %d) failed", bytes, align)
	}
	return b
}

// quick is alloc without a look at all other blocks.
func (m *model) quick(bytes uint64) bool {
	slot, off, ok := m.core.Alloc(bytes, 1)
	if !ok {
		return false
	}
	b := block{addr: m.areas[slot].base + off, bytes: bytes, slot: slot}
	b.room, _ = m.roomOf(b.addr)
	m.live = append(m.live, b)
	m.areas[slot].live++
	m.total++
	m.bytes += bytes
	m.peak = max(m.peak, m.bytes)
	return true
}

// drop frees the block that was taken k-th, in order.
func (m *model) drop(b block) {
	m.t.Helper()
	for k := range m.live {
		if m.live[k] == b {
			m.free(k)
			return
		}
	}
	m.t.Fatalf("%+v is not live", b)
}

func TestZeroValue(t *testing.T) {
	m := newModel(t)
	for _, n := range []uint64{0, 1, 100, top, 1 << 40, 1<<64 - 1} {
		if _, _, ok := m.core.Alloc(n, 1); ok {
			t.Errorf("alloc(%d) without chunks", n)
		}
		if _, v := m.core.Free(n, n); v != poolimpl.Foreign {
			t.Errorf("free(%d): verdict %d", n, v)
		}
	}
	if m.core.Flush() {
		t.Error("flush found something")
	}
	m.check()
}

// TestFreshChunkIsOneRange: all of a chunk is free at first, as one range.
func TestFreshChunkIsOneRange(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<30, 64*unit)
	if u := m.core.Usage(); u.LargestFree != 64*unit || u.Occupied != 0 {
		t.Fatalf("usage %+v", u)
	}
	m.drop(m.must(64*unit, 1))
	m.check()
}

// TestBlockTakesWhatItsBinSays: blocks of all bins and beyond, each takes what its bin says.
func TestBlockTakesWhatItsBinSays(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, 8*roomy)
	m.cycle()
	for _, b := range m.live {
		if b.bytes <= top && b.room != b.bytes {
			t.Fatalf("%+v takes up more than its bin", b)
		}
	}
	m.check()
}

// cycle takes blocks of each bin, and one beyond, until three quarters of a chunk are full, or some thousand blocks are live.
func (m *model) cycle() {
	m.t.Helper()
	for m.bytes < 6*roomy && len(m.live) < 5000 {
		for _, size := range bins {
			if !m.quick(size) {
				m.t.Fatalf("no room for %d with %d live", size, m.bytes)
			}
		}
		if n := (top*2 + unit - 1) / unit * unit; !m.quick(n) {
			m.t.Fatalf("no room for %d with %d live", n, m.bytes)
		}
	}
}

// TestFreedBlocksServeAnyRequest: after all blocks were freed in order, nothing is left but what the bins keep, and that goes on demand.
func TestFreedBlocksServeAnyRequest(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, 8*roomy)
	m.cycle()
	for _, b := range m.live {
		if _, v := m.core.Free(b.addr, b.bytes); v != poolimpl.Freed && v != poolimpl.Emptied {
			t.Fatalf("free of %+v: verdict %d", b, v)
		}
	}
	m.live, m.bytes, m.areas[0].live = nil, 0, 0
	m.check()
	if u := m.core.Usage(); u.Cached == 0 || u.Cached > uint64(len(bins))*(depth*top+max(2*leastBlocks*top, usualSlab)) {
		t.Fatalf("cached after all frees: %+v", u)
	}
	m.drop(m.must(8*roomy, 1)) // without Flush
	if u := m.core.Usage(); u.Cached != 0 {
		t.Fatalf("usage %+v", u)
	}
	m.check()
	m.whole()
}

// TestChunkGoesBesideLiveOnes: what is live in one chunk does not keep another from going.
func TestChunkGoesBesideLiveOnes(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, roomy)
	var held []block
	for range 40 {
		held = append(held, m.must(bins[0], 1), m.must(top, 1))
	}
	m.add(1, 1<<40+2*roomy, 2*roomy)
	large := m.must(3*roomy/2, 1)
	for _, b := range held {
		m.drop(b)
	}
	if large.slot != 1 || m.core.Used(0) != 0 {
		t.Fatalf("block in chunk %d, %d used in chunk 0", large.slot, m.core.Used(0))
	}
	m.remove(0)
	m.check()
	for _, b := range held {
		if _, v := m.core.Free(b.addr, b.bytes); v != poolimpl.Foreign {
			t.Fatalf("free in a removed chunk: verdict %d", v)
		}
	}
	m.drop(large)
	m.drain(rand.New(rand.NewPCG(1, 1)))
}

// TestLengthFreesWhicheverBinServed: the length that was asked for frees a block, whichever bin served it, and alignment is kept.
func TestLengthFreesWhicheverBinServed(t *testing.T) {
	m := newModel(t)
	m.add(0, 5<<40+3*unit, roomy) // the base itself is not aligned
	for _, size := range bins {
		for _, n := range []uint64{1, size/2 + 1, max(size-1, 1), size, size + 1} {
			for align := uint64(1); align <= 1<<14; align *= 2 {
				b := m.must(n, align)
				if b.room != size && size%align == 0 && align <= page && bin(n) == size && size-n < liveFlag {
					t.Errorf("%d bytes in a block of %d", n, b.room)
				}
				m.misuse(b)
			}
		}
		m.check()
		for len(m.live) > 10 {
			m.free(len(m.live) / 2)
		}
	}
	m.drain(rand.New(rand.NewPCG(1, 2)))
}

// TestAlignedInSlab: a bin that guarantees the alignment serves the request.
func TestAlignedInSlab(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, 16*roomy)
	for _, size := range bins {
		for align := uint64(1); align <= page && size%align == 0; align *= 2 {
			if b := m.must(size, align); b.room != size {
				t.Errorf("alloc(%d, %d) took %d", size, align, b.room)
			} else if _, small := m.roomOf(b.addr); !small {
				t.Errorf("alloc(%d, %d) came from the heap", size, align)
			}
		}
	}
	m.check()
}

// TestMisuse: each mistake gets its verdict and changes nothing.
func TestMisuse(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, roomy)
	n := top
	a, b := m.must(n, 1), m.must(n-1, 1)
	large := m.must(top+1, 1)
	m.drop(b)
	slab, _ := m.core.slabOf(a.addr, 0)
	never := slab.addr
	for never == a.addr || never == b.addr {
		never += n
	}
	for _, w := range []struct {
		name        string
		addr, bytes uint64
		want        poolimpl.Verdict
	}{
		{"shorter", a.addr, n - 1, poolimpl.Foreign},
		{"longer", a.addr, n + 1, poolimpl.Foreign},
		{"nothing", a.addr, 0, poolimpl.Foreign},
		{"all", a.addr, 1<<64 - 1, poolimpl.Foreign},
		{"beyond bins", a.addr, top + 1, poolimpl.Foreign},
		{"interior", a.addr + 1, n, poolimpl.Foreign},
		{"twice", b.addr, n - 1, poolimpl.Double},
		{"twice, as a large one", b.addr, top + 1, poolimpl.Double},
		{"never given out", never, n, poolimpl.Double},
		{"large one, shorter", large.addr, top, poolimpl.Foreign},
		{"large one, interior", large.addr + 1, top + 1, poolimpl.Foreign},
		{"free memory", 1<<40 + roomy - unit, n, poolimpl.Double},
		{"outside", 1<<40 + roomy, n, poolimpl.Foreign},
		{"before", 1<<40 - n, n, poolimpl.Foreign},
	} {
		if _, v := m.core.Free(w.addr, w.bytes); v != w.want {
			t.Errorf("%s: verdict %d, want %d", w.name, v, w.want)
		}
		m.check()
	}
	// The heap knows the slab as a block; nobody may free that.
	node := *m.core.Space.Find(slab.addr)
	if _, v := m.core.Free(slab.addr, m.core.Space.Asked(node)); v == poolimpl.Freed || v == poolimpl.Emptied {
		t.Error("a slab was freed")
	}
	m.drain(rand.New(rand.NewPCG(1, 3)))
}

// TestSlabsReturn: a burst of one bin leaves its memory to the others.
func TestSlabsReturn(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, roomy)
	for round := range 3 {
		size := bins[round*(len(bins)-1)/2]
		for range 10_000 {
			if m.core.Space.Largest() > roomy/2 {
				m.quick(size)
			}
		}
		r := rand.New(rand.NewPCG(uint64(round), 4))
		for len(m.live) > 0 {
			m.free(r.IntN(len(m.live)))
		}
		m.check()
		m.drop(m.must(roomy, 1))
	}
}

// TestFallback: when no slab can be had, blocks come from the heap one by one until it is full.
func TestFallback(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40, roomy)
	var gaps []block // between large blocks
	for {
		if _, ok := m.alloc(roomy/64, 1); !ok {
			break
		}
		if b, ok := m.alloc(top+1, 1); ok {
			gaps = append(gaps, b)
		}
	}
	m.fill()
	if _, ok := m.alloc(bins[0], 1); ok {
		t.Fatal("the heap is not full")
	}
	for _, b := range gaps {
		m.drop(b)
		if b.room < m.core.blocksOf(bins[0], m.core.reach)*bins[0] {
			one := m.must(bins[0], 1)
			if _, small := m.roomOf(one.addr); small {
				t.Fatal("a slab where there is no room for one")
			}
		}
		m.fill()
		m.check()
	}
	m.drain(rand.New(rand.NewPCG(1, 5)))
}

// fill takes what the heap has left.
func (m *model) fill() {
	for n := m.core.Space.Largest(); n > 0 && m.quick(n); n = m.core.Space.Largest() {
	}
}

// TestLargerBin: with the heap full, a request takes a block of the next bin.
func TestLargerBin(t *testing.T) {
	for b := range bins {
		if b+1 == len(bins) || bins[b+1] > 2*bins[b] || bins[b+1]-bins[b] >= liveFlag {
			continue
		}
		m := newModel(t)
		m.add(0, 1<<40, roomy)
		m.must(bins[b+1], 1)
		for n := m.core.Space.Largest(); n > 0; n = m.core.Space.Largest() {
			m.core.Space.Alloc(n, n, 1)
		}
		slot, off, ok := m.core.Alloc(bins[b], 1)
		if s, _ := m.core.slabOf(m.areas[slot].base+off, 0); !ok || s == nil || int(s.bin) != b+1 {
			t.Errorf("alloc(%d) with a block of %d free: %v", bins[b], bins[b+1], ok)
		}
	}
}

// TestSmallChunks: chunks in which slabs have no place serve single blocks, to the last byte.
func TestSmallChunks(t *testing.T) {
	m := newModel(t)
	size := max(4096, unit)
	for slot := range uint32(4) {
		m.add(slot, 1<<40+uint64(slot)*size, size) // touching
	}
	n := (min(bins[0], size) + unit - 1) / unit * unit
	for m.quick(n) {
		m.check()
	}
	if left := m.core.Space.Largest(); left >= n || m.core.Usage().Occupied+4*left < 4*size {
		t.Fatalf("%d blocks of %d in 4 chunks of %d, %d left", len(m.live), n, size, left)
	}
	m.drain(rand.New(rand.NewPCG(1, 6)))
}

// TestSlotReuse: a chunk's number means another chunk after Remove.
func TestSlotReuse(t *testing.T) {
	m := newModel(t)
	for round := range uint64(5) {
		m.add(3, round<<40+round*unit, roomy)
		for _, size := range bins {
			for range 50 {
				m.quick(size)
			}
		}
		for len(m.live) > 0 {
			m.free(0)
		}
		m.check()
		m.remove(3)
		m.check()
	}
	if n := m.core.index.count; n != 0 {
		t.Fatalf("%d slabs in the index", n)
	}
}

// TestNeed: a fresh chunk of the size that Need says serves the request.
func TestNeed(t *testing.T) {
	for _, size := range append(slices.Clone(bins), top+1, 1<<20) {
		for align := uint64(1); align <= 1<<13; align *= 4 {
			m := newModel(t)
			m.add(0, 1<<40, 1<<24) // so that slabs are in reach
			m.core.Space.Alloc(1<<24, 1<<24, 1)
			need := m.core.Need(size, align)
			if need == 0 && size > 1<<32 {
				continue // beyond what the heap can number
			}
			m.core.Add(1, 1<<41, need)
			if slot, _, ok := m.core.Alloc(size, align); !ok || slot != 1 {
				t.Errorf("alloc(%d, %d) in a chunk of %d failed", size, align, need)
			}
		}
	}
	c := newCore()
	if n := c.Need(0, 1); n != 0 {
		t.Errorf("need of nothing is %d", n)
	}
}

// TestBinOf compares all sizes with a search.
func TestBinOf(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 1<<20)
	step := uint64(1)
	for n := uint64(1); n <= c.top; n += step {
		if got := bins[c.binOf(n)]; got != bin(n) {
			t.Fatalf("%d bytes: bin %d, want %d", n, got, bin(n))
		}
		step = n>>12 + 1
	}
	for cell := range uint64(cellCount - 64) {
		first := firstOf(cell)
		if cellOf(first-1) != cell || cell > 0 && cellOf(first-2) != cell-1 {
			t.Fatalf("cell %d begins with %d", cell, first)
		}
	}
}

// TestReciprocal: the index of each block of a slab is exact, for bins of any size.
func TestReciprocal(t *testing.T) {
	sizes := append([]uint64{1, 2, 3, 5, 7, 16, 48, 65521, 65536, 1<<20 + 16, 1<<24 - 1, largestSlab / fewestBlocks}, bins...)
	for size := uint64(9); size < 1<<29; size = size*17/16 + 1 {
		sizes = append(sizes, size)
	}
	c := &Core{least: leastSlab}
	for _, size := range sizes {
		if size > largestSlab/fewestBlocks {
			continue
		}
		recip := uint64(reciprocal(uint32(size)))
		for _, reach := range []uint64{max(size*fewestBlocks, leastSlab), largestSlab} {
			n := c.blocksOf(size, reach)
			if n == 0 || n*size > largestSlab || n > none {
				t.Fatalf("%d blocks of %d bytes", n, size)
			}
			for k := range n {
				if i := k * size * recip >> recipBits; i != k {
					t.Fatalf("block %d of %d bytes: index %d", k, size, i)
				}
			}
			if i := n * size * recip >> recipBits; i < n {
				t.Fatalf("the end of %d blocks of %d bytes: index %d", n, size, i)
			}
		}
	}
}

// TestWarm: no garbage once the tables have grown.
func TestWarm(t *testing.T) {
	c := newChurn(load{live: 500, octaves: 12, chunk: 64 << 20})
	for range 20_000 {
		c.step()
	}
	if n := testing.AllocsPerRun(20_000, c.step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestSlabsAlign verifies that slabs next to each other share no page, whatever their sizes.
func TestSlabsAlign(t *testing.T) {
	m := newModel(t)
	m.add(0, 1<<40+unit, roomy)
	for range 30 {
		for _, size := range bins {
			m.quick(size)
		}
	}
	m.check()
	for i := m.core.Space.First(0); i != 0; i = m.core.Space.Next(i) {
		if m.core.Space.Held(i) && m.core.Space.Address(i)%page != 0 {
			t.Errorf("slab at %#x", m.core.Space.Address(i))
		}
	}
}
