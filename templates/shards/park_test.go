package shards

import (
	"testing"

	"github.com/poolgen/poolgen/runtime"
)

var _ runtime.ParkingCore = (*Core)(nil)

// A parked block is free for nobody, and goes back or comes again.
func TestPark(t *testing.T) {
	c, f := filled(1)
	slot, off, _ := c.Search(64, 64)
	addr := f.at(slot, off)
	if v := c.Park(addr, 64); v != runtime.Freed {
		t.Fatalf("park: %d", v)
	}
	if v := c.Park(addr, 64); v != runtime.Double {
		t.Errorf("parked twice: %d", v)
	}
	if v := c.Park(1, 64); v != runtime.Foreign {
		t.Errorf("parked elsewhere: %d", v)
	}
	if c.Evict(slot) {
		t.Error("a chunk with a parked block goes")
	}
	if s, o := c.Unpark(addr, 64); s != slot || o != off {
		t.Errorf("unparked in chunk %d at %d", s, o)
	}
	c.Park(addr, 64)
	if _, v := c.Retire(addr, 64); v != runtime.Freed && v != runtime.Emptied {
		t.Errorf("retire: %d", v)
	}
	if u := c.Usage(); u.Live != 0 {
		t.Errorf("%+v", u)
	}
}
