package slabs

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// After Reset nothing is live, frees of earlier blocks are refused, and each chunk serves a block of its size.
func TestReset(t *testing.T) {
	p := newPool(3)
	r := rand.New(rand.NewPCG(5, 6))
	type block struct{ addr, bytes uint64 }
	var allocs uint64
	for turn := range 4 {
		var live []block
		for { // until the chunks are full, so that slabs dissolve
			b := block{bytes: size(r)}
			var ok bool
			if b.addr, ok = p.alloc(b.bytes, 1); !ok {
				break
			}
			live = append(live, b)
			allocs++
		}
		for i := 0; i < len(live); i += 3 {
			if _, v := p.Free(live[i].addr, live[i].bytes); v != poolimpl.Freed && v != poolimpl.Emptied {
				t.Fatalf("turn %d: free of %+v: %d", turn, live[i], v)
			}
		}
		p.alloc(64<<10+1, 1) // has slabs dissolved, if there is no room otherwise
		allocs = p.Usage().Allocs
		p.Reset()
		u := p.Usage()
		if u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 || u.Cached != 0 || feature.Counters && u.Allocs != allocs {
			t.Fatalf("turn %d: %+v, and there were %d allocations", turn, u, allocs)
		}
		if room(p.room.Load()) == full {
			t.Errorf("turn %d: there is no room for slabs", turn)
		}
		for _, b := range live {
			if _, v := p.Free(b.addr, b.bytes); v != poolimpl.Double && v != poolimpl.Foreign {
				t.Fatalf("turn %d: free of %+v after Reset: %d", turn, b, v)
			}
		}
		for range p.bases {
			if _, ok := p.alloc(chunkSize, 1); !ok {
				t.Fatalf("turn %d: a chunk is not one range", turn)
			}
		}
		p.Reset()
	}
	for slot := range p.bases {
		if !p.Evict(slot) {
			t.Errorf("chunk %d stays", slot)
		}
	}
}

// Goroutines allocate and free while the pool is reset. Afterwards it is whole.
func TestResetAmongOthers(t *testing.T) {
	p := newPool(2)
	var others sync.WaitGroup
	stop := make(chan struct{})
	for g := range uint64(4) {
		others.Go(func() {
			r := rand.New(rand.NewPCG(g, 8))
			type block struct{ addr, bytes uint64 }
			var held []block
			for {
				select {
				case <-stop:
					return
				default:
				}
				b := block{bytes: size(r)}
				var ok bool
				if b.addr, ok = p.alloc(b.bytes, 1); ok {
					held = append(held, b)
				}
				if len(held) > 100 || !ok && len(held) > 0 {
					p.Free(held[0].addr, held[0].bytes) // refused if Reset came first
					held = held[1:]
				}
			}
		})
	}
	for range 200 {
		p.Reset()
		p.Usage()
	}
	close(stop)
	others.Wait()
	p.Reset()
	if u := p.Usage(); u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 {
		t.Errorf("%+v", u)
	}
	for slot := range p.bases {
		if !p.Evict(slot) {
			t.Errorf("chunk %d stays", slot)
		}
	}
}
