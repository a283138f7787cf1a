package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

var _ poolimpl.SpreadingCore = (*Core)(nil)

// rowOf returns the chunk and the row of a block.
func (c *Core) rowOf(slot uint32, off uint64) [2]uint64 {
	return [2]uint64{uint64(slot), off / blockSize / perWord / strict.Row}
}

// One goroutine allocates the first blocks of several streams: they lie in different rows, although the processor is the same. Later blocks of a stream lie in
// its row.
func TestStreamsSpread(t *testing.T) {
	const streams = 40
	for _, first := range []uint64{0, 1, 7, 1 << 20, 1<<63 + 5} {
		var c Core
		c.Add(0, 0, 256*strict.Row*perWord*blockSize)
		rows := map[[2]uint64]uint64{}
		for range min(strict.Row*perWord, 32) {
			for s := first; s < first+min(streams, maxHints); s++ {
				slot, off, ok := c.AllocOn(s, itemBytes)
				if !ok {
					t.Fatalf("no block for stream %d", s)
				}
				at := c.rowOf(slot, off)
				if other, ok := rows[at]; ok && other != s {
					t.Fatalf("row %d of chunk %d has blocks of streams %d and %d", at[1], at[0], other, s)
				}
				rows[at] = s
			}
		}
		if len(rows) != min(streams, maxHints) {
			t.Errorf("from stream %d on, %d streams have %d rows", first, min(streams, maxHints), len(rows))
		}
		c.check(t)
	}
}

// Streams find each block of each chunk, and none twice. So do they when blocks are rare.
func TestStreamsFindAll(t *testing.T) {
	const each = 3*strict.Row*perWord + 5
	var c Core
	live := map[[2]uint64]bool{}
	for slot := range uint32(3) {
		c.Add(slot, uint64(slot)<<40, each*blockSize)
	}
	take := func(s uint64) {
		t.Helper()
		slot, off, ok := c.AllocOn(s, itemBytes)
		if !ok || off%blockSize != 0 || live[[2]uint64{uint64(slot), off}] {
			t.Fatalf("AllocOn(%d) = %d, %d, %t with %d live", s, slot, off, ok, len(live))
		}
		live[[2]uint64{uint64(slot), off}] = true
	}
	for i := range uint64(3 * each) {
		take(i % 5)
	}
	if slot, off, ok := c.AllocOn(2, itemBytes); ok {
		t.Fatalf("AllocOn = %d, %d with all blocks live", slot, off)
	}
	c.check(t)
	for at := range live {
		c.Free(at[0]<<40+at[1], itemBytes)
		delete(live, at)
		take(at[1])
	}
	c.check(t)
}

// A chunk that was removed has no hint left.
func TestRemovedChunkHasNoHint(t *testing.T) {
	if !feature.AllocsOn {
		t.Skip("streams have no hints")
	}
	var c Core
	c.Add(0, 0, 4*strict.Row*perWord*blockSize)
	_, off, _ := c.AllocOn(3, itemBytes)
	c.Free(off, itemBytes)
	if !c.Evict(0) {
		t.Fatal("the chunk is not evicted")
	}
	for i := range c.streamHints {
		if c.streamHints[i].chunk.Load() != nil {
			t.Errorf("hint %d points at a chunk that is gone", i)
		}
	}
	if slot, off, ok := c.AllocOn(3, itemBytes); ok {
		t.Errorf("AllocOn = %d, %d without a chunk", slot, off)
	}
}
