//go:build cudasim

package tiles

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// Tiles of each device find back to its pool, and an owner's to the stream that it was made for.
func TestEachDevice(t *testing.T) {
	machine(t, sim.Config{Devices: 2, Schedule: 1})
	var p EveryPool
	var q EveryQuadPool
	closing(t, &p)
	closing(t, &q)
	rows := []EveryTiles{must[EveryTiles](t)(p.On(1).Alloc(3)), must[EveryTiles](t)(p.On(0).Alloc(3))}
	quads := make([]EveryQuadTiles, 6)
	for d := range 2 {
		must[int](t)(q.On(d).AllocBatch(quads[3*d:][:3]))
	}
	for _, row := range rows {
		refused(t, "part", p.Free(row.Slice(0, 1)), runtime.ErrForeign)
		check(t, "free", p.Free(row))
		refused(t, "again", p.Free(row), runtime.ErrInvalidFree)
	}
	check(t, "batch", q.FreeBatch(quads))
	for d := range 2 {
		if a, b := p.On(d).Stats(), q.On(d).Stats(); a.Live != 0 || a.Allocs != 1 || b.Live != 0 || b.Allocs != 3 {
			t.Errorf("device %d: %+v %+v", d, a, b)
		}
	}

	s := must[cuda.Stream](t)(cuda.Device(1).NewStream(cuda.NonBlocking))
	t.Cleanup(func() { check(t, "stream", s.Close()) })
	owner := must[EveryRef](t)(p.AllocRefOn(2, s))
	if n := p.On(1).Stats().Live; n != 1 {
		t.Errorf("%d live rows on the stream's device", n)
	}
	check(t, "release", owner.Release())
	settle(t, p.On(1))
	check(t, "synchronize", s.Synchronize())
	settle(t, p.On(1))
}
