package runtime

import "testing"

// TestPlaces: who has looked up the table of places before a slot was used again still finds there what was in it then.
func TestPlaces(t *testing.T) {
	var p places
	const count = 100
	for i := range uint32(count) {
		p.publish(i, Chunk{Addr: uint64(i)})
	}
	before := p.first.Load()
	p.publish(0, Chunk{Addr: 1000, Origin: 7})
	p.publish(count, Chunk{Addr: count})
	if before.addr != 0 || p.at(0).addr != 1000 || p.at(0).origin != 7 {
		t.Errorf("slot 0 is at %d for who looked before, and at %d now", before.addr, p.at(0).addr)
	}
	for i := uint32(1); i <= count; i++ {
		if p.at(i).addr != uint64(i) {
			t.Errorf("slot %d is at %d", i, p.at(i).addr)
		}
	}
	table := p.first.Load()
	p.publish(5, Chunk{Addr: 5})
	if p.first.Load() != table {
		t.Error("a chunk that came to where it was made another table")
	}
}
