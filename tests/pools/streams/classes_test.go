//go:build cudasim

package streams

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// The size classes of a pool add up to its statistics, also while frees are pending. Pending blocks count for their class.
func TestClassesAddUp(t *testing.T) {
	tried := 0
	for _, s := range Subjects() {
		classed, ok := s.Pool.(interface{ Classes() []poolrt.ClassStats })
		if !ok {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Capacity: 1 << 30})
			p := &playing{T: t, Subject: s, r: rand.New(rand.NewPCG(3, 9))}
			for range 2 {
				p.streams = append(p.streams, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
			}
			live, pending := int64(0), int64(0)
			for i := range 2000 {
				if i%stretch == 0 {
					sim.Schedule(p.r.Uint64N(2) * p.r.Uint64())
				}
				p.step()
				var sum poolrt.ClassStats
				stats := s.Pool.Stats()
				for _, c := range classed.Classes() {
					if c.Live < 0 || c.Pending < 0 || c.Free < 0 || c.Reserved < (c.Live+c.Pending+c.Free)*c.Size {
						t.Fatalf("%+v", c)
					}
					sum.Live, sum.Pending, sum.Reserved = sum.Live+c.Live, sum.Pending+c.Pending, sum.Reserved+c.Reserved
					live, pending = live+min(c.Size, 1)*c.Live, pending+min(c.Size, 1)*c.Pending
				}
				if sum.Live != stats.Live || sum.Pending != stats.Pending || sum.Reserved != stats.Reserved {
					t.Fatalf("step %d: in all %+v, but %v", i, sum, stats)
				}
			}
			small := s.Name == "heap sharded" || s.Name == "late sharded" // their chunks are too small for slabs
			switch {
			case live > 0 && pending > 0:
				tried++
			case small != (live == 0):
				t.Errorf("over all steps %d live and %d pending blocks of classes", live, pending)
			}
			for _, h := range p.held {
				p.give(h)
			}
			for _, on := range p.streams {
				rig.Check(t, "stream close", on.Close())
			}
			rig.Check(t, "close", s.Pool.Close())
			if all := classed.Classes(); all != nil {
				t.Errorf("of a closed pool: %+v", all)
			}
		})
	}
	if tried < 8 {
		t.Errorf("%d pools have blocks of size classes", tried)
	}
}
