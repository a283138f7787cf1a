package heap

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
)

// Blocks are found with their length, and change it where there is room.
func TestResize(t *testing.T) {
	for seed := range uint64(5) {
		c := newCore()
		if grown, shrunk := coretest.Resize(t, &c, rand.New(rand.NewPCG(seed, 1)), 1<<16, 1<<12); grown == 0 || shrunk == 0 {
			t.Errorf("%d blocks have become larger, %d smaller", grown, shrunk)
		}
	}
}
