package strict

import (
	"math/rand/v2"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	blocks := map[uint32]map[uint64]coretest.Block{}
	for slot := range m.chunks {
		blocks[slot] = map[uint64]coretest.Block{}
	}
	for addr, slot := range m.live {
		blocks[slot][addr-m.chunks[slot].base] = coretest.Block{Asked: itemBytes}
	}
	cached := uint64(0)
	for slot, s := range m.chunks {
		sums := coretest.Walk(m.t, m.c, slot, s.size, blocks[slot])
		cached += sums[poolrt.PieceCached]
		if sums[poolrt.PieceWaste] != s.size%blockSize {
			m.t.Fatalf("chunk %d of %d: %v", slot, s.size, sums)
		}
	}
	if want := m.c.Usage().Cached; cached != want {
		m.t.Fatalf("%d bytes cached, want %d", cached, want)
	}
}

// A block that is live all the time is shown as such, whatever happens to those around it.
func TestWalkWhileOthersWork(t *testing.T) {
	count := 40 * perWord
	c := newCore()
	c.Add(0, 0, count*blockSize)
	stays := map[uint64]bool{}
	for range count / 4 {
		_, off, _ := c.AllocAny(itemBytes, 1)
		stays[off] = true
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	for id := range 3 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 7))
			var held []uint64
			for range 20_000 {
				if r.IntN(2) == 0 && uint64(len(held)) < count/5 {
					if _, off, ok := c.AllocAny(itemBytes, 1); ok {
						held = append(held, off)
					}
				} else if n := len(held); n > 0 {
					c.Free(held[n-1], itemBytes)
					held = held[:n-1]
				}
			}
			for _, off := range held {
				c.Free(off, itemBytes)
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
		for _, p := range poolimpl.Survey(c, 0, count*blockSize, 10) {
			if p.Off != at {
				t.Fatalf("%+v at %d", p, at)
			}
			at += p.Size
			if p.State == poolrt.PieceLive && stays[p.Off] {
				n++
			}
		}
		if n != len(stays) || at != count*blockSize {
			t.Fatalf("%d of %d blocks, up to %d", n, len(stays), at)
		}
	}
}
