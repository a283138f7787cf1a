package binned

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/binned"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// Slabs that stand in front of this, in another package, split its blocks, and ask for what lies around them.
func TestOfOthers(t *testing.T) {
	var c Core
	c.Set(&binned.Params{Params: heap.Params{Granule: 16, MinSplit: 16}, Bins: []uint64{16}})
	c.Add(0, 1<<20, 1<<12)
	c.Alloc(256, 1)
	c.Break(1<<20, 64, 4, func(k uint64) bool { return k == 1 })
	if before, room, behind := c.Around(1<<20 + 64); before != 64 || room != 64 || behind != 1<<12-128 || c.ClassAt(1<<20+64) != 0 {
		t.Errorf("Around = %d, %d, %d", before, room, behind)
	}
}
