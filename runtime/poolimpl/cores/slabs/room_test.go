package slabs

import (
	rt "runtime"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// crowds sets whether pools may be crowded, until the function that it returns is called.
func crowds(may bool) (reset func()) {
	before := feature.Crowds
	feature.Crowds = may
	return func() { feature.Crowds = before }
}

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

// A processor without room takes free blocks from slabs of another processor if the pool has 1.5 times the memory of its live blocks. With less,
// the pool may grow.
func TestCrowded(t *testing.T) {
	defer crowds(true)()
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	b := usableBin()
	bytes := bins[b]
	for _, test := range []struct {
		share uint64 // of the chunks that is live, in tenths
		want  room
	}{{7, scarce}, {6, crowded}} {
		p := newPool(2)
		live := p.fill(bytes)
		taken := uint64(len(live)) * bytes
		for _, a := range live {
			if taken*10 > 2*chunkSize*test.share && p.find(a) != nil { // what is freed outside slabs may make room for one
				p.free(t, a, bytes)
				taken -= bytes
			}
		}
		p.behind()
		p.setRoom(roomy)     // fill has ended at the limit
		p.unjudged = 1 << 20 // a count is due
		slot, off, ok := p.Alloc(bytes, 1)
		if ok != (test.want == crowded) || room(p.room.Load()) != test.want {
			t.Fatalf("%d tenths are live: %v, room %d", test.share, ok, p.room.Load())
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
	defer crowds(true)()
	p := newPool(2)
	p.fill(bins[usableBin()])
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCrowded, p.unjudged = true, -visitsPerLook
	changed := p.changed()
	if now := p.crowdedOrScarce(); now != crowded || p.changed() != changed {
		t.Errorf("room %d; %d slabs have changed, %d after", now, changed, p.changed())
	}
	p.unjudged = 1 << 20
	if now := p.crowdedOrScarce(); now != scarce || p.changed() != 0 {
		t.Errorf("room %d after a count of full chunks, %d slabs have changed", now, p.changed())
	}
}

// A processor without room takes free blocks of a common bin from slabs of another processor before the pool grows, however little of the memory is free. A bin
// with few blocks for each processor is not common.
func TestCommonBin(t *testing.T) {
	defer crowds(true)()
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

// Where there is no room for a slab, slabs of another processor without a live block make room for it, until few of them are left.
func TestReplaceEmpty(t *testing.T) {
	defer crowds(false)()
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	for _, test := range []struct {
		empty int // slabs of the other processor
		want  room
	}{{0, scarce}, {fewReleased - 1, scarce}, {fewReleased, roomy}} {
		p := newPool(1)
		b := usableBin()
		live := p.fill(bins[b])
		p.behind()
		before := len(p.slabs[b])
		if before < fewReleased {
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
		p.looked = false
		own := p.procCache(poolimpl.Proc())
		s := p.newSlabFor(own, b)
		if got := p.roomNow(); got != test.want || (s != nil) != (test.empty > 0) {
			t.Fatalf("%d empty slabs: %v, room %d", test.empty, s != nil, got)
		}
		if p.setRoom(roomy); p.replaceEmpty(own, b) != nil || p.roomNow() != scarce {
			t.Errorf("%d empty slabs: a second look before a chunk has come", test.empty)
		}
		if after := len(p.slabs[b]); s != nil && (s.in != &own.bins[b] || after != before-test.empty+1) {
			t.Errorf("%d slabs, %d of them empty: %d in the end", before, test.empty, after)
		}
	}
}
