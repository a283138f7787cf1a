package poolimpl_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// span is a chunk of the oracle.
type span struct {
	slot       uint32
	base, size uint64
}

// find is the oracle: a loop over all chunks.
func find(chunks []span, addr uint64) (uint32, uint64, bool) {
	for _, c := range chunks {
		if addr-c.base < c.size {
			return c.slot, addr - c.base, true
		}
	}
	return 0, 0, false
}

// probe compares Find with the oracle at the edges of chunks.
func probe(t *testing.T, d *poolimpl.Directory, chunks []span) {
	t.Helper()
	addrs := []uint64{0, 1, 1 << 63, ^uint64(0)}
	for _, c := range chunks {
		addrs = append(addrs, c.base-1, c.base, c.base+c.size/2, c.base+c.size-1, c.base+c.size)
	}
	for _, a := range addrs {
		for range 2 { // the second time from its cache
			slot, off, ok := d.Find(a)
			wslot, woff, wok := find(chunks, a)
			if ok != wok || ok && (slot != wslot || off != woff) {
				t.Fatalf("Find(%#x) = %d, %#x, %v; want %d, %#x, %v", a, slot, off, ok, wslot, woff, wok)
			}
		}
	}
}

func TestDirectoryEmpty(t *testing.T) {
	var d poolimpl.Directory
	probe(t, &d, nil)
	d.Remove(3)
	probe(t, &d, nil)
}

func TestDirectoryEdges(t *testing.T) {
	for _, chunks := range [][]span{
		{{0, 0, 1}},
		{{5, 0, ^uint64(0)}},
		{{0, 1 << 63, 1 << 63}}, // ends at 2^64
		{{0, 4096, 4096}, {1, 8192, 4096}, {2, 0, 4096}},            // touching
		{{7, 1000, 1}, {6, 1002, 1}, {5, 1004, 1}, {4, 1006, 1}},    // one byte each
		{{0, 0, 1 << 62}, {1, 1 << 62, 1}, {2, 1<<63 - 1, 1 << 63}}, // huge
	} {
		var d poolimpl.Directory
		for _, c := range chunks {
			d.Add(c.slot, c.base, c.size)
		}
		probe(t, &d, chunks)
		for len(chunks) > 0 {
			d.Find(chunks[0].base) // remembered, then removed
			d.Remove(chunks[0].slot)
			chunks = chunks[1:]
			probe(t, &d, chunks)
		}
	}
}

func TestDirectorySlots(t *testing.T) {
	var d poolimpl.Directory
	d.Add(0, 1<<20, 4096)
	d.Find(1<<20 + 1)
	d.Remove(0)
	d.Add(0, 1<<30, 8192)
	probe(t, &d, []span{{0, 1 << 30, 8192}})
}

// FuzzDirectory adds, removes and finds chunks on a line of cells, and compares Find with the oracle.
func FuzzDirectory(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0, 10, 20, 30, 0x80, 0x81, 40, 50})
	f.Fuzz(runDirectory)
}

func runDirectory(t *testing.T, ops []byte) {
	var d poolimpl.Directory
	var chunks []span
	var slots uint32
	for _, op := range ops {
		if op&0x80 != 0 && len(chunks) > 0 {
			i := int(op&0x7f) % len(chunks)
			d.Remove(chunks[i].slot)
			chunks = append(chunks[:i], chunks[i+1:]...)
		} else if c := (span{slots, uint64(op&0x7f) << 12, uint64(op%4+1) << 10}); !overlaps(chunks, c) {
			d.Add(c.slot, c.base, c.size)
			chunks = append(chunks, c)
			slots++
		}
		probe(t, &d, chunks)
	}
}

func overlaps(chunks []span, c span) bool {
	_, _, a := find(chunks, c.base)
	_, _, b := find(chunks, c.base+c.size-1)
	return a || b
}

func TestDirectoryRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ops := make([]byte, 3000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	runDirectory(t, ops)
}

// TestDirectoryScattered: chunks of any size are found wherever they lie, close together or far apart, and whatever was there before.
func TestDirectoryScattered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		var d poolimpl.Directory
		var chunks []span
		for range 120 {
			if len(chunks) > 0 && r.IntN(3) == 0 {
				i := r.IntN(len(chunks))
				d.Remove(chunks[i].slot)
				chunks = append(chunks[:i], chunks[i+1:]...)
				continue
			}
			base := uint64(round%4)<<40*r.Uint64N(2) + r.Uint64N(200)<<(10+uint(round%20))
			c := span{freeSlot(chunks), base + r.Uint64N(3)<<8, 1 + r.Uint64N(2<<(8+r.UintN(8)))}
			if !overlaps(chunks, c) && !reaches(chunks, c) {
				d.Add(c.slot, c.base, c.size)
				chunks = append(chunks, c)
			}
		}
		probe(t, &d, chunks)
	}
}

