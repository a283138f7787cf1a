package ring

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/ring"
)

// The core has the methods of the package.
func TestCore(t *testing.T) {
	var c Core
	c.Set(&ring.Params{Granule: 16, ArenaSize: 1 << 10})
	c.Add(0, 1<<20, 1<<10)
	if _, off, ok := c.Alloc(100, 1); !ok || off != 0 {
		t.Fatalf("Alloc = %d, %v", off, ok)
	}
	if _, v := c.Free(1<<20, 100); v != poolimpl.Freed {
		t.Errorf("Free = %d", v)
	}
}
