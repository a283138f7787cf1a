package bump

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
)

// A mark is one of the package.
func TestMark(t *testing.T) {
	var c Core
	c.Set(&bump.Params{Granule: 16})
	c.Add(0, 1<<20, 1<<20)
	m := c.Mark()
	c.Alloc(1, 1)
	if !c.Release(m) || c.Usage().Live != 0 || c.Release(Mark{}) {
		t.Errorf("%+v", c.Usage())
	}
}
