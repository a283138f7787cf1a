package slabs

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SearchedCore = (*Core)(nil)

// If a search finds no block, there is none, and its counts are those of a look at all blocks.
func TestSearch(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		p := newSmall()
		type block struct{ addr, bytes uint64 }
		var live []block
		failures, spent := 0, 0
		for step := range 4000 {
			n := 1 + r.Uint64N(1<<(4+r.IntN(12)))
			slot, off, ok := p.Alloc(n, 1)
			if !ok {
				wasSpent := p.isSpent()
				var u poolimpl.Usage
				if r.IntN(10) == 0 {
					p.setRoom(roomy)
					wasSpent = false
				}
				if slot, off, u, ok = p.AllocOrCount(n, 1); !ok {
					failures++
					if wasSpent {
						spent++
					}
					if want := p.counted(); u != want {
						t.Fatalf("seed %d, step %d: %+v\nwant %+v", seed, step, u, want)
					}
					if _, ok := p.force(n); ok {
						t.Fatalf("seed %d, step %d: a search for %d bytes has missed a block", seed, step, n)
					}
				}
			}
			if ok {
				live = append(live, block{p.bases[slot] + off, n})
			}
			for drops := r.IntN(2); len(live) > 0 && (!ok && drops > 0 || r.IntN(20) == 0); drops-- {
				k := r.IntN(len(live))
				p.free(t, live[k].addr, live[k].bytes)
				live[k] = live[len(live)-1]
				live = live[:len(live)-1]
			}
			if r.IntN(1500) == 0 {
				p.Reset()
				live = nil
			}
		}
		if failures < 100 || spent == 0 {
			t.Errorf("seed %d: %d failures, %d of them without a look at slabs", seed, failures, spent)
		}
	}
}

// When slabs can help no request, a search leaves them alone, until any block of one is free.
func TestSpent(t *testing.T) {
	p := newSmall()
	all := p.fill(bins[0])
	p.inSlab(t, all)
	for i, a := range all {
		if s := p.find(a); s == nil || s.phase != serving || testing.Short() && i%8 != 0 {
			continue
		}
		if _, _, _, ok := p.AllocOrCount(bins[0], 1); ok || !p.isSpent() {
			t.Fatalf("a block of a full pool, or slabs are not spent: %v", ok)
		}
		p.free(t, a, bins[0])
		if p.isSpent() {
			t.Fatal("slabs are spent though a block is free")
		}
		if slot, off, _, ok := p.AllocOrCount(bins[0], 1); !ok || p.bases[slot]+off != a {
			t.Fatalf("a block is free, but the search gives %#x, %v", off, ok)
		}
	}
	p.AllocOrCount(bins[0], 1)
	p.Add(1, base+100*chunkSize, chunkSize)
	if p.isSpent() {
		t.Error("slabs are spent though there is room for new ones")
	}
}

// A search finds memory that was in slabs of another bin, also if the suballocator behind caches what they give back.
func TestSearchTakesWhatSlabsGiveBack(t *testing.T) {
	p := newSmall()
	for _, a := range p.fill(bins[0]) {
		p.free(t, a, bins[0])
	}
	last := bins[p.usable.Load()-1]
	if _, _, _, ok := p.AllocOrCount(2*last, 1); !ok {
		t.Errorf("no block of %d bytes, and no block is live", 2*last)
	}
}

// Searches among goroutines that free and dissolve give each block once, and count no more than all blocks.
func TestSearchAmongOthers(t *testing.T) {
	p := newSmall()
	p.fill(bins[0])
	p.Reset()
	var owners sync.Map
	var all sync.WaitGroup
	const most = 1 << 20 // blocks, more than the chunk has room for
	for id := range uint64(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(id, 6))
			type block struct{ addr, bytes uint64 }
			var live []block
			drop := func() {
				k := r.IntN(len(live))
				owners.Delete(live[k].addr)
				if _, v := p.Free(live[k].addr, live[k].bytes); v > poolimpl.Emptied {
					t.Errorf("free: %d", v)
				}
				live[k] = live[len(live)-1]
				live = live[:len(live)-1]
			}
			for range 3000 {
				n := 1 + r.Uint64N(1<<(4+r.IntN(9)))
				slot, off, ok := p.Alloc(n, 1)
				if !ok {
					var u poolimpl.Usage
					if slot, off, u, ok = p.AllocOrCount(n, 1); !ok && (u.Live > most || u.LiveBytes > chunkSize || u.Cached > chunkSize) {
						t.Errorf("counts of a search: %+v", u)
					}
				}
				if ok {
					live = append(live, block{p.bases[slot] + off, n})
					if _, taken := owners.LoadOrStore(p.bases[slot]+off, id); taken {
						t.Error("a block has two owners")
					}
				} else if len(live) > 0 {
					drop()
				}
			}
			for len(live) > 0 {
				drop()
			}
		})
	}
	all.Wait()
	p.empty(t)
}
