//go:build cudasim

package tiles

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Tiles are freed to the pool of their device, and the tiles of a Ref on the stream that it was made for.
func TestEachDevice(t *testing.T) {
	machine(t, sim.Config{Devices: 2, Schedule: 1})
	var p EveryPool
	var q EveryQuadPool
	rig.Closing(t, &p)
	rig.Closing(t, &q)
	rows := []EveryTiles{rig.Must(p.On(1).Alloc(3)), rig.Must(p.On(0).Alloc(3))}
	quads := make([]EveryQuadTiles, 6)
	for d := range 2 {
		rig.Must(q.On(d).AllocBatch(quads[3*d:][:3]))
	}
	for _, row := range rows {
		rig.Refused(t, "part", p.Free(row.Slice(0, 1)), poolrt.ErrForeign)
		rig.Check(t, "free", p.Free(row))
		rig.Refused(t, "again", p.Free(row), poolrt.ErrInvalidFree)
	}
	rig.Check(t, "batch", q.FreeBatch(quads))
	for d := range 2 {
		if a, b := p.On(d).Stats(), q.On(d).Stats(); a.Live != 0 || a.Allocs != 1 || b.Live != 0 || b.Allocs != 3 {
			t.Errorf("device %d: %+v %+v", d, a, b)
		}
	}

	s := rig.Must(cuda.Device(1).NewStream(cuda.NonBlocking))
	t.Cleanup(func() { rig.Check(t, "stream", s.Close()) })
	owner := rig.Must(p.AllocRefOn(2, s))
	if n := p.On(1).Stats().Live; n != 1 {
		t.Errorf("%d live rows on the stream's device", n)
	}
	rig.Check(t, "release", owner.Release())
	synchronize(t, p.On(1))
	rig.Check(t, "synchronize", s.Synchronize())
	synchronize(t, p.On(1))
}
