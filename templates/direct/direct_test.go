package direct

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/direct"
)

// The core has the methods of the package.
func TestCore(t *testing.T) {
	var c Core
	c.Set(&direct.Params{})
	c.Add(0, 1<<20, 1<<10)
	if _, off, ok := c.Alloc(100, 1); !ok || off != 0 {
		t.Fatalf("Alloc = %d, %v", off, ok)
	}
	if _, v := c.Free(1<<20, 100); v != poolimpl.Emptied {
		t.Errorf("Free = %d", v)
	}
}
