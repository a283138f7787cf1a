package slabs

import (
	"math"
	"math/rand/v2"
	rt "runtime"
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SharedCore = (*Core)(nil)

const (
	base      = 1 << 40
	chunkSize = 16 << 20
)

// pool is a core with some chunks, apart from each other.
type pool struct {
	Core
	bases map[uint32]uint64
}

func newPool(chunks int) *pool {
	p := &pool{bases: map[uint32]uint64{}}
	p.set()
	for i := range uint32(chunks) {
		p.bases[i] = base + uint64(i)*3*chunkSize
		p.Add(i, p.bases[i], chunkSize)
	}
	return p
}

// alloc takes a block as a pool does: from what is at hand, else from anywhere.
func (p *pool) alloc(bytes, align uint64) (addr uint64, ok bool) {
	slot, off, ok := p.Alloc(bytes, align)
	if !ok {
		slot, off, ok = p.AllocAny(bytes, align)
	}
	return p.bases[slot] + off, ok
}

// size is a request: mostly for bins, at times larger.
func size(r *rand.Rand) uint64 {
	return 1 + r.Uint64N(1<<(2+r.IntN(16)))
}

// A processor finds a block that it has freed, however many slabs are full, without a search of all slabs or a new chunk.
func TestFreedIsAtHand(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	for _, bytes := range []uint64{min(64, bins[0]), 1024} {
		p := newPool(1)
		var live []uint64
		for {
			slot, off, ok := p.Alloc(bytes, 1)
			if !ok {
				break
			}
			live = append(live, p.bases[slot]+off)
		}
		for i := 0; i < len(live); i += 101 {
			if _, v := p.Free(live[i], bytes); v != poolimpl.Freed {
				t.Fatalf("free of block %d: %d", i, v)
			}
			slot, off, ok := p.Alloc(bytes, 1)
			if !ok || p.bases[slot]+off != live[i] {
				t.Fatalf("block %d of %d is free, but Alloc gives %#x, %v", i, len(live), off, ok)
			}
		}
	}
}

// A request finds the smallest bin that holds it.
func TestBins(t *testing.T) {
	p := newPool(0)
	for n := uint64(1); n < 2*bins[len(bins)-1]; n++ {
		want := slices.IndexFunc(bins, func(size uint64) bool { return size >= n })
		if want < 0 {
			want = len(bins)
		}
		if got := p.binOf(n); got != want {
			t.Fatalf("%d has bin %d, want %d", n, got, want)
		}
	}
	for _, n := range []uint64{1 << 20, 1 << 40, 1 << 63, 1<<64 - 1} {
		if got := p.binOf(n); got != len(bins) {
			t.Errorf("%d has bin %d", n, got)
		}
	}
	if largest := bins[len(bins)-1]; largest-1 > math.MaxUint16 {
		t.Errorf("a block of the bin of %d bytes may have more spare bytes than a line can store", largest)
	}
}

// Blocks are aligned, apart from each other and within chunks; counters are those of the model; and mistakes are told.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := newPool(3)
	type block struct{ addr, bytes uint64 }
	var live []block
	owner := make([]uint64, 9*chunkSize/16+1) // by 16 bytes from base: the block
	sum, allocs := uint64(0), uint64(0)
	for step := range 60_000 {
		if r.IntN(100) < 52 && step < 50_000 || len(live) == 0 {
			b, align := block{0, size(r)}, uint64(1)<<r.IntN(9)
			if r.IntN(4) > 0 {
				align = 1
			}
			var ok bool
			if b.addr, ok = p.alloc(b.bytes, align); !ok {
				continue
			}
			if b.addr%max(align, 16) != 0 {
				t.Fatalf("%#x for %d aligned to %d", b.addr, b.bytes, align)
			}
			if in := (b.addr - base) % (3 * chunkSize); in+b.bytes > chunkSize {
				t.Fatalf("%#x for %d outside of the chunk", b.addr, b.bytes)
			}
			for at := b.addr - base; at < b.addr-base+b.bytes; at += 16 {
				if other := owner[at/16]; other != 0 {
					t.Fatalf("%#x for %d overlaps %#x", b.addr, b.bytes, other)
				}
				owner[at/16] = b.addr
			}
			live = append(live, b)
			sum, allocs = sum+b.bytes, allocs+1
			continue
		}
		i := r.IntN(len(live))
		b := live[i]
		for _, x := range []block{{b.addr, b.bytes + 1}, {b.addr + 16, b.bytes}, {b.addr + 1, b.bytes}} {
			if x.addr != b.addr && owner[(x.addr-base)/16] == x.addr {
				continue // the next block
			}
			if _, v := p.Free(x.addr, x.bytes); v != poolimpl.Foreign && v != poolimpl.Double {
				t.Fatalf("free of %#x with %d instead of %#x with %d: %d", x.addr, x.bytes, b.addr, b.bytes, v)
			}
		}
		if _, v := p.Free(b.addr, b.bytes); v > poolimpl.Emptied {
			t.Fatalf("free: %d", v)
		}
		if _, v := p.Free(b.addr, b.bytes); v <= poolimpl.Emptied {
			t.Fatal("freed twice")
		}
		for at := b.addr - base; at < b.addr-base+b.bytes; at += 16 {
			owner[at/16] = 0
		}
		live[i] = live[len(live)-1]
		live = live[:len(live)-1]
		sum -= b.bytes
		if step%1000 == 0 {
			if r.IntN(3) == 0 {
				p.Flush()
			}
			if u := p.Usage(); u.Live != uint64(len(live)) || u.LiveBytes != sum || u.Occupied < sum || feature.Counters && (u.Allocs != allocs || u.PeakBytes < sum) {
				t.Fatalf("%+v, want %d live, %d bytes, %d allocs", u, len(live), sum, allocs)
			}
		}
	}
	for _, b := range live {
		p.Free(b.addr, b.bytes)
	}
	for slot := range p.bases {
		if u := p.Used(slot); u != 0 || !p.Evict(slot) {
			t.Errorf("chunk %d: %d used, or not evicted", slot, u)
		}
	}
	if u := p.Usage(); u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 || u.Cached != 0 || feature.Counters && u.Allocs != allocs {
		t.Errorf("%+v", u)
	}
	if _, ok := p.alloc(16, 1); ok {
		t.Error("a block without a chunk")
	}
}

