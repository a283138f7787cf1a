package shards

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
)

// The suballocators of the processors have the parameters of the configuration.
func TestBehind(t *testing.T) {
	var c Core
	c.Set(&shards.Params{Behind: &classes.Params{Params: heap.Params{Granule: 16, MinSplit: 16}, Bins: []uint64{256}}})
	c.Add(0, 1<<20, 1<<12)
	if _, _, ok := c.AllocAny(200, 1); !ok || c.ClassAt(1<<20) != 256 {
		t.Fatalf("Alloc = %v", ok)
	}
	if _, v := c.Free(1<<20, 200); v != poolimpl.Freed {
		t.Errorf("Free = %d", v)
	}
}
