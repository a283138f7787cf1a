//go:build cudasim

package views

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A view of a pool asleep cannot be read or reset, but freed. After Wake it is as it was, with the items that kernels had.
func TestViewAsleep(t *testing.T) {
	on, use := machine(t)
	p := new(PagePool)
	kept, freed := rig.Must(p.View(100, on)), rig.Must(p.View(100, on))
	use(kept.FixedView, func(v *sim.View) { takeAll(v) })
	rig.Check(t, "sleep", p.Sleep(t.Context()))
	_, err := kept.Counts(on)
	for name, err := range map[string]error{"counts": err, "check": kept.Check(on), "reset": kept.Reset(on), "live": kept.Live(on, func(int) { t.Error("an item") })} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	rig.Check(t, "free", p.FreeView(freed))
	rig.Check(t, "wake", p.Wake(t.Context()))
	if c := rig.Must(kept.Counts(on)); c.Live != kept.Len() || c.Allocs != uint64(kept.Len()) {
		t.Errorf("%+v", c)
	}
	rig.Check(t, "check", kept.Check(on))
	rig.Check(t, "free", p.FreeView(kept))
	rig.Check(t, "close", p.Close())
}
