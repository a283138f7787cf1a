package bydriver

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ interface {
	poolimpl.SharedCore
	poolimpl.StreamCore
} = new(Core)

// The core hands out nothing by itself, and knows no block that it was not given.
func TestNoBlocks(t *testing.T) {
	var c Core
	if _, _, ok := c.Alloc(1000, 1); ok {
		t.Error("a block without a driver")
	}
	if _, v := c.Free(4096, 1000); v != poolimpl.Foreign {
		t.Errorf("a free of nothing: verdict %v", v)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("%+v", u)
	}
	if !c.Shut(false) {
		t.Error("a table without blocks does not shut")
	}
}
