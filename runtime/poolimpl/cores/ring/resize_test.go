package ring

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
)

// Blocks are found with their length, and keep it.
func TestResize(t *testing.T) {
	for seed := range uint64(5) {
		if grown, shrunk := coretest.Resize(t, newCore(), rand.New(rand.NewPCG(seed, 1)), 4*arenaSize, max(arenaSize/8, 1)); grown+shrunk != 0 {
			t.Errorf("%d blocks have become larger, %d smaller", grown, shrunk)
		}
	}
}
