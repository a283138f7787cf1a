package shards

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// A pending block is free for nobody, and goes back or comes again.
func TestDefer(t *testing.T) {
	c, f := filled(1)
	slot, off, _ := c.AllocAny(64, 64)
	addr := f.at(slot, off)
	if v := c.Defer(addr, 64); v != poolimpl.Freed {
		t.Fatalf("defer: %d", v)
	}
	if v := c.Defer(addr, 64); v != poolimpl.Double {
		t.Errorf("pending twice: %d", v)
	}
	if v := c.Defer(1, 64); v != poolimpl.Foreign {
		t.Errorf("pending elsewhere: %d", v)
	}
	if c.Evict(slot) {
		t.Error("a chunk with a pending block goes")
	}
	if s, o := c.Reuse(addr, 64); s != slot || o != off {
		t.Errorf("reused in chunk %d at %d", s, o)
	}
	c.Defer(addr, 64)
	if _, v := c.Reclaim(addr, 64); v != poolimpl.Freed && v != poolimpl.Emptied {
		t.Errorf("retire: %d", v)
	}
	if u := c.Usage(); u.Live != 0 {
		t.Errorf("%+v", u)
	}
}