// freeSlot is the lowest slot without a chunk.
func freeSlot(chunks []span) uint32 {
	for slot := uint32(0); ; slot++ {
		if !slices.ContainsFunc(chunks, func(c span) bool { return c.slot == slot }) {
			return slot
		}
	}
}

// reaches reports whether a chunk lies within another.
func reaches(chunks []span, c span) bool {
	return slices.ContainsFunc(chunks, func(other span) bool { return other.base-c.base < c.size })
}

// TestDirectoryOfReaders: goroutines find their chunks while others come and go beside them.
func TestDirectoryOfReaders(t *testing.T) {
	var d poolimpl.Directory
	const fixed = 16
	for i := range uint32(fixed) {
		d.Add(i, uint64(2*i+1)<<16+uint64(i), 1<<15)
	}
	var done atomic.Bool
	var all sync.WaitGroup
	for g := range 3 {
		all.Go(func() {
			for i := uint32(g); !done.Load(); i++ {
				slot := i % fixed
				base := uint64(2*slot+1)<<16 + uint64(slot)
				for _, addr := range []uint64{base, base + 1<<14, base + 1<<15 - 1} {
					if got := d.Slot(addr); got != slot {
						t.Errorf("%#x lies in chunk %d, not %d", addr, slot, got)
						return
					}
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		slot := fixed + r.Uint32N(40)
		d.Remove(slot)
		place := uint64(slot-fixed) + 40*r.Uint64N(2) // among the others, or above them
		d.Add(slot, place<<17+r.Uint64N(1<<10), 1<<13+r.Uint64N(1<<13))
	}
	done.Store(true)
	all.Wait()
}

func BenchmarkDirectory(b *testing.B) {
	for _, n := range []int{1, 16, 256, 4096} {
		var d poolimpl.Directory
		for i := range n {
			d.Add(uint32(i), uint64(i)<<23, 1<<23)
		}
		r := rand.New(rand.NewPCG(1, 2))
		addrs := make([]uint64, 1<<14)
		for i := range addrs {
			addrs[i] = r.Uint64N(uint64(n) << 23)
		}
		var sum uint64
		b.Run(fmt.Sprintf("rand/%d", n), func(b *testing.B) {
			for i := range b.N {
				_, off, _ := d.Find(addrs[i&(1<<14-1)])
				sum += off
			}
		})
		b.Run(fmt.Sprintf("same/%d", n), func(b *testing.B) {
			for i := range b.N {
				_, off, _ := d.Find(uint64(i) & (1<<23 - 1))
				sum += off
			}
		})
		if sum == 1 {
			b.Log(sum)
		}
	}
}

// TestDirectoryAgain: a chunk that comes back to its place, as memory that was freed often does, takes no new table.
func TestDirectoryAgain(t *testing.T) {
	var d poolimpl.Directory
	for i := range uint32(64) {
		d.Add(i, uint64(i+1)<<16, 1<<16)
	}
	if n := testing.AllocsPerRun(100, func() {
		d.Remove(7)
		d.Add(7, 8<<16, 1<<16)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDirectoryFarApart: chunks far apart are found, of which there are more than are kept as recent ones, and which come and go.
func TestDirectoryFarApart(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var d poolimpl.Directory
	chunks := []span{{0, 4, 1}, {1, 6, 1}} // parts as short as these would be too many
	d.Add(0, 4, 1)
	d.Add(1, 6, 1)
	for round := range 3000 {
		if len(chunks) > 2 && r.IntN(4) == 0 {
			i := 2 + r.IntN(len(chunks)-2)
			d.Remove(chunks[i].slot)
			chunks = append(chunks[:i], chunks[i+1:]...)
			continue
		}
		c := span{freeSlot(chunks), (1 + r.Uint64N(4000)) << 40, 1 + r.Uint64N(3<<40)} // often at a start that another chunk had, or over several
		if overlaps(chunks, c) || reaches(chunks, c) {
			continue
		}
		d.Add(c.slot, c.base, c.size)
		if chunks = append(chunks, c); round%100 == 0 {
			probe(t, &d, chunks)
		}
	}
	probe(t, &d, chunks)
}

// TestDirectoryGrows: a chunk more makes about as much garbage among many chunks as among few, next to one another or far apart.
func TestDirectoryGrows(t *testing.T) {
	for _, apart := range []uint64{1 << 16, 1 << 40} {
		var d poolimpl.Directory
		slot := uint32(0)
		grow := func(to uint32) (bytes float64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := to - slot
			for ; slot < to; slot++ {
				d.Add(slot, uint64(1+slot)*apart, 1<<16)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		}
		grow(500)
		few := grow(1000)
		grow(16_000)
		if many := grow(32_000); many > 2*few+100 {
			t.Errorf("%d bytes apart: %.0f bytes of garbage for a chunk among 32000, %.0f among 1000", apart, many, few)
		}
	}
}
