//go:build cudasim

package streams

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	pools := map[string]func() any{}
	for i, s := range Subjects() {
		pools[s.Name] = func() any { return Subjects()[i].Pool }
	}
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 50, pools)
}
