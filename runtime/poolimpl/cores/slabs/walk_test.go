package slabs

import (
	"math/rand/v2"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// checkWalk compares what is shown of the chunks, of so many bytes each, with what is live: addresses, and what was asked for.
func (p *pool) checkWalk(t *testing.T, size uint64, live map[uint64]uint64) {
	t.Helper()
	for slot, base := range p.bases {
		blocks := map[uint64]coretest.Block{}
		for addr, bytes := range live {
			if addr-base < size {
				blocks[addr-base] = coretest.Block{Asked: bytes}
			}
		}
		coretest.Walk(t, &p.Core, slot, size, blocks)
	}
}

// Blocks are shown as they are, in slabs, in dissolved slabs, and behind.
func TestWalk(t *testing.T) {
	dissolved := 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := newSmall()
		live := map[uint64]uint64{}
		for range 60 {
			for range r.IntN(200) {
				n := 1 + r.Uint64N(1<<(4+r.IntN(13)))
				a, ok := p.force(n)
				if !ok {
					break
				}
				live[a] = n
			}
			p.checkWalk(t, smallChunk, live)
			for a, n := range live {
				if r.IntN(3) == 0 {
					p.free(t, a, n)
					delete(live, a)
				}
			}
			dissolved += len(p.dissolved)
			p.checkWalk(t, smallChunk, live)
		}
	}
	if dissolved == 0 {
		t.Error("no slab was dissolved")
	}
}

// A block that begins on the last page of a slab, behind it, is not taken for one of the slab.
func TestWalkBehindSlab(t *testing.T) {
	for _, size := range bins {
		p := newSmall()
		a, _ := p.force(size)
		b, _ := p.force(100_000)
		if s := p.find(a); s != nil && s.taken == s.room && s.room%page != 0 && p.find(b) != s {
			t.Errorf("%d: %#x does not lie on the last page of the slab at %#x", size, b, s.addr)
		}
		p.checkWalk(t, smallChunk, map[uint64]uint64{a: size, b: 100_000})
	}
}

// A block that is live all the time is shown as such, whatever happens to those around it.
func TestWalkWhileOthersWork(t *testing.T) {
	p := newSmall()
	stays := map[uint64]uint64{}
	r := rand.New(rand.NewPCG(3, 9))
	for range 300 {
		n := 1 + r.Uint64N(1<<(4+r.IntN(8)))
		a, _ := p.force(n)
		stays[a-base] = n
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	for id := range 3 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 8))
			type block struct{ addr, bytes uint64 }
			var held []block
			for range 4_000 {
				if r.IntN(2) == 0 || len(held) == 0 {
					n := 1 + r.Uint64N(1<<(4+r.IntN(12)))
					if a, ok := p.alloc(n, 1); ok {
						held = append(held, block{a, n})
						continue
					}
				}
				for k := len(held); k > 0 && k > len(held)-3; k-- {
					b := held[len(held)-1]
					held = held[:len(held)-1]
					p.Free(b.addr, b.bytes)
				}
			}
			for _, b := range held {
				p.Free(b.addr, b.bytes)
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		at, n := uint64(0), 0
		for _, piece := range poolimpl.Survey(&p.Core, 0, smallChunk, 50) {
			if piece.Off != at {
				t.Fatalf("%+v at %d", piece, at)
			}
			at += piece.Size
			if asked, known := stays[piece.Off]; known && piece.State == poolrt.PieceLive && asked == piece.Asked {
				n++
			}
		}
		if n != len(stays) || at != smallChunk {
			t.Fatalf("%d of %d blocks, up to %d", n, len(stays), at)
		}
	}
}
