package slabs

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// smallChunk is a chunk in which some bins have slabs, and which is soon full.
const smallChunk = 1 << 20

func newSmall() *pool {
	p := &pool{bases: map[uint32]uint64{0: base}}
	p.set()
	p.Add(0, base, smallChunk)
	return p
}

// force takes a block as a pool does that cannot grow.
func (p *pool) force(bytes uint64) (addr uint64, ok bool) {
	if addr, ok = p.alloc(bytes, 1); !ok && p.Flush() {
		addr, ok = p.alloc(bytes, 1)
	}
	return addr, ok
}

// fill takes blocks until there are no more, and returns them by address.
func (p *pool) fill(bytes uint64) (all []uint64) {
	for a, ok := p.force(bytes); ok; a, ok = p.force(bytes) {
		all = append(all, a)
	}
	slices.Sort(all)
	return all
}

func (p *pool) free(t *testing.T, addr, bytes uint64) {
	t.Helper()
	for _, wrong := range []uint64{bytes - 1, bytes + 1, 0, 1 << 40} {
		if _, v := p.Free(addr, wrong); v != poolimpl.Foreign && v != poolimpl.Double {
			t.Fatalf("%#x freed with %d instead of %d", addr, wrong, bytes)
		}
	}
	if _, v := p.Free(addr, bytes); v > poolimpl.Emptied {
		t.Fatalf("free of %#x, %d: %d", addr, bytes, v)
	}
	if _, v := p.Free(addr, bytes); v <= poolimpl.Emptied {
		t.Fatalf("%#x, %d freed twice", addr, bytes)
	}
}

// empty checks that nothing is left.
func (p *pool) empty(t *testing.T) {
	t.Helper()
	u := p.Usage()
	if u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 || len(p.dissolved) != 0 {
		t.Errorf("%+v, %d dissolved slabs", u, len(p.dissolved))
	}
	if n := p.Used(0); n != 0 || !p.Evict(0) {
		t.Errorf("%d bytes used, or not evicted", n)
	}
}

// Two free neighbours hold a block of their common size, and others beside them stay what they are.
func TestNeighbours(t *testing.T) {
	for _, size := range bins {
		p := newSmall()
		if p.blocksOf(size, reachOf(smallChunk)) == 0 {
			break
		}
		all := p.fill(size - 3)
		at := len(all) / 2
		for all[at]-all[at-1] != size || all[at-1]-all[at-2] != size { // nothing but blocks around
			at++
		}
		pair := all[at-1]
		for _, a := range all[at-1 : at+1] {
			p.free(t, a, size-3)
		}
		all = slices.Delete(all, at-1, at+1)
		if u := p.Usage(); u.LargestFree < 2*size || u.LargestFree > 3*size || u.LiveBytes != uint64(len(all))*(size-3) {
			t.Errorf("%d: %+v", size, u)
		}
		a, ok := p.force(2 * size)
		if !ok || a != pair {
			t.Fatalf("%d: %#x, %v, want %#x", size, a, ok, pair)
		}
		if u := p.Usage(); u.Live != uint64(len(all)+1) || u.LiveBytes != uint64(len(all))*(size-3)+2*size {
			t.Errorf("%d: %+v, want %d blocks beside one", size, u, len(all))
		}
		for _, b := range all {
			p.free(t, b, size-3)
		}
		p.free(t, a, 2*size)
		p.empty(t)
	}
}

// The largest free range is what can be had, and no more, whatever is free; nothing that has room fails.
func TestLargestFree(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := newSmall()
		type block struct{ addr, bytes uint64 }
		var live []block
		for range 40 {
			for range 400 {
				n := 1 + r.Uint64N(1<<(4+r.IntN(13)))
				a, ok := p.force(n)
				if !ok {
					break
				}
				live = append(live, block{a, n})
			}
			r.Shuffle(len(live), func(i, k int) { live[i], live[k] = live[k], live[i] })
			for range r.IntN(len(live)) {
				b := live[len(live)-1]
				p.free(t, b.addr, b.bytes)
				live = live[:len(live)-1]
			}
			if r.IntN(4) > 0 {
				continue
			}
			p.back.Flush()
			most := p.Usage().LargestFree
			if a, ok := p.force(most + 1); ok {
				t.Fatalf("%#x of more than %d", a, most)
			}
			if again := p.Usage().LargestFree; again != most {
				t.Errorf("%d free, then %d", most, again)
			}
			if most == 0 {
				continue
			}
			a, ok := p.force(most)
			if !ok {
				t.Fatalf("no block of %d", most)
			}
			p.free(t, a, most)
		}
		for _, b := range live {
			p.free(t, b.addr, b.bytes)
		}
		p.empty(t)
	}
}

// A block whose size was not stored yet when its slab was dissolved is freed like any other.
func TestTakenMeanwhile(t *testing.T) {
	p := newSmall()
	first, _ := p.alloc(bins[0], 1)
	s := p.find(first)
	word := &s.line(0).word
	free := ^word.Load() & all
	word.Add(p.once + free&-free) // taken
	p.mu.Lock()
	p.dissolve(s)
	p.mu.Unlock()
	off := s.noteAsked(0, uint64(bits.TrailingZeros64(free)), 7) // noted
	p.free(t, base+off, 7)
	p.free(t, first, bins[0])
	if p.find(first) != nil {
		t.Error("a slab that nothing is left of is still known")
	}
	p.empty(t)
}

