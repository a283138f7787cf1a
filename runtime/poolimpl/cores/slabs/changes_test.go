package slabs

import (
	"math/bits"
	"math/rand/v2"
	rt "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// counted is Usage by a look at all blocks of all slabs. No other goroutine uses the pool.
func (p *pool) counted() poolimpl.Usage {
	u := p.back.Usage()
	u.Live += p.retired.Live - p.count
	u.LiveBytes += p.retired.LiveBytes - p.bytes
	u.Occupied += p.retired.Occupied - p.taken
	if feature.Counters {
		u.Allocs += p.retired.Allocs - p.allocated - p.undone.Load()
	}
	for _, s := range p.all() {
		n, size := s.count(), uint64(s.size)
		u.Live += n.live
		u.LiveBytes += n.bytes
		u.Occupied += n.live * size
		if feature.Counters {
			u.Allocs += s.handedOut()
		}
		u.Cached += s.taken - (n.live+n.pending)*size
	}
	for _, s := range p.dissolved {
		n, size := s.count(), uint64(s.size)
		u.Live -= n.pending
		u.LiveBytes -= (n.live+n.pending)*size - n.bytes
		u.Occupied -= n.pending * size
	}
	u.LargestFree = max(u.LargestFree, p.widest())
	return u
}

// widest is largest by a look at all slabs.
func (p *pool) widest() (most uint64) {
	all := p.all()
	slices.SortFunc(all, func(a, b *slab) int { return int(a.addr) - int(b.addr) })
	var run, end uint64
	var slot uint32
	for _, s := range all {
		before, room, behind := p.back.Around(s.addr)
		if s.slot != slot || s.addr != end {
			run = before
		}
		for i := range uint64(s.blocks) {
			if run += uint64(s.size); s.block(i).isTaken() {
				most, run = max(most, run-uint64(s.size)), 0
			}
		}
		if !s.full() {
			run += room - s.room
		}
		run += behind
		most, slot, end = max(most, run), s.slot, s.addr+room+behind
	}
	return most
}

// The sums are those of a look at all blocks, whatever was called before.
func TestSums(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := newSmall()
		type block struct{ addr, bytes uint64 }
		var live []block
		for step := range 4000 {
			n := 1 + r.Uint64N(1<<(4+r.IntN(12)))
			if a, ok := p.alloc(n, 1); ok {
				live = append(live, block{a, n})
			}
			for len(live) > 0 && r.IntN(100) < 48 {
				k := r.IntN(len(live))
				if b := live[k]; r.IntN(50) == 0 {
					p.Undo(b.addr, b.bytes)
				} else {
					p.free(t, b.addr, b.bytes)
				}
				live[k] = live[len(live)-1]
				live = live[:len(live)-1]
			}
			switch r.IntN(40) {
			case 0:
				p.Flush()
			case 1:
				p.Used(0)
			case 2:
				p.AllocAny(smallChunk, 1) // fails, and dissolves what it can
			}
			if step == 3000 && seed%2 == 0 {
				p.Reset()
				live = nil
			}
			if r.IntN(3) > 0 {
				continue
			}
			want := p.counted()
			if u := p.Usage(); u != want {
				t.Fatalf("seed %d, step %d: %+v\nwant %+v", seed, step, u, want)
			}
		}
		before := p.Usage()
		p.Shut(true)
		if u := p.Usage(); u.Live != before.Live || u.LiveBytes != before.LiveBytes || u.Occupied != before.Occupied || u.Allocs != before.Allocs || u.Cached != 0 {
			t.Errorf("%+v after Shut, %+v before", u, before)
		}
	}
}

