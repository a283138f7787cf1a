//go:build pooldebug

package poolimpl

import "testing"

// The blocks of a batch have one call, which is found once: to find it takes longer than all the rest.
func TestBatchIsOneCall(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing = 1 })
	list, err := p.batch(3, func([]uint64) int { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	blocks := p.observed.debug.blocks
	first := blocks[list[0]]
	if err := FreeEach(p.ready(), list, 10, func(addr uint64) uint64 { return addr }); err != nil {
		t.Fatal(err)
	}
	for _, addr := range list {
		b := blocks[addr]
		if b.state != blockHeld || b.allocatedAt.time != first.allocatedAt.time || b.freedAt.time != first.freedAt.time {
			t.Errorf("block %d: state %d, allocated at %v, freed at %v; the first %v, %v", addr, b.state, b.allocatedAt.time, b.freedAt.time, first.allocatedAt.time, first.freedAt.time)
		}
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}
