package numbers

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// A block is the same whether the engine returns it or the fast path finds it by its offset. Numbers count from the start of the range that is tracked.
func TestNumbersAgree(t *testing.T) {
	var e poolimpl.Engine
	e.Init(&poolimpl.Config{Name: "numbers.Test", Core: &heap.Params{Granule: 1, MinSplit: 1}, Limit: poolrt.NoLimit, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}}}, new(heap.Core))
	const start, many = 4096, 512
	if err := e.Track(start, many); err != nil {
		t.Fatal(err)
	}
	alloc := func(n int) poolimpl.Block {
		b, err := e.Alloc(n, ItemSize, 1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	_, one, some := alloc(1), alloc(1), alloc(3)
	want := ID(start + one.Offset)
	if r := Of(one); r != want || At(&e, 0, one.Offset) != want || Addr(r) != uint64(want) || Place(r) != uint64(want) {
		t.Errorf("number %d, At %d, Addr %d, Place %d, want %d", r, At(&e, 0, one.Offset), Addr(r), Place(r), want)
	}
	want = ID(start + some.Offset)
	s := SpanOf(some)
	if SpanAt(&e, 0, some.Offset, 3) != s || SpanAddr(s) != uint64(want) || SpanPlace(s) != uint64(want) || SpanBytes(s) != 3 {
		t.Errorf("numbers %+v, SpanAt %+v, SpanAddr %d, SpanPlace %d, want 3 from %d on", s, SpanAt(&e, 0, some.Offset, 3), SpanAddr(s), SpanPlace(s), want)
	}
	if s.First() != want || s.Len() != 3 || s.At(0) != want || s.At(2) != want+2 {
		t.Errorf("numbers %+v: %d numbers from %d to %d, want 3 from %d on", s, s.Len(), s.First(), s.At(2), want)
	}
}
