//go:build cudasim

package sleep

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Pages that have moved while a stream was at work in them are mapped at two places until memory comes to the old one. A pool with such pages sleeps and wakes as
// any other: all memory of the device goes, and comes back once.
func TestMovedPages(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 64 << 20}) // streams advance only when told
	var on []cuda.Stream
	for range 2 {
		s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
		defer func() { rig.Check(t, "close", s.Close()) }()
		on = append(on, s)
	}
	p := new(MovingPool)
	defer func() { rig.Check(t, "close", p.Close()) }()
	var live, freed []MovingSpan
	for i := range 8 {
		b := rig.Must(p.AllocOn(page, on[0]))
		rig.Check(t, "wait", on[0].Synchronize()) // debug builds fill the block on its stream
		written(t, b, uint64(i))
		if i%2 == 1 {
			live = append(live, b)
		} else {
			freed = append(freed, b)
		}
	}
	for _, b := range freed {
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on[0]))
		rig.Check(t, "free", p.FreeOn(b, on[0]))
	}
	wide := rig.Must(p.AllocOn(4*page, on[1]))
	is(t, p, 0, 8, 0)
	for range 3 {
		rig.Check(t, "wait", on[1].Synchronize())
		written(t, wide, 9)
		rig.Check(t, "sleep", p.Sleep(ctx))
		is(t, p, 1, 0, 8)
		if free, total, err := cuda.Device(0).MemInfo(); free != total || err != nil {
			t.Errorf("%d bytes of the device are taken: %v", total-free, err)
		}
		rig.Check(t, "wake", p.Wake(ctx))
		is(t, p, 0, 8, 8)
		holds(t, wide, 9)
		for i, b := range live {
			holds(t, b, uint64(2*i+1))
		}
	}
	for _, b := range append(live, wide) {
		rig.Check(t, "free", p.Free(b))
	}
}
