package coretest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Pages fails the test unless the blocks of a new core lie where memory has come, apart from each other, and once all are free and nothing is kept, each page may
// go. check looks at what the core keeps.
func Pages(t *testing.T, c poolimpl.PagedCore, r *rand.Rand, check func()) {
	t.Helper()
	const page, base = 1 << 16, 5 << 16
	all := poolimpl.Extent{Addr: base, Size: 64 * page}
	c.Reserve(0, base, all.Size, page)
	var live []poolimpl.Extent
	alloc := func(bytes uint64) bool {
		_, off, ok := c.Alloc(bytes, 1)
		if !ok && c.Flush() {
			_, off, ok = c.Alloc(bytes, 1)
		}
		if !ok {
			for _, x := range c.Holes(c.Gap(bytes, 1, poolimpl.LeastMemory)) {
				c.Fill(x)
			}
			if _, off, ok = c.Alloc(bytes, 1); !ok {
				return false
			}
		}
		b := poolimpl.Extent{Addr: base + off, Size: bytes}
		if h := c.Holes(poolimpl.Extent{Addr: b.Addr &^ (page - 1), Size: (b.Addr&(page-1) + bytes + page - 1) &^ (page - 1)}); len(h) > 0 {
			t.Fatalf("block %+v lies on holes %+v", b, h)
		}
		if k := slices.IndexFunc(live, func(x poolimpl.Extent) bool { return x.Addr < b.Addr+b.Size && b.Addr < x.Addr+x.Size }); k >= 0 {
			t.Fatalf("block %+v lies on %+v", b, live[k])
		}
		live = append(live, b)
		return true
	}
	free := func(k int) {
		b := live[k]
		live = slices.Delete(live, k, k+1)
		if _, v := c.Free(b.Addr, b.Size); v != poolimpl.Freed && v != poolimpl.Emptied {
			t.Fatalf("free of %+v: %d", b, v)
		}
	}
	refused := 0
	for range 4000 {
		switch k := r.IntN(20); {
		case k < 11:
			if !alloc(1 + r.Uint64N([]uint64{300, 5000, 3 * page}[r.IntN(3)])) {
				refused++
			}
		case k < 19 && len(live) > 0:
			free(r.IntN(len(live)))
		default:
			c.Vacate(c.FreePages())
		}
	}
	check()
	if refused == 0 {
		t.Error("never full")
	}
	for len(live) > 0 {
		free(len(live) - 1)
	}
	c.Flush()
	check()
	c.Vacate(c.FreePages())
	if h := c.Holes(all); len(h) != 1 || h[0] != all {
		t.Errorf("holes %+v are left of %+v", h, all)
	}
}