// Once there was no room there are no more slabs, until half of the memory is free.
func TestFull(t *testing.T) {
	p := newSmall()
	half, _ := p.force(smallChunk / 2)
	more, _ := p.force(smallChunk / 8)
	for _, a := range p.fill(bins[0]) {
		p.free(t, a, bins[0])
	}
	p.Flush()
	slabs := func(tries int) bool {
		for range tries {
			a, ok := p.alloc(bins[0], 1)
			if !ok {
				t.Fatal("no block")
			}
			p.free(t, a, bins[0])
		}
		return len(p.slabs[0]) > 0
	}
	if slabs(10 * someLooks) {
		t.Error("slabs in a full pool")
	}
	p.free(t, half, smallChunk/2)
	p.Flush()
	if !slabs(2*someLooks*int(feature.Caches)) || room(p.room.Load()) == full {
		t.Error("no slabs in a pool that is half empty")
	}
	p.free(t, more, smallChunk/8)
	p.empty(t)
}

// A slab does not get a page on which blocks of a dissolved one lie.
func TestSharedPage(t *testing.T) {
	p := newSmall()
	b := slices.IndexFunc(bins, func(n uint64) bool { return p.blocksOf(n, reachOf(smallChunk))*n%page != 0 })
	if b < 0 || p.blocksOf(bins[b], reachOf(smallChunk)) == 0 {
		t.Skip("slabs end where pages do")
	}
	small := p.fill(bins[0])
	s := p.find(small[len(small)/2])
	keep := s.addr + uint64(s.blocks-1)*uint64(s.size)
	for _, a := range small {
		if a != keep {
			p.free(t, a, bins[0])
		}
	}
	p.mu.Lock()
	p.dissolve(s)
	p.releaseEmpty()
	p.mu.Unlock()
	others := p.fill(bins[b])
	if p.find(keep) != s {
		t.Error("the page is another slab's")
	}
	live := map[uint64]uint64{keep: bins[0]}
	for _, a := range others {
		live[a] = bins[b]
	}
	p.checkWalk(t, smallChunk, live)
	p.free(t, keep, bins[0])
	for _, a := range others {
		p.free(t, a, bins[b])
	}
	p.empty(t)
}

// Slabs are dissolved while other goroutines take and free their blocks, and blocks beside them. No place is handed out twice.
func TestDissolveAmongOthers(t *testing.T) {
	p := newSmall()
	var owners [smallChunk / 16]atomic.Uint32
	own := func(addr, bytes uint64, from, to uint32) {
		for i := (addr - base) / 16; i <= (addr-base+bytes-1)/16; i++ {
			if !owners[i].CompareAndSwap(from, to) {
				t.Errorf("%#x of %#x, %d is %d's, not %d's", base+i*16, addr, bytes, owners[i].Load(), from)
				return
			}
		}
	}
	type block struct {
		addr, bytes uint64
		owner       uint32
	}
	handed := make(chan block, 30)
	free := func(b block) {
		own(b.addr, b.bytes, b.owner, 0)
		if _, v := p.Free(b.addr, b.bytes); v > poolimpl.Emptied {
			t.Errorf("free of %#x, %d: %d", b.addr, b.bytes, v)
		}
	}
	var dissolved atomic.Int64
	var wg sync.WaitGroup
	for id := range uint32(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 3))
			var held []block
			for range 5000 {
				n := 16 + r.Uint64N(1<<(4+r.IntN(13)))
				if a, ok := p.force(n); ok {
					own(a, n, 0, id+1)
					held = append(held, block{a, n, id + 1})
				}
				for len(held) > 0 && (r.IntN(100) < 47 || len(held) > 300) {
					k := r.IntN(len(held))
					b := held[k]
					held[k] = held[len(held)-1]
					held = held[:len(held)-1]
					select {
					case handed <- b:
					default:
						free(b)
						free(<-handed)
					}
				}
				p.mu.Lock()
				dissolved.Add(int64(len(p.dissolved)))
				p.mu.Unlock()
				if r.IntN(500) == 0 {
					p.Usage()
				}
			}
			for _, b := range held {
				free(b)
			}
		})
	}
	wg.Wait()
	close(handed)
	for b := range handed {
		free(b)
	}
	if dissolved.Load() == 0 {
		t.Error("no slab broke up")
	}
	p.empty(t)
}

// AllocSparing finds each free block of a bin, and free memory outside slabs, but dissolves no slab and gives none back.
func TestAllocSparing(t *testing.T) {
	p := newSmall()
	bytes := bins[0]
	live := p.fill(bytes)
	if len(p.all()) == 0 {
		t.Skip("no slab is left")
	}
	at := slices.IndexFunc(live, func(a uint64) bool { s := p.find(a); return s != nil && s.phase == serving })
	p.free(t, live[at], bytes)
	slot, off, ok := p.AllocSparing(bytes, 1)
	if !ok || p.bases[slot]+off != live[at] {
		t.Errorf("the only free block is not found: %v", ok)
	}
	for _, a := range live {
		p.free(t, a, bytes)
	}
	slabs, dissolved, now := len(p.all()), len(p.dissolved), p.roomNow()
	if _, _, ok := p.AllocSparing(smallChunk/2, 1); ok {
		t.Error("half of a chunk with slabs everywhere is free")
	}
	if len(p.all()) != slabs || len(p.dissolved) != dissolved || p.roomNow() != now {
		t.Errorf("%d slabs of %d, %d dissolved, room %d", len(p.all()), slabs, len(p.dissolved), p.roomNow())
	}
	if _, ok := p.force(smallChunk / 2); !ok {
		t.Error("half of a chunk without live blocks is not free")
	}
}
