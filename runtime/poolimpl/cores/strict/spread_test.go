package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SpreadingCore = (*Core)(nil)

// needStreams skips a test where streams have no hints.
func needStreams(t *testing.T) {
	t.Helper()
	if !feature.AllocsOn {
		t.Skip("streams have no hints")
	}
}

// rowOf returns the chunk and the row of a block.
func (c *Core) rowOf(slot uint32, off uint64) [2]uint64 {
	return [2]uint64{uint64(slot), off / blockSize / perWord / Row}
}

// One goroutine allocates the first blocks of several streams: they lie in different rows, although the processor is the same. Later blocks of a stream lie in
// its row.
func TestStreamsSpread(t *testing.T) {
	needStreams(t)
	const streams = 40
	for _, first := range []uint64{0, 1, 7, 1 << 20, 1<<63 + 5} {
		c := newCore()
		c.Add(0, 0, 256*Row*perWord*blockSize)
		rows := map[[2]uint64]uint64{}
		for range min(Row*perWord, 32) {
			for s := first; s < first+min(streams, MaxProcessors); s++ {
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
		if len(rows) != min(streams, MaxProcessors) {
			t.Errorf("from stream %d on, %d streams have %d rows", first, min(streams, MaxProcessors), len(rows))
		}
		c.check(t)
	}
}

// Streams find each block of each chunk, and none twice. So do they when blocks are rare.
func TestStreamsFindAll(t *testing.T) {
	needStreams(t)
	each := 3*Row*perWord + 5
	c := newCore()
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
	needStreams(t)
	c := newCore()
	c.Add(0, 0, 4*Row*perWord*blockSize)
	_, off, _ := c.AllocOn(3, itemBytes)
	c.Free(off, itemBytes)
	if !c.Evict(0) {
		t.Fatal("the chunk is not evicted")
	}
	for i := range c.streams {
		if c.streams[i].Chunk.Load() != nil {
			t.Errorf("hint %d points at a chunk that is gone", i)
		}
	}
	if slot, off, ok := c.AllocOn(3, itemBytes); ok {
		t.Errorf("AllocOn = %d, %d without a chunk", slot, off)
	}
}
