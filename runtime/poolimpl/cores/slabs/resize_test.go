package slabs

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
)

// Blocks of slabs, of dissolved slabs and of the suballocator behind are found with their length, and change it where there is room.
func TestResize(t *testing.T) {
	for seed := range uint64(5) {
		p := whole{newPool(0)}
		if grown, shrunk := coretest.Resize(t, p, rand.New(rand.NewPCG(seed, 1)), smallChunk, smallChunk/16); grown == 0 || shrunk == 0 {
			t.Errorf("%d blocks have become larger, %d smaller", grown, shrunk)
		}
	}
}

// whole dissolves slabs before an allocation fails.
type whole struct{ *pool }

func (p whole) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	return p.AllocAny(bytes, align)
}
