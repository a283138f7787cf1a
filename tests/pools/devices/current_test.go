//go:build cudasim

package devices

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If a pool cannot be bound, whichever call fails, the current memory pool of the process does not change.
func TestCurrentMemPool(t *testing.T) {
	for _, f := range []string{"cuMemPoolCreate", "cuStreamCreateWithPriority", "cuMemPoolSetAttribute", "cuDeviceGetMemPool", "cuDeviceSetMemPool"} {
		t.Run(f, func(t *testing.T) {
			machine(t, sim.Config{})
			before := rig.Must(cuda.Device(0).CurrentMemPool())
			p := new(ReigningPool)
			calls := sim.Calls(f)
			sim.Fail(f, 1, 2)
			if _, err := p.Alloc(100); err == nil || sim.Calls(f) == calls {
				t.Fatalf("the fault did not fail the bind: %v", err)
			}
			if now := rig.Must(cuda.Device(0).CurrentMemPool()); now != before {
				t.Error("another memory pool is current after a failure")
			}
			b := rig.Must(p.Alloc(100))
			if now := rig.Must(cuda.Device(0).CurrentMemPool()); now == before {
				t.Error("the memory pool of the pool is not current")
			}
			rig.Check(t, "free", p.Free(b))
			rig.Check(t, "close", p.Close())
			if now := rig.Must(cuda.Device(0).CurrentMemPool()); now != before {
				t.Error("another memory pool is current after the pool was closed")
			}
		})
	}
}

// reigning opens a pool with set_current, and returns it with its driver's pool.
func reigning(t *testing.T) (*ReigningPool, uintptr) {
	t.Helper()
	p := new(ReigningPool)
	return p, rig.Must(p.DriverHandle())
}

// current returns the handle of the memory pool that the process uses on device 0.
func current() uintptr { return rig.Must(cuda.Device(0).CurrentMemPool()).Handle() }

// Pools with set_current may be closed in any order: of the open ones, the one opened last is current; at the end, the pool that was current
// before all of them.
func TestCurrentMemPoolsInAnyOrder(t *testing.T) {
	for name, order := range map[string][]int{"last first": {2, 1, 0}, "first first": {0, 1, 2}, "middle first": {1, 0, 2}, "middle second": {0, 2, 1}} {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			before := current()
			open := map[int]uintptr{}
			var pools []*ReigningPool
			for i := range order {
				p, h := reigning(t)
				pools, open[i] = append(pools, p), h
			}
			for _, i := range order {
				rig.Check(t, "close", pools[i].Close())
				delete(open, i)
				want := before
				for i := range pools {
					if h, ok := open[i]; ok {
						want = h
					}
				}
				if now := current(); now != want {
					t.Errorf("pool %#x is current after pool %d was closed, want %#x", now, i, want)
				}
			}
		})
	}
}

// A memory pool that the program has set meanwhile stays current.
func TestCurrentMemPoolOfTheProgramStays(t *testing.T) {
	machine(t, sim.Config{})
	p, _ := reigning(t)
	mine := rig.Must(cuda.Device(0).NewMemPool(cuda.MemPoolProps{}))
	rig.Check(t, "set", cuda.Device(0).SetMemPool(mine))
	rig.Check(t, "close", p.Close())
	if now := current(); now != mine.Handle() {
		t.Errorf("pool %#x is current, want the program's, %#x", now, mine.Handle())
	}
	rig.Check(t, "close", mine.Close())
}

// If a call of the driver fails in Close, the pool can be closed again, and then the earlier pool is current again.
func TestCurrentMemPoolAfterAFailedClose(t *testing.T) {
	for _, f := range []string{"cuDeviceGetMemPool", "cuDeviceSetMemPool", "cuMemPoolDestroy"} {
		t.Run(f, func(t *testing.T) {
			machine(t, sim.Config{})
			before := current()
			p, _ := reigning(t)
			sim.Fail(f, 1, 2)
			if p.Close() == nil {
				t.Error("Close did not return the failure")
			}
			rig.Check(t, "close again", p.Close())
			if now := current(); now != before {
				t.Errorf("pool %#x is current, want %#x", now, before)
			}
		})
	}
}

// A pool of device_async allocates as cuMemAllocAsync does: from the driver's pool that is current at that time. Its methods act on that pool. A pool that names a pool of
// the driver, or gives peers access, keeps to its own.
func TestFollowsTheCurrentMemPool(t *testing.T) {
	machine(t, sim.Config{Devices: 2})
	d := cuda.Device(0)
	def, theirs := rig.Must(d.DefaultMemPool()), rig.Must(d.NewMemPool(cuda.MemPoolProps{}))
	used := func(p cuda.MemPool) int64 { return rig.Must(p.Stats()).Used }
	p, named := new(SharedPool), new(TunedPool)
	first := rig.Must(p.Alloc(100))
	if used(def) == 0 {
		t.Error("the first chunk is not of the default pool, which is current")
	}
	rig.Check(t, "set", d.SetMemPool(theirs))
	before := used(def)
	second := rig.Must(p.Alloc(100 << 10))
	if used(theirs) == 0 || used(def) != before {
		t.Errorf("the pool that is current now has %d bytes in use, and the default pool %d, %d before", used(theirs), used(def), before)
	}
	if h := rig.Must(p.DriverHandle()); h != theirs.Handle() {
		t.Errorf("handle %#x, want %#x", h, theirs.Handle())
	}
	if s := rig.Must(p.DriverStats()); s.Used != used(theirs) {
		t.Errorf("%+v", s)
	}
	b := rig.Must(named.Alloc(100))
	if used(def) == before {
		t.Error("a pool that names the default pool allocates from another")
	}
	rig.Check(t, "close", theirs.Close()) // its memory stays usable until it is freed, and the default pool is current again
	sim.Fail("cuDeviceGetMemPool", 1, int(cuda.ResultInvalidValue))
	if e := rig.As[*cuda.Error](t, rig.Second(p.DriverStats())); e.Op != "DeviceGetMemPool" {
		t.Errorf("statistics: %v", e)
	}
	rig.Check(t, "free", p.Free(first))
	rig.Check(t, "free", p.Free(second))
	rig.Check(t, "close", p.Close())
	rig.Check(t, "free", named.Free(b))
	rig.Check(t, "close", named.Close())
}
