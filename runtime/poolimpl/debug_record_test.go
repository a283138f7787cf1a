//go:build pooldebug

package poolimpl

import "testing"

// An allocation and its free make hardly any garbage: call stacks are kept once, and records are used again.
func TestPairsMakeLittleGarbage(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing, c.ChunkSize = 1, 100_000 })
	pair := func() {
		b, err := p.ready().Alloc(1, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Free(b.Addr, 10); err != nil {
			t.Fatal(err)
		}
	}
	for range 2*quarantineBlocks + maxRecentFrees {
		pair()
	}
	if n := testing.AllocsPerRun(1000, pair); n > 4 { // 3 with the race detector
		t.Errorf("%v allocations", n)
	}
}

// Of the blocks that became free at a place, the latest is remembered, as long as few others became free.
func TestRecentFrees(t *testing.T) {
	var f recentFrees
	for i := range uint64(2*maxRecentFrees + 7) {
		f.add(&blockRecord{blockLife: blockLife{place: i % 100, serial: i}})
		if b := f.at(i % 100); b == nil || b.serial != i {
			t.Fatalf("of number %d, %+v is remembered", i, b)
		}
	}
	f.add(&blockRecord{blockLife: blockLife{place: 1000}})
	for i := range uint64(maxRecentFrees) {
		if f.at(1000) == nil {
			t.Fatalf("forgotten after %d others", i)
		}
		f.add(&blockRecord{blockLife: blockLife{place: i % 100}})
	}
	if b := f.at(1000); b != nil {
		t.Errorf("%+v is still remembered", b)
	}
}
