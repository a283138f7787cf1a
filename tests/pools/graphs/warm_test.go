//go:build cudasim

package graphs

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// What the work before a capture has used is there for the graph once that work is done: nothing is obtained from the driver. Memory that the work may still be using
// is not there.
func TestMemoryOfTheWarmUp(t *testing.T) {
	none := []string{"Page", "Piece", "Whole", "Order", "Alone"} // in one piece; nothing is kept; nor by the pool; no lock, so BeginCapture records no fence
	for _, done := range []bool{true, false} {
		for _, s := range subjects() {
			t.Run(s.name+map[bool]string{true: "/done", false: "/under way"}[done], func(t *testing.T) {
				rig.Machine(t, sim.Config{Devices: 2, Capacity: 256 << 20}) // streams do not advance
				on := rig.Stream(t, 0)
				capture := func() {
					b := rig.Must(s.alloc(on))
					s.work(t, b, on)
					rig.Check(t, "free", s.freeOn(b, on))
				}
				if capture(); done {
					sim.RunAll()
				}
				before := s.Stats().Reserved
				rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
				capture()
				graph := rig.Must(on.EndCapture())
				if taken := s.Stats().Reserved == before; taken != (done && !slices.Contains(none, s.name)) {
					t.Errorf("%d bytes reserved before, %d in the capture", before, s.Stats().Reserved)
				}
				sim.RunAll()
				s.ended(t, graph)
			})
		}
	}
}
