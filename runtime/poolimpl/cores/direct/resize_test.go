package direct

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
)

// The only block is found with its length, and changes it within its chunk.
func TestResize(t *testing.T) {
	for seed := range uint64(5) {
		if grown, shrunk := coretest.Resize(t, new(Core), rand.New(rand.NewPCG(seed, 1)), 1<<12, 1<<12); grown == 0 || shrunk == 0 {
			t.Errorf("the block has become larger %d times, smaller %d times", grown, shrunk)
		}
	}
}