// A chunk with a live block stays, and its other blocks can be had afterwards.
func TestEvict(t *testing.T) {
	p := newPool(1)
	a, _ := p.alloc(100, 1)
	if p.Evict(0) || p.Used(0) == 0 {
		t.Error("a chunk in use went")
	}
	b, ok := p.alloc(100, 1)
	if !ok || a == b {
		t.Errorf("%#x after %#x", b, a)
	}
	p.Free(a, 100)
	p.Free(b, 100)
	if !p.Evict(0) {
		t.Error("an empty chunk stayed")
	}
	if _, v := p.Free(a, 100); v != poolimpl.Foreign {
		t.Errorf("free in a chunk that is gone: %d", v)
	}
}

// A large chunk that comes and goes leaves slabs as they were: no larger than suits the chunks that are there.
func TestReachFollowsChunks(t *testing.T) {
	const small = chunkParts * page
	p := &pool{bases: map[uint32]uint64{0: base, 1: base + chunkSize}}
	p.set()
	p.Add(0, base, small)
	reach, usable := p.reach, p.usable.Load()
	p.Add(1, base+chunkSize, chunkSize)
	if p.reach <= reach || p.usable.Load() < usable {
		t.Fatalf("slabs of %d bytes and %d bins after %d and %d", p.reach, p.usable.Load(), reach, usable)
	}
	if !p.Evict(1) {
		t.Fatal("an empty chunk stays")
	}
	if p.reach != reach || p.usable.Load() != usable {
		t.Errorf("slabs of %d bytes and %d bins, they were %d and %d", p.reach, p.usable.Load(), reach, usable)
	}
}

