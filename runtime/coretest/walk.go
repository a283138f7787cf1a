// Package coretest is for tests of suballocators: it runs them with several parameters, compares the pieces that a [poolimpl.Core] shows of a chunk with the
// blocks of a model, and has memory come and go below the blocks of a [poolimpl.PagedCore].
package coretest

import (
	"maps"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Block is a block of the model.
type Block struct {
	Asked   uint64 // what was requested; a core may show the whole size of a pending block instead
	Pending bool   // freed on a stream that has not passed the free yet
}

// Walk fails the test unless core shows the chunk in slot, of size bytes, with the given blocks, whose keys are offsets. The pieces must cover the chunk without gap or
// overlap, and must be the same whether the core shows them in one walk or in several. Walk returns the number of bytes in each state.
func Walk(t testing.TB, core poolimpl.Core, slot uint32, size uint64, blocks map[uint64]Block) (sums [poolrt.PieceWaste + 1]uint64) {
	t.Helper()
	pieces := poolimpl.Survey(core, slot, size, len(blocks)+10)
	few := 1 + len(blocks)%5
	if again := poolimpl.Survey(core, slot, size, few); !slices.Equal(pieces, again) {
		t.Fatalf("chunk %d: by %d at a time\n%v, by many\n%v", slot, few, again, pieces)
	}
	left := maps.Clone(blocks)
	at := uint64(0)
	for _, p := range pieces {
		if p.Off != at || p.Size == 0 || p.Size > size-at {
			t.Fatalf("chunk %d of %d bytes: %+v at %d", slot, size, p, at)
		}
		at += p.Size
		sums[p.State] += p.Size
		isBlock := p.State == poolrt.PieceLive || p.State == poolrt.PiecePending
		b, known := left[p.Off]
		delete(left, p.Off)
		switch {
		case known != isBlock:
			t.Fatalf("chunk %d: %+v is shown, known is %v %+v", slot, p, known, b)
		case !known && p.Asked == 0:
		case p.Asked > p.Size || b.Pending != (p.State == poolrt.PiecePending) || p.Asked != b.Asked && (!b.Pending || p.Asked != p.Size):
			t.Fatalf("chunk %d: %+v is shown, known is %+v", slot, p, b)
		}
	}
	if at != size || len(left) > 0 {
		t.Fatalf("chunk %d of %d bytes: shown up to %d, without %v", slot, size, at, left)
	}
	return sums
}
