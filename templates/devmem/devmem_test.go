package devmem

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// numbered is a source of addresses that have no memory.
type numbered struct{}

const base = 1 << 40 // address of the chunk

func (numbered) Alloc(size, _ int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{Addr: base, Size: size}, nil
}
func (numbered) Free(poolimpl.Chunk) error { return nil }

// block returns n items of a pool, as the engine allocated them.
func block(t *testing.T, e *poolimpl.Engine, n int) poolimpl.Block {
	t.Helper()
	e.Init(&poolimpl.Config{
		Name: "devmem.Test", Core: &heap.Params{Granule: 16, MinSplit: 16}, Source: numbered{}, ChunkSize: 1 << 20, Granularity: 4096, Alignment: 64, Limit: poolrt.NoLimit,
		Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}}, Spacing: Spacing,
	}, new(heap.Core))
	b, err := e.Alloc(n, ItemSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A block is the same whether the engine returns it or the fast path finds it by its offset. In debug builds the address on the device is [Spacing] times the
// one that the core knows.
func TestPlacesAgree(t *testing.T) {
	var e poolimpl.Engine
	_, one, some := block(t, &e, 1), block(t, &e, 1), block(t, &e, 3)
	want := base + one.Offset*Spacing
	if p := Of(one); At(&e, 0, one.Offset) != p || Place(p) != want || Addr(p) != want/Spacing || uint64(p.Addr()) != want {
		t.Errorf("block %#x at offset %d: At %#x, Addr %#x, Place %#x", p, one.Offset, At(&e, 0, one.Offset), Addr(p), Place(p))
	}
	want = base + some.Offset*Spacing
	if s := SpanOf(some); SpanAt(&e, 0, some.Offset, 3) != s || SpanPlace(s) != want || SpanAddr(s) != want/Spacing || uint64(s.Addr()) != want ||
		s.Len() != 3 || SpanBytes(s) != 3*ItemSize || s.Bytes() != int64(3*ItemSize) {
		t.Errorf("items %+v at offset %d: SpanAt %+v, SpanAddr %#x, SpanPlace %#x", s, some.Offset, SpanAt(&e, 0, some.Offset, 3), SpanAddr(s), SpanPlace(s))
	}
}