// What several goroutines take and free in each other's slabs is whole at the end: all of it can be taken by one.
func TestConcurrent(t *testing.T) {
	p := newPool(2)
	count := func() (n int) {
		var all []uint64
		for a, ok := p.alloc(1000, 1); ok; a, ok = p.alloc(1000, 1) {
			all = append(all, a)
		}
		for _, a := range all {
			if _, v := p.Free(a, 1000); v > poolimpl.Emptied {
				t.Fatalf("free: %d", v)
			}
		}
		return len(all)
	}
	most := count()
	var wg sync.WaitGroup
	handed := make(chan uint64, 100)
	for id := range 6 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 3))
			for range 20_000 {
				if r.IntN(2) == 0 {
					if a, ok := p.alloc(1000, 1); ok {
						select {
						case handed <- a:
						default:
							p.Free(a, 1000)
						}
					}
				} else {
					select {
					case a := <-handed:
						if _, v := p.Free(a, 1000); v > poolimpl.Emptied {
							t.Errorf("free: %d", v)
						}
					default:
					}
				}
				if r.IntN(2000) == 0 {
					p.Flush()
					p.Usage()
				}
			}
		})
	}
	wg.Wait()
	close(handed)
	for a := range handed {
		p.Free(a, 1000)
	}
	if u := p.Usage(); u.Live != 0 || u.LiveBytes != 0 {
		t.Errorf("%+v", u)
	}
	if n := count(); n < most {
		t.Errorf("%d blocks, there were %d", n, most)
	}
	if !p.Shut(false) {
		t.Error("an empty pool did not end")
	}
}

// Shut refuses while a block is live. With force, nothing can be taken or freed afterwards, and the counts stay.
func TestShut(t *testing.T) {
	p := newPool(1)
	a, _ := p.alloc(100, 1)
	big, _ := p.alloc(1<<20, 1)
	if p.Shut(false) {
		t.Fatal("ended with live blocks")
	}
	if _, v := p.Free(big, 1<<20); v > poolimpl.Emptied || p.Shut(false) {
		t.Fatal("ended with a live block")
	}
	if !p.Shut(true) {
		t.Fatal("force")
	}
	if _, v := p.Free(a, 100); v != poolimpl.Foreign {
		t.Errorf("free: %d", v)
	}
	if _, ok := p.alloc(100, 1); ok {
		t.Error("a block after the end")
	}
	if u := p.Usage(); u.Live != 1 || u.LiveBytes != 100 || feature.Counters && u.Allocs != 2 {
		t.Errorf("%+v", u)
	}
}

// A word that has counted as much as it can goes on counting elsewhere.
func TestCountFull(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1)) // all slabs are those of one processor
	p := newPool(1)
	a, _ := p.alloc(bins[0], 1)
	s := p.find(a)
	for w := range uint32(s.lines) {
		word := &s.line(w).word
		word.Add(p.countFull - 2*p.once - word.Load()&^(p.once-1))
	}
	before := p.Usage().Allocs
	for range 1000 {
		b, ok := p.alloc(bins[0], 1)
		if !ok {
			t.Fatal("no block")
		}
		p.Free(b, bins[0])
	}
	if u := p.Usage(); u.Live != 1 || feature.Counters && u.Allocs != before+1000 {
		t.Errorf("%+v, want %d allocs", u, before+1000)
	}
	if !p.find(a).full() && len(p.slabs[s.bin]) != 1 {
		t.Errorf("%d slabs", len(p.slabs[s.bin]))
	}
}

// A block that is undone does not count as handed out, whether it lies in a slab or not.
func TestUndo(t *testing.T) {
	p := newPool(1)
	for _, bytes := range []uint64{100, 1 << 20} {
		before := p.Usage()
		a, _ := p.alloc(bytes, 1)
		if _, v := p.Undo(a, bytes); v > poolimpl.Emptied {
			t.Errorf("undo of %d bytes: %d", bytes, v)
		}
		if u := p.Usage(); u.Live != 0 || u.Allocs != before.Allocs {
			t.Errorf("%d bytes: %d live, %d allocs after %d", bytes, u.Live, u.Allocs, before.Allocs)
		}
		if _, v := p.Undo(a, bytes); v <= poolimpl.Emptied {
			t.Errorf("second undo of %d bytes: %d", bytes, v)
		}
	}
	if _, v := p.Undo(1, 100); v != poolimpl.Foreign {
		t.Errorf("undo outside: %d", v)
	}
}
