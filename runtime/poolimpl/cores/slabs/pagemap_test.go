package slabs

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// A map has what was entered, however pages come: below the others, above or between them. Its table is not much longer than from its first page to its last,
// and is seldom replaced.
func TestPageMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var m pageMap
		entered := map[uint64]*slab{}
		low, end, tables := uint64(1<<20), uint64(1<<20), 0
		for range 4000 {
			s := &slab{room: 1 + r.Uint64N(4*page)}
			switch n := s.endPage() + r.Uint64N(2); seed % 3 {
			case 0:
				s.addr = end * page
			case 1:
				s.addr = (low - n) * page
			default:
				s.addr = (low + r.Uint64N(end-low+n)) * page
			}
			low, end = min(low, s.addr/page), max(end, s.endPage())
			before := m.table.Load()
			pages := m.cover(s)
			if m.table.Load() != before {
				tables++
			}
			for i := range pages {
				pages[i].Store(s)
				entered[s.addr/page+uint64(i)] = s
			}
		}
		for p := low - 100; p < end+100; p++ {
			if got := m.at(p*page + page - 1); got != entered[p] {
				t.Fatalf("seed %d, page %d: %p, want %p", seed, p, got, entered[p])
			}
		}
		if n := uint64(len(m.table.Load().list)); n > (end-low)*5/4+3*morePages || tables > 60 {
			t.Errorf("seed %d: %d entries for %d pages, %d tables", seed, n, end-low, tables)
		}
	}
}

// A map becomes longer on both sides for a slab around what it has, and at both ends of the addresses.
func TestPageMapAround(t *testing.T) {
	for _, middle := range []uint64{0, base, 1<<64 - page} {
		var m pageMap
		if m.at(middle) != nil {
			t.Error("an empty map has a slab")
		}
		m.cover(&slab{addr: middle, room: page})
		s := &slab{addr: middle - min(middle, 1000*page), room: page}
		s.room = middle - s.addr + min(-middle-1, 1000*page) + 1
		pages := m.cover(s)
		for i := range pages {
			pages[i].Store(s)
		}
		if last := s.addr + (s.room - 1); m.at(s.addr) != s || m.at(last) != s || m.at(s.addr-1) == s || m.at(last+page) == s {
			t.Errorf("%#x: a slab of %d bytes at %#x is found elsewhere", middle, s.room, s.addr)
		}
	}
}

// lying is where chunks lie.
type lying struct {
	name  string
	bases []uint64
	far   int // so many are far
}

var everywhere = []lying{
	{"one above the other", []uint64{base, base + chunkSize, base + 2*chunkSize}, 0},
	{"one below the other", []uint64{base, base - chunkSize, base - 2*chunkSize}, 0},
	{"with a part of a page each", []uint64{base + 48, base + chunkSize + 48, base + 2*chunkSize + 48}, 0},
	{"with gaps", []uint64{base, base + 6*chunkSize, base - 4*chunkSize}, 0},
	{"far apart", []uint64{base, base + 1<<36, base - 1<<36}, 2},
	{"at both ends", []uint64{page, 1<<64 - chunkSize, base}, 2},
}

// Blocks are found wherever chunks lie, also when these come back elsewhere, and the pages of slabs take up little memory.
func TestWhereChunksLie(t *testing.T) {
	for _, where := range everywhere {
		p := newPool(0)
		for turn := range where.bases {
			for i := range where.bases {
				slot := uint32(i)
				p.bases[slot] = where.bases[(i+turn)%len(where.bases)]
				p.Add(slot, p.bases[slot], chunkSize)
			}
			bytes := bins[p.usable.Load()-1]
			all := p.fill(bytes)
			far := 0
			for _, ch := range p.chunks.All() {
				if ch.isFar {
					far++
				}
			}
			if pages := uint64(len(p.near.table.Load().list)); far != where.far && turn == 0 || pages > 2*p.size/page+nearPages {
				t.Errorf("%s: %d chunks are far, and the others have %d pages", where.name, far, pages)
			}
			for _, a := range all {
				if s := p.find(a); s != nil && a-s.addr > s.room {
					t.Fatalf("%s: %#x is found in a slab at %#x", where.name, a, s.addr)
				}
				if slot, off, n, ok := p.BlockAt(a); !ok || p.bases[slot]+off != a || n != bytes {
					t.Fatalf("%s: %#x is found at %d in slot %d: %d bytes, %t", where.name, a, off, slot, n, ok)
				}
				p.free(t, a, bytes)
			}
			for slot := range p.bases {
				if !p.Evict(slot) {
					t.Fatalf("%s: a chunk is not empty", where.name)
				}
			}
			if p.near.table.Load() != nil || p.anyFar.Load() || len(all) < 100 {
				t.Errorf("%s: pages are left after %d blocks", where.name, len(all))
			}
		}
	}
}

// One chunk of a large range has pages only where slabs have been.
func TestPagesOfLargeRange(t *testing.T) {
	p := newPool(0)
	p.bases[0] = base
	p.Add(0, base, 1<<37)
	a, _ := p.alloc(bins[0], 1)
	if pages := uint64(len(p.near.table.Load().list)); pages > p.find(a).room/page+2*morePages {
		t.Errorf("%d pages", pages)
	}
	p.free(t, a, bins[0])
}

// Goroutines free what they and others have allocated, while chunks come, near and far, and longer tables replace the others.
func TestFreesWhileChunksCome(t *testing.T) {
	p := newPool(0)
	const each, size, bytes = 20_000, chunkSize / 16, 400
	where := func(slot uint32) uint64 {
		if slot%8 == 7 {
			return base + uint64(slot)<<32
		}
		return base - uint64(slot)*size
	}
	p.Add(0, where(0), size)
	passed := make(chan uint64, 3*each)
	free := func(a uint64) {
		if _, v := p.Free(a, bytes); v > poolimpl.Emptied {
			t.Errorf("free of %#x: %d", a, v)
		}
	}
	var all sync.WaitGroup
	var adding sync.Mutex
	chunks := uint32(1)
	for range 3 {
		all.Go(func() {
			for i := range each {
				slot, off, ok := p.Alloc(bytes, 1)
				if !ok {
					adding.Lock()
					p.Add(chunks, where(chunks), size)
					chunks++
					adding.Unlock()
					continue
				}
				passed <- where(slot) + off
				if i%4 == 3 {
					free(<-passed)
				}
			}
		})
	}
	all.Wait()
	close(passed)
	for a := range passed {
		free(a)
	}
	if u := p.Usage(); u.Live != 0 || chunks < 16 {
		t.Errorf("%d blocks are live, after %d chunks", u.Live, chunks)
	}
}
