package lookup

import "testing"

// indexed is a pool whose blocks have indexes.
type indexed[B comparable] interface {
	Alloc() (B, error)
	Free(B) error
	Index(B) uint32
	AtIndex(uint32) B
	Close() error
}

// numbered checks the indexes of all blocks of a pool. foreign is no block of the pool.
func numbered[B comparable](t *testing.T, p indexed[B], count int, foreign B) {
	t.Helper()
	var none B
	if p.AtIndex(0) != none || p.AtIndex(1) != none || p.Index(none) != 0 || p.Index(foreign) != 0 {
		t.Error("an unused pool has blocks")
	}
	blocks := map[uint32]B{}
	for range count {
		b, err := p.Alloc()
		check(t, "alloc", err)
		i := p.Index(b)
		if _, known := blocks[i]; known || i == 0 || i > uint32(count) {
			t.Fatalf("block %v has index %d", b, i)
		}
		blocks[i] = b
	}
	for i, b := range blocks {
		if at := p.AtIndex(i); at != b {
			t.Fatalf("index %d leads to %v, want %v", i, at, b)
		}
	}
	for _, i := range []uint32{0, uint32(count) + 1, 1 << 31, ^uint32(0)} {
		if b := p.AtIndex(i); b != none {
			t.Errorf("index %d leads to %v", i, b)
		}
	}
	if p.Index(foreign) != 0 {
		t.Error("a foreign block has an index")
	}
	for i, b := range blocks {
		check(t, "free", p.Free(b))
		if p.Index(b) != i {
			t.Errorf("index %d changes when its block is freed", i)
		}
	}
	check(t, "close", p.Close())
	if p.AtIndex(1) != none {
		t.Error("a closed pool has blocks")
	}
}

func TestIndex(t *testing.T) {
	t.Run("mutex", func(t *testing.T) { numbered(t, new(LinkPool), 1<<20/32, new([4]uint64)) })
	t.Run("none", func(t *testing.T) { numbered(t, new(LooseLinkPool), 64<<10/12, new([3]uint32)) })
	t.Run("sharded", func(t *testing.T) { numbered(t, new(StrictLinkPool), 64<<10/5, new([5]byte)) })
}
