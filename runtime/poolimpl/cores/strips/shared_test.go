package strips

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	rt "runtime"
)

// TestApart: blocks that goroutines take at the same time do not overlap, and all are counted. Among the goroutines are some that all take from one strip.
func TestApart(t *testing.T) {
	c := with(2)
	const each = 2000
	for i := range uint32(4) {
		c.Add(i, uint64(i+1)<<40, 6*each*granule)
	}
	var mu sync.Mutex
	var all []block
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			var mine []block
			for i := range each {
				bytes := uint64(1)
				if i%100 == 0 {
					bytes = 40 * granule
				}
				slot, off, ok := c.from(g%2, bytes, 1)
				if !ok {
					t.Error("no room")
					return
				}
				mine = append(mine, block{slot, uint64(slot+1)<<40 + off, bytes})
			}
			mu.Lock()
			all = append(all, mine...)
			mu.Unlock()
		})
	}
	wg.Wait()
	disjoint(t, all)
	u := c.Usage()
	if u.Live != 6*each {
		t.Errorf("%+v", u)
	}
	if feature.Counters {
		if u.Allocs != 6*each {
			t.Errorf("%+v", u)
		}
	}
}

// TestOneStrip: of what several goroutines take from one strip at the same time, each has its own.
func TestOneStrip(t *testing.T) {
	for range 20 {
		s := &strip{size: maxStrip, mask: granule - 1}
		owned := make([]atomic.Bool, maxStrip/granule)
		var ready atomic.Int32
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for ready.Add(1); ready.Load() < 2; { // so that they begin together
					rt.Gosched()
				}
				for off, ok := s.alloc(1, 1); ok; off, ok = s.alloc(1, 1) {
					if owned[off/granule].Swap(true) {
						t.Errorf("the block at %d was handed out twice", off)
						return
					}
				}
			})
		}
		wg.Wait()
		if n, _ := blocks(s.word.Load()); n != maxStrip/granule {
			t.Errorf("%d blocks of %d", n, maxStrip/granule)
		}
	}
}

func disjoint(t *testing.T, all []block) {
	t.Helper()
	slices.SortFunc(all, func(a, b block) int { return cmp.Compare(a.at, b.at) })
	for i := range all[:max(len(all), 1)-1] {
		if all[i].at+all[i].bytes > all[i+1].at {
			t.Fatalf("%+v overlaps %+v", all[i], all[i+1])
		}
	}
}

// TestResetAmongOthers: of the blocks that were taken between two resets, none overlaps another, and what was handed out is counted also when it was on its way
// during a reset.
func TestResetAmongOthers(t *testing.T) {
	c := with(2)
	for i := range uint32(4) {
		c.Add(i, uint64(i+1)<<40, 1000*granule)
	}
	var era atomic.Uint64 // odd while a reset is under way
	var mu sync.Mutex
	taken := map[uint64][]block{}
	var blocks atomic.Uint64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			mine := map[uint64][]block{}
			for i := 0; !stop.Load(); i++ {
				before := era.Load()
				bytes := uint64(i%5*i%3+1) * granule
				slot, off, ok := c.from(g%2, bytes, 1)
				if !ok {
					continue
				}
				blocks.Add(1)
				if before%2 == 0 && era.Load() == before {
					mine[before] = append(mine[before], block{slot, uint64(slot+1)<<40 + off, bytes})
				}
			}
			mu.Lock()
			for at, list := range mine {
				taken[at] = append(taken[at], list...)
			}
			mu.Unlock()
		})
	}
	for range 40 {
		era.Add(1)
		c.Reset()
		era.Add(1)
		for n := blocks.Load(); blocks.Load() < n+50 && c.Usage().LargestFree > 0; {
			rt.Gosched()
		}
	}
	stop.Store(true)
	wg.Wait()
	for _, list := range taken {
		disjoint(t, list)
	}
	if feature.Counters {
		if n := c.Usage().Allocs; n != blocks.Load() {
			t.Errorf("%d blocks were counted, there were %d", n, blocks.Load())
		}
	}
}

// TestEvictAmongOthers: of the chunks that come and go while others take blocks, one with a block stays.
func TestEvictAmongOthers(t *testing.T) {
	c := with(2)
	var gone [3000]atomic.Bool
	var stop atomic.Bool
	var wg sync.WaitGroup
	var taken [3][]uint32
	for g := range taken {
		wg.Go(func() {
			for !stop.Load() {
				if slot, _, ok := c.from(g%2, granule, 1); ok {
					taken[g] = append(taken[g], slot)
				}
			}
		})
	}
	for slot := range uint32(len(gone)) {
		c.Add(slot, uint64(slot+1)<<30, 9*granule)
		rt.Gosched()
		gone[slot].Store(c.Evict(slot))
	}
	stop.Store(true)
	wg.Wait()
	for _, list := range taken {
		for _, slot := range list {
			if gone[slot].Load() {
				t.Fatalf("a block of chunk %d, which was removed", slot)
			}
		}
	}
}