// Usage, and a request that fails, look at no slab that has not changed, however many are full.
func TestUnchangedIsNotVisited(t *testing.T) {
	p := newSmall()
	all := p.fill(bins[0])
	p.inSlab(t, all)
	before := p.Usage()
	if again := p.Usage(); again != before {
		t.Fatalf("%+v, then %+v", before, again)
	}
	for _, a := range all { // whoever looks at a block reads 1 byte less
		if s := p.find(a); s != nil && s.phase == serving {
			l := s.locate(a)
			*l.spareOf(l.k)++
		}
	}
	if _, ok := p.force(bins[0]); ok || len(p.dissolved) > 0 {
		t.Fatalf("a block of a full pool, or %d slabs are dissolved", len(p.dissolved))
	}
	if u := p.Usage(); u != before {
		t.Errorf("%+v after a failure, %+v before", u, before)
	}
	if n := testing.AllocsPerRun(100, func() { p.force(bins[0]); p.Usage() }); n != 0 {
		t.Errorf("a failure leaves %v allocations", n)
	}
	for _, a := range all {
		if s := p.find(a); s != nil && s.phase == serving {
			l := s.locate(a)
			*l.spareOf(l.k)--
		}
	}
	p.free(t, all[0], bins[0])
	if u := p.Usage(); u.Live != before.Live-1 || u.LiveBytes != before.LiveBytes-bins[0] {
		t.Errorf("%+v after a free, %+v before", u, before)
	}
}

// A block whose size was still on its way when its slab was counted counts in the end, and so does one whose slab was dissolved meanwhile.
func TestCountedWhileTaken(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, dissolve := range []bool{false, true} {
			p := newSmall()
			first, _ := p.alloc(bins[0], 1)
			s := p.find(first)
			p.Usage()
			p.Usage()
			word := &s.line(0).word
			free := ^word.Load() & all
			free &= -free
			word.Add(p.once + free) // taken
			if !late {
				s.noteChange() // its size is on the way
			}
			if dissolve {
				p.mu.Lock()
				p.dissolve(s)
				p.mu.Unlock()
			}
			p.Usage()
			off := s.noteAsked(0, uint64(bits.TrailingZeros64(free)), 7)
			if late {
				p.Usage()
				p.Usage()
				s.noteChange()
			}
			if u := p.Usage(); u.Live != 2 || u.LiveBytes != bins[0]+7 {
				t.Errorf("late %v, dissolve %v: %+v", late, dissolve, u)
			}
			p.free(t, base+off, 7)
			p.free(t, first, bins[0])
			p.empty(t)
		}
	}
}

// inSlab returns the index of the first block that lies in a slab.
func (p *pool) inSlab(t *testing.T, all []uint64) int {
	t.Helper()
	k := slices.IndexFunc(all, func(a uint64) bool { s := p.find(a); return s != nil && s.phase == serving })
	if k < 0 {
		t.Fatal("no slabs")
	}
	return k
}

// A slab that became empty is given back by the next request that needs the room, though it was not when the slab was looked at before.
func TestEmptiedIsChecked(t *testing.T) {
	p := newSmall()
	all := p.fill(bins[0])
	keep := p.inSlab(t, all)
	for k, a := range all {
		if k != keep {
			p.free(t, a, bins[0])
		}
	}
	p.Flush()
	p.Flush()
	if len(p.all()) != 1 {
		t.Fatalf("%d slabs for one block", len(p.all()))
	}
	p.free(t, all[keep], bins[0])
	p.Flush()
	if len(p.all()) != 0 {
		t.Error("a slab without a live block is kept")
	}
	p.empty(t)
}

// A block that is freed while a search ends without one is found by the next search.
func TestNoneIsChecked(t *testing.T) {
	p := newPool(1)
	s, h := first(t, p)
	h.setNone()
	if _, _, ok := h.alloc(s.in, bins[0]); !ok {
		t.Error("a slab has its bit, but its free blocks are not found")
	}
	for ok := true; ok; {
		_, _, ok = h.alloc(s.in, bins[0])
	}
	if !h.none.Load() {
		t.Error("a search that found nothing is repeated")
	}
	h.setPartial(s.firstLine)
	if h.none.Load() {
		t.Error("a bit is set, but no search looks at it")
	}
}

