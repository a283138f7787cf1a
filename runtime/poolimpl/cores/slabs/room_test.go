package slabs

import (
	rt "runtime"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// usableBin returns a bin that has slabs: that for 4,096 bytes, or the largest.
func usableBin() int {
	p := newPool(1)
	return min(p.binOf(4096), int(p.usable.Load())-1)
}

// behind leaves all slabs of the pool to the processor after that of the caller, as if goroutines had moved from there.
func (p *pool) behind() {
	own := p.procCache(poolimpl.Proc())
	other := p.procCache(poolimpl.Proc() + 1)
	for _, s := range p.all() {
		own.bins[s.bin].remove(s)
		own.bins[s.bin].open.Store(nil)
		other.bins[s.bin].add(s, p.mostLines(s.bin))
	}
}

// A processor without room takes free blocks from slabs of another processor if the pool would have more than enough memory after growth. With less,
// the pool may grow.
func TestCrowded(t *testing.T) {
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	b := usableBin()
	bytes := bins[b]
	for _, test := range []struct {
		size, usual uint64 // of the chunks and of one that would come, in percent of what is live
		want        room
	}{{104, 0, scarce}, {150, 0, crowded}, {104, 50, crowded}} {
		p := newPool(2)
		live := p.fill(bytes)
		at := slices.IndexFunc(live, func(a uint64) bool { s := p.find(a); return s != nil && s.phase == serving })
		if at < 0 {
			t.Skip("no slab is left")
		}
		p.free(t, live[at], bytes)
		p.behind()
		taken := uint64(len(live)) * bytes
		p.size, p.usual = taken/100*test.size, taken/100*test.usual
		p.setRoom(roomy)   // fill has ended at the limit
		p.visits = 1 << 20 // a count is due
		slot, off, ok := p.Alloc(bytes, 1)
		if ok != (test.want == crowded) || room(p.room.Load()) != test.want {
			t.Fatalf("%d and %d %%: %v, room %d", test.size, test.usual, ok, p.room.Load())
		}
		if !ok {
			continue
		}
		if s := p.find(p.bases[slot] + off); s == nil || p.procCache(poolimpl.Proc()).bins[b].open.Load() != s {
			t.Errorf("the processor does not go on from slab %p", s)
		}
	}
}

// With many slabs that have changed, their blocks are not counted each time that there is no room: the answer stays that of the last count.
func TestCountsSeldom(t *testing.T) {
	p := newPool(2)
	p.fill(bins[usableBin()])
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCrowded, p.visits, p.usual = true, 1, 0
	p.size /= 2 // as if the live blocks took up more
	if changed := p.changed(); p.look() || !p.isCrowded || p.changed() != changed {
		t.Errorf("crowded: %v; %d slabs have changed, %d after", p.isCrowded, changed, p.changed())
	}
	p.visits = 1 << 20
	if p.look() || p.isCrowded || p.changed() != 0 || p.visits == 1<<20 {
		t.Errorf("crowded: %v after a count of full chunks, %d slabs have changed", p.isCrowded, p.changed())
	}
}

// A processor without room takes free blocks of a common bin from slabs of another processor before the pool grows, however little of the memory is free. A bin
// with few blocks for each processor is not common.
func TestCommonBin(t *testing.T) {
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	b := usableBin()
	bytes := bins[b]
	for _, processors := range []int{2, 1 << 20} {
		p := newPool(2)
		live := p.fill(bytes)
		at := slices.IndexFunc(live, func(a uint64) bool { s := p.find(a); return s != nil && s.phase == serving })
		if at < 0 || uint64(len(p.slabs[b]))*p.blocksOf(bytes, p.reach) < 2*commonBlocks {
			t.Skip("no slab is left, or too few")
		}
		p.free(t, live[at], bytes)
		p.behind()
		p.mu.Lock()
		users := p.users
		p.users = make([]*procCache, processors)
		p.noteCommon(b)
		p.users = users
		p.mu.Unlock()
		p.setRoom(scarce) // fill has ended at the limit
		slot, off, ok := p.Alloc(bytes, 1)
		if common := processors == 2; ok != common || ok && p.bases[slot]+off != live[at] || p.roomNow() != scarce {
			t.Errorf("%d processors: %v, room %d", processors, ok, p.roomNow())
		}
	}
}

// Where there is no room for a slab, slabs of another processor without a live block make room for it, if so many slabs may be visited.
func TestReplacesEmpty(t *testing.T) {
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	for _, test := range []struct{ empty, visits int }{{0, 1 << 20}, {1, 0}, {1, 1 << 20}, {3, 1 << 20}} {
		p := newPool(1)
		b := usableBin()
		live := p.fill(bins[b])
		p.behind()
		before := len(p.slabs[b])
		if before < test.empty {
			t.Skipf("%d slabs are too few", before)
		}
		for _, s := range p.slabs[b][:test.empty] {
			for _, a := range live {
				if a-s.addr < s.room {
					p.free(t, a, bins[b])
				}
			}
		}
		p.setRoom(roomy)
		p.visits, p.usual, p.isCrowded = test.visits, 0, false
		p.size /= 2 // as if the live blocks took up more
		own := p.procCache(poolimpl.Proc())
		want := scarce
		if test.empty > 0 && test.visits > 0 {
			want = roomy
		}
		s := p.newSlabFor(own, b, roomy, false)
		if got := p.roomNow(); got != want || (s != nil) != (want == roomy) {
			t.Fatalf("%d empty slabs, %d visits: %v, room %d", test.empty, test.visits, s != nil, got)
		}
		if after := len(p.slabs[b]); s != nil && (s.in != &own.bins[b] || after != before-test.empty+1) {
			t.Errorf("%d slabs, %d of them empty: %d in the end", before, test.empty, after)
		}
	}
}
