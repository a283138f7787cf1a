package hostmem

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// block returns n items of a pool, as the engine allocated them.
func block(t *testing.T, e *poolimpl.Engine, n int) poolimpl.Block {
	t.Helper()
	e.Init(&poolimpl.Config{
		Name: "hostmem.Test", Core: &heap.Params{Granule: 16, MinSplit: 16}, Source: poolimpl.Host(), ChunkSize: 64 << 10, Granularity: 4096, Alignment: 64, Limit: poolrt.NoLimit,
		Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}}, Spacing: poolimpl.Spacing,
	}, new(heap.Core))
	b, err := e.Alloc(n, ItemSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A block is the same whether the engine returns it or the fast path finds it by its offset, and its address is the one that the core knows.
func TestPlacesAgree(t *testing.T) {
	var e poolimpl.Engine
	first, one, some := block(t, &e, 1), block(t, &e, 1), block(t, &e, 3)
	base := Addr(Of(first)) - first.Offset
	if r := Of(one); At(&e, 0, one.Offset) != r || Addr(r) != base+one.Offset || Place(r) != Addr(r)*poolimpl.Spacing {
		t.Errorf("block %p at offset %d of %#x: At %p, Addr %#x, Place %#x", r, one.Offset, base, At(&e, 0, one.Offset), Addr(r), Place(r))
	}
	s, at := SpanOf(some), SpanAt(&e, 0, some.Offset, 3)
	if &s[0] != &at[0] || SpanAddr(s) != base+some.Offset || SpanPlace(s) != SpanAddr(s)*poolimpl.Spacing || SpanBytes(s) != 3*ItemSize {
		t.Errorf("items %p at offset %d of %#x: SpanAt %p, SpanAddr %#x, SpanPlace %#x", s, some.Offset, base, at, SpanAddr(s), SpanPlace(s))
	}
	if len(s) != 3 || cap(s) != 3 || len(at) != 3 || cap(at) != 3 { // append must not write to the next block
		t.Errorf("3 items have length %d and %d, capacity %d and %d", len(s), len(at), cap(s), cap(at))
	}
}

// Zero clears its block and nothing beside it.
func TestZeroClearsOneBlock(t *testing.T) {
	row := make(Span, 6)
	for i := range row {
		row[i][0], row[i][ItemSize-1] = 1, 1
	}
	var e poolimpl.Engine
	block(t, &e, 1)
	Zero(&e, &row[1])
	ZeroSpan(&e, row[3:5])
	for i, item := range row {
		if cleared := i == 1 || i == 3 || i == 4; (item == Item{}) != cleared || !cleared && item[0]+item[ItemSize-1] != 2 {
			t.Errorf("item %d: cleared is %v", i, !cleared)
		}
	}
}
