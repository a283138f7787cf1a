package shards

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Reset frees the live blocks of all shards.
func TestReset(t *testing.T) {
	c, f := filled(4)
	c.Reset()
	type block struct{ addr, bytes uint64 }
	var live []block
	for n := uint64(64); ; n = n%4096 + 64 {
		slot, off, ok := c.AllocAny(n, 64)
		if !ok {
			break
		}
		live = append(live, block{f.at(slot, off), n})
	}
	c.Reset()
	if u := c.Usage(); u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 || u.Cached != 0 {
		t.Errorf("%+v", u)
	}
	for _, b := range live {
		if _, v := c.Free(b.addr, b.bytes); v != poolimpl.Double && v != poolimpl.Foreign {
			t.Errorf("free of %+v after Reset: %d", b, v)
		}
	}
	for slot := range uint32(4) {
		if !c.Evict(slot) {
			t.Errorf("chunk %d stays", slot)
		}
	}
}
