package heap

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// Suballocators that stand in front of a heap, in other packages, split its blocks, and ask for what lies around them.
func TestOfOthers(t *testing.T) {
	var c Core
	c.Set(&heap.Params{Granule: 16, MinSplit: 16})
	c.Add(0, 1<<20, 1<<12)
	if _, off, ok := c.Alloc(256, 1); !ok || off != 0 {
		t.Fatalf("Alloc = %d, %v", off, ok)
	}
	if before, room, behind := c.Around(1 << 20); before != 0 || room != 256 || behind != 1<<12-256 {
		t.Errorf("Around = %d, %d, %d", before, room, behind)
	}
	c.Break(1<<20, 64, 4, func(k uint64) bool { return k == 1 })
	if before, room, behind := c.Around(1<<20 + 64); before != 64 || room != 64 || behind != 1<<12-128 {
		t.Errorf("of what is left, Around = %d, %d, %d", before, room, behind)
	}
	if class := c.ClassAt(1<<20 + 64); class != 0 {
		t.Errorf("ClassAt = %d", class)
	}
}
