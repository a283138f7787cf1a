//go:build cudasim

package streams

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/streams/pools"
)

func TestP7RingFreeAsync(t *testing.T)  { flow(t, pools.RingFreeAsync) }
func TestP8AllocFreeAsync(t *testing.T) { flow(t, pools.AllocFreeAsync) }

func flow(t *testing.T, run func(cuda.Stream, func([]byte) error) error) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 11})
	sim.CheckHazards()
	s := must(cuda.Device(0).NewStream())
	check(t, "run", run(s, func(b []byte) error { return cuda.MemsetAsync(cuda.AddressOf(b), 7, int64(len(b)), s) }))
	check(t, "stream", s.Close())
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}
