//go:build cudasim

package streams

import (
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	pools := map[string]func() any{}
	for _, s := range Subjects() {
		kind := reflect.TypeOf(s.Pool).Elem() // a new pool of one kind is made sooner than one of each
		pools[s.Name] = func() any { return reflect.New(kind).Interface() }
	}
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 50, pools)
}