// Several goroutines take and free blocks at the limit while another one polls. In the end the counts are exact.
func TestCountsAmongOthers(t *testing.T) {
	p := newSmall()
	var done atomic.Bool
	var poll, work sync.WaitGroup
	poll.Go(func() {
		for !done.Load() {
			p.Usage()
			rt.Gosched()
		}
	})
	var sum, live, allocs atomic.Uint64
	for id := range 4 {
		work.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 8))
			type block struct{ addr, bytes uint64 }
			var held []block
			for range 5000 {
				n := 1 + r.Uint64N(1<<(4+r.IntN(10)))
				a, ok := p.force(n)
				if ok {
					held = append(held, block{a, n})
					allocs.Add(1)
				}
				for len(held) > 0 && (!ok || r.IntN(100) < 48) {
					k := r.IntN(len(held))
					if _, v := p.Free(held[k].addr, held[k].bytes); v > poolimpl.Emptied {
						t.Errorf("free: %d", v)
					}
					held[k] = held[len(held)-1]
					held = held[:len(held)-1]
					ok = true
				}
			}
			live.Add(uint64(len(held)))
			for _, b := range held {
				sum.Add(b.bytes)
			}
		})
	}
	work.Wait()
	done.Store(true)
	poll.Wait()
	u := p.Usage()
	if u.Live != live.Load() || u.LiveBytes != sum.Load() || feature.Counters && u.Allocs != allocs.Load() {
		t.Errorf("%+v, want %d live, %d bytes, %d allocs", u, live.Load(), sum.Load(), allocs.Load())
	}
	if want := p.counted(); u != want {
		t.Errorf("%+v\nwant %+v", u, want)
	}
}

// A search of all slabs finds a block that was freed before, and dissolves no slab for it.
func TestSearchFindsFreed(t *testing.T) {
	p := newSmall()
	all := p.fill(bins[0])
	k := p.inSlab(t, all)
	p.free(t, all[k], bins[0])
	slot, off, ok := p.AllocAny(bins[0], 1)
	if !ok || p.bases[slot]+off != all[k] || len(p.dissolved) > 0 {
		t.Errorf("%#x, %v, want %#x; %d slabs are dissolved", p.bases[slot]+off, ok, all[k], len(p.dissolved))
	}
}

// Slabs that come and go in a pool whose statistics nobody reads are not kept.
func TestGoneAreDropped(t *testing.T) {
	p := newSmall()
	rounds := 50
	if testing.Short() {
		rounds = 12
	}
	for range rounds {
		for _, a := range p.fill(bins[0]) {
			p.free(t, a, bins[0])
		}
		p.Flush()
	}
	slabs := smallChunk / page
	if n := len(p.lists.uncounted) + len(p.lists.unchecked) + len(p.lists.partial[0]); n > 3*(slabs+fewGone) {
		t.Errorf("%d slabs in the lists of a pool that has room for %d", n, slabs)
	}
}

// Changes are read in the order in which they were entered.
func TestTake(t *testing.T) {
	all := []*slab{{bin: 0}, {bin: 1}, {bin: 2}, {bin: 3}}
	h := changes{spent: new(atomic.Bool)}
	for _, s := range all {
		s.changes = &h
		s.noteChange()
		s.noteChange()
	}
	for _, want := range [][]*slab{all[:1], all[1:3], all[3:], nil} {
		if got := h.take(max(len(want), 1)); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// A processor enters the slabs that it has changed on its own, so that many processors do not wait for each other.
func TestChangesOfEachProcCache(t *testing.T) {
	if feature.Caches < 2 {
		t.Skip("all processors share their slabs")
	}
	p := newPool(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range 2 {
		d := &p.procCaches[i]
		s := p.addSlab(d, 0)
		p.readChanges(every)
		if _, _, ok := s.allocIn(0, bins[0]); !ok || !slices.Equal(d.changes.slabs, []*slab{s}) {
			t.Errorf("processor %d has entered %v", i, d.changes.slabs)
		}
	}
}

// A request that may still be served by growth leaves the changes to others: it does not have all processors enter their slabs again.
func TestSparingReadsNoChanges(t *testing.T) {
	p := newPool(1)
	all := p.fill(bins[0])
	k := p.inSlab(t, all)
	p.Usage()
	s := p.find(all[k])
	for range 2 {
		p.free(t, all[k], bins[0])
		if slot, off, ok := p.AllocSparing(bins[0], 1); !ok || p.bases[slot]+off != all[k] || s.changed.Load() == 0 {
			t.Errorf("%v, a block at %#x instead of %#x; the slab has changed: %d", ok, p.bases[slot]+off, all[k], s.changed.Load())
		}
		if _, _, ok := p.AllocSparing(bins[0], 1); ok || s.changed.Load() == 0 {
			t.Errorf("%v of a full pool; the slab has changed: %d", ok, s.changed.Load())
		}
	}
}
