//go:build cudasim

package streams

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

func TestP7RingFreeAsync(t *testing.T)  { flow(t, pools.RingFreeAsync) }
func TestP8AllocFreeAsync(t *testing.T) { flow(t, pools.AllocFreeAsync) }

func flow(t *testing.T, run func(cuda.Stream, func([]byte) error) error) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 11})
	s := rig.Must(cuda.Device(0).NewStream())
	rig.Check(t, "run", run(s, func(b []byte) error { return cuda.MemsetAsync(cuda.AddressOf(b), 7, int64(len(b)), s) }))
	rig.Check(t, "stream", s.Close())
}
