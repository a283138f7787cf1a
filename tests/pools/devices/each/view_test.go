//go:build cudasim

package each

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A view is on the device of its stream, or of the pool that was chosen.
func TestViewsLieOnTheDeviceOfTheStream(t *testing.T) {
	machine(t)
	frameDefault = FramePool{} // it may have been closed before
	p := new(FramePool)
	for d := range devices {
		s := rig.Stream(t, cuda.Device(d))
		for name, view := range map[string]func(int, cuda.Stream) (FrameView, error){"each": p.View, "one": p.On(d).View, "package": ViewFrame} {
			v := rig.Must(view(1000, s))
			on(t, v.Addr(), d)
			if v.Base() != v.Addr().Add(256) || v.Bytes() != 1024 || rig.Must(v.Used(s)) != 0 {
				t.Errorf("%s: a view of %d bytes at %v, %v", name, v.Bytes(), v.Addr(), v.Base())
			}
			rig.Check(t, "reset", v.Reset(s))
			rig.Check(t, "synchronize", s.Synchronize())
		}
	}
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", DefaultFramePool().Close())
}

// A view of items goes back to the pool of its device.
func TestViewsOfItemsGoBackToTheirDevice(t *testing.T) {
	machine(t)
	leafDefault = LeafPool{} // it may have been closed before
	var views []LeafView
	for d := range devices {
		v := rig.Must(ViewLeaf(10, rig.Stream(t, cuda.Device(d))))
		on(t, v.Addr(), d)
		views = append(views, v)
	}
	for d, v := range views {
		if n := DefaultLeafPool().On(d).Stats().Live; n != 1 {
			t.Errorf("%d views on device %d", n, d)
		}
		rig.Check(t, "free", FreeLeafView(v))
		if n := DefaultLeafPool().On(d).Stats().Live; n != 0 {
			t.Errorf("%d views on device %d", n, d)
		}
	}
	rig.Check(t, "close", DefaultLeafPool().Close())
}
