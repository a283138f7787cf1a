package classes

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
)

// Blocks lie on pages that have memory.
func TestPages(t *testing.T) {
	for seed := range uint64(8) {
		c := newCore()
		coretest.Pages(t, &c, rand.New(rand.NewPCG(seed, 3)), func() { c.checkLists(t) })
	}
}
