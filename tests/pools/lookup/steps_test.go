package lookup

import (
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// single reports whether a pool has one chunk of its whole limit, as there is no range in this build.
func single() bool {
	build, _ := debug.ReadBuildInfo()
	return poolrt.Debug || slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Blocks with indexes and handles lie in one range, of which only the chunks that exist are reserved.
func TestSteps(t *testing.T) {
	t.Run("index", func(t *testing.T) { numbered(t, new(StepsPool), 1<<20/32, new([4]uint64)) })
	p, whole := must(NewStepsPool()), single()
	var handles []StepsHandle
	var blocks []*[4]uint64
	alloc := func() {
		t.Helper()
		h, b, err := p.AllocHandle()
		check(t, "alloc", err)
		handles, blocks = append(handles, h), append(blocks, b)
	}
	alloc()
	if n := p.Stats().Reserved; n != 64<<10 && !whole {
		t.Errorf("%d bytes are reserved for one block", n)
	}
	for range 1<<20/32 - 1 {
		alloc()
	}
	if _, _, err := p.AllocHandle(); err == nil {
		t.Error("more blocks than the limit allows")
	}
	for i, h := range handles {
		if b, ok := p.Get(h); !ok || b != blocks[i] || p.Index(b) != uint32(h)+1 || p.AtIndex(uint32(h)+1) != b {
			t.Fatalf("handle %#x leads to %p, %t; want %p, of index %d", uint64(h), b, ok, blocks[i], p.Index(blocks[i]))
		}
	}
	// Chunks go, the first one too, and come back.
	const low, high = 0, 9 * 2048
	for i, h := range handles {
		if n := uint32(h); low <= n && n < high {
			if i%2 == 0 {
				check(t, "free", p.FreeHandle(h))
			} else {
				check(t, "free", p.Free(blocks[i]))
			}
		}
	}
	if n, err := p.Trim(0); (n != (high-low)*32 || err != nil) && !whole {
		t.Errorf("Trim = %d, %v", n, err)
	}
	stale := func() {
		t.Helper()
		for i, h := range handles {
			n := uint32(h)
			if _, ok := p.Get(h); ok != (n < low || n >= high) {
				t.Fatalf("handle %#x fits: %t", uint64(h), ok)
			} else if ok {
				continue
			}
			refused(t, "stale handle", p.FreeHandle(h), poolrt.ErrDoubleFree)
			if _, err := p.Find(uintptr(unsafe.Pointer(blocks[i]))); err == nil {
				t.Fatalf("block %d is found", n)
			}
			if n%64 == 0 {
				refused(t, "dead block", p.Free(blocks[i]), poolrt.ErrInvalidFree)
			}
		}
	}
	stale()
	again := map[StepsHandle]bool{}
	for range high - low {
		h, b, err := p.AllocHandle()
		check(t, "alloc", err)
		if n := uint32(h); n < low || n >= high || again[h] || h>>32 != 2 || p.Index(b) != n+1 {
			t.Fatalf("handle %#x", uint64(h))
		}
		again[h] = true
	}
	for _, h := range handles {
		if n := uint32(h); low <= n && n < high {
			refused(t, "handle of the life before", p.FreeHandle(h), poolrt.ErrDoubleFree)
		}
	}
	check(t, "close", p.CloseForce())
	for _, h := range handles[:100] {
		if _, ok := p.Get(h); ok {
			t.Error("Get after CloseForce")
		}
	}
}

// The places of chunks lie further apart than chunks are long, if blocks do not divide those.
func TestLooseSteps(t *testing.T) {
	p := must(NewLooseStepsPool())
	seen := map[uint32]bool{}
	var handles []LooseStepsHandle
	for range 4 * (64 << 10 / 12) {
		h, b, err := p.AllocHandle()
		check(t, "alloc", err)
		if i := p.Index(b); seen[i] || p.AtIndex(i) != b || i != uint32(h)+1 {
			t.Fatalf("index %d of handle %#x", i, uint64(h))
		} else {
			seen[i] = true
		}
		b[0], b[2] = 1, 2
		handles = append(handles, h)
	}
	if n := p.Stats().Reserved; n != 256<<10 {
		t.Errorf("%d bytes are reserved", n)
	}
	for _, h := range handles {
		check(t, "free", p.FreeHandle(h))
	}
	check(t, "close", p.Close())
}
