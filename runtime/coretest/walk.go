// Package coretest is for the tests of suballocators: it compares what a [poolimpl.Core] shows of its chunks with what a model of it knows.
package coretest

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"maps"
	"slices"
	"testing"
)

// Block is a block of the model. Pending blocks may have forgotten what they were asked for with.
type Block struct {
	Asked   uint64
	Pending bool
}

// Walk compares a chunk with the blocks that the model has in it, by offset. They must be shown as they are, the chunk be covered without overlap, and the same
// be shown whether the walk is made at once or piece by piece. It returns how many bytes are in which state.
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
