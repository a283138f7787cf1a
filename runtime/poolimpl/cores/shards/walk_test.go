package shards

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// The shard of each chunk shows what is there, also while others are at work.
func TestWalk(t *testing.T) {
	c, f := filled(4)
	blocks := map[uint32]map[uint64]coretest.Block{}
	r := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		bytes := 64 * (1 + r.Uint64N(30))
		slot, off, ok := c.AllocAny(bytes, 64)
		if !ok {
			break
		}
		if r.IntN(3) == 0 {
			c.Free(f.at(slot, off), bytes)
			continue
		}
		if blocks[slot] == nil {
			blocks[slot] = map[uint64]coretest.Block{}
		}
		blocks[slot][off] = coretest.Block{Asked: bytes}
	}
	for slot := range uint32(4) {
		coretest.Walk(t, c, slot, chunkBytes, blocks[slot])
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 2000 {
				if slot, off, ok := c.AllocAny(100, 1); ok {
					c.Free(f.at(slot, off), 100)
				}
			}
		})
	}
	for range 50 {
		for slot := range uint32(4) {
			n := 0
			for _, p := range poolimpl.Survey(c, slot, chunkBytes, 5) {
				if b, known := blocks[slot][p.Off]; known && p.Asked == b.Asked {
					n++
				}
			}
			if n != len(blocks[slot]) {
				t.Errorf("chunk %d: %d of %d blocks", slot, n, len(blocks[slot]))
			}
		}
	}
	all.Wait()
}
