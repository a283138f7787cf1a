package tilemem

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// physical is a source of numbered bytes in one physical memory.
type physical struct{}

const (
	base   = 1 << 40 // number of the first byte of the chunk
	handle = 77      // the driver's, of the memory
)

func (physical) Alloc(size, _ int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{Addr: base, Size: size, Origin: handle}, nil
}
func (physical) Free(poolimpl.Chunk) error { return nil }

// block returns n items of a pool, as the engine allocated them.
func block(t *testing.T, e *poolimpl.Engine, n int) poolimpl.Block {
	t.Helper()
	e.Init(&poolimpl.Config{
		Name: "tilemem.Test", Core: &heap.Params{Granule: 16, MinSplit: 16}, Source: physical{}, ChunkSize: 2 << 20, Granularity: 2 << 20, Alignment: tileBytes, Limit: poolrt.NoLimit,
		Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}},
	}, new(heap.Core))
	b, err := e.Alloc(n, ItemSize, tileBytes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A block is the same whether the engine returns it or the fast path finds it by its offset. It leads to its memory and its place there.
func TestPlacesAgree(t *testing.T) {
	var e poolimpl.Engine
	_, one, some := block(t, &e, 1), block(t, &e, 1), block(t, &e, 3)
	want := Tiles{memory: handle, number: base + one.Offset, first: int(one.Offset / tileBytes), n: blockTiles}
	if r := Of(one); r != want || At(&e, 0, one.Offset) != want || Addr(r) != want.number || Place(r) != want.number {
		t.Errorf("block %+v, At %+v, want %+v; Addr %#x, Place %#x", r, At(&e, 0, one.Offset), want, Addr(r), Place(r))
	}
	s := SpanOf(some)
	if SpanAt(&e, 0, some.Offset, 3*blockTiles) != s || SpanAddr(s) != base+some.Offset || SpanPlace(s) != SpanAddr(s) || SpanBytes(s) != 3*ItemSize {
		t.Errorf("tiles %+v, SpanAt %+v, SpanAddr %#x, SpanPlace %#x", s, SpanAt(&e, 0, some.Offset, 3*blockTiles), SpanAddr(s), SpanPlace(s))
	}
	if s.Handle() != handle || s.Memory().Handle() != handle || s.Offset() != int64(some.Offset) || s.Len() != 3*blockTiles || s.Bytes() != 3*int64(ItemSize) {
		t.Errorf("tiles %+v: handle %d, offset %d, length %d, %d bytes", s, s.Handle(), s.Offset(), s.Len(), s.Bytes())
	}
}
