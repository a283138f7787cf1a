package strips

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strips"
)

// The core has the methods of the package.
func TestCore(t *testing.T) {
	var c Core
	c.Set(&strips.Params{Params: bump.Params{Granule: 16}})
	c.Add(0, 1<<20, 1<<10)
	if _, off, ok := c.Alloc(100, 1); !ok || off != 0 {
		t.Fatalf("Alloc = %d, %v", off, ok)
	}
	if c.Reset(); c.Usage().Live != 0 {
		t.Errorf("%+v", c.Usage())
	}
}
