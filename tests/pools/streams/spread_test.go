//go:build cudasim

package streams

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// One goroutine allocates the first blocks of several streams. Their states lie on cache lines of their own: whoever uses a stream later, on whichever
// processor, does not slow others down.
func TestStreamsDoNotShareLines(t *testing.T) {
	const inLines = 256 // so many neighbouring blocks have their state in two cache lines, which processors fetch together
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 30})
	p := new(pools.CellManyPool)
	first := rig.Must(p.Alloc()).Addr()
	streams := make([]cuda.Stream, 16)
	lines := map[cuda.DevicePtr]int{}
	for i := range streams {
		streams[i] = rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
		two := make([]pools.CellManyPtr, 2)
		rig.Must(p.AllocBatchOn(two, streams[i]))
		two = append(two, rig.Must(p.AllocOn(streams[i])))
		for _, b := range two {
			at := (b.Addr() - first) / 256 / inLines
			if other, ok := lines[at]; ok && other != i {
				t.Errorf("blocks of streams %d and %d have their states in the same lines", other, i)
			}
			lines[at] = i
			rig.Check(t, "free", p.FreeOn(b, streams[i]))
		}
	}
	for _, s := range streams {
		rig.Check(t, "stream close", s.Close())
	}
	rig.Check(t, "close", p.CloseForce())
}
