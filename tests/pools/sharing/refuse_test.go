//go:build cudasim

package sharing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Blocks that are not live cannot be shared.
func TestShareRefused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			p, q := poolOf(subjects[name].fresh()), poolOf(subjects[name].fresh())
			foreign := rig.Must(q.alloc(10))
			rig.Refused(t, "in an unused pool", rig.Second(p.share(foreign)), poolrt.ErrForeign)
			b := rig.Must(p.alloc(10))
			rig.Refused(t, "foreign", rig.Second(p.share(foreign)), poolrt.ErrForeign)
			if p.has("Free") {
				live := rig.Must(p.alloc(10))
				rig.Check(t, "free", p.do("Free", b))
				rig.Refused(t, "free", rig.Second(p.share(b)), poolrt.ErrInvalidFree)
				rig.Check(t, "free", p.do("Free", live))
			}
			if p.has("FreeAsync") {
				s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
				b := rig.Must(p.alloc(10))
				rig.Check(t, "free", p.do("FreeAsync", b, s))
				rig.Refused(t, "pending", rig.Second(p.share(b)), poolrt.ErrInvalidFree)
				rig.Check(t, "close", s.Close())
			}
			if slicer, ok := b.(interface{ Len() int }); ok && slicer.Len() == 10 && p.has("Free") {
				b := rig.Must(p.alloc(10))
				part := poolOf(b).MethodByName("Slice").Call(poolOf(0).args(3, 9))[0].Interface()
				rig.Refused(t, "a part", rig.Second(p.share(part)), poolrt.ErrInvalidFree)
			}
			rig.Check(t, "close", p.do("CloseForce"))
			rig.Refused(t, "closed", rig.Second(p.share(b)), poolrt.ErrClosed)
			rig.Refused(t, "closed", rig.Second(p.export()), poolrt.ErrClosed)
			rig.Check(t, "close", q.do("CloseForce"))
		})
	}
}

// An imported pool refuses allocations, sharing and other calls that need memory of its own.
func TestImportedRefuses(t *testing.T) {
	for _, name := range []string{"Cell", "Row", "VirtualRow", "Ring", "Spill", "Direct"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := rig.Must(here.export())
		there := poolOf(rig.Must(subjects[name].open(f)))
		rig.Check(t, "close", f.Close())
		mine := rig.Must(here.alloc(10))
		token := rig.Must(here.share(mine))
		rig.Refused(t, "open at home", rig.Second(here.call("Open", token)), poolrt.ErrUnsupported)
		b := rig.Must(there.call("Open", token))
		rig.Refused(t, "alloc", rig.Second(there.alloc(1)), poolrt.ErrUnsupported)
		rig.Refused(t, "share", rig.Second(there.share(b)), poolrt.ErrUnsupported)
		rig.Refused(t, "export", rig.Second(there.export()), poolrt.ErrUnsupported)
		rig.Refused(t, "free of another pool's", there.do("Free", mine), poolrt.ErrForeign)
		rig.Refused(t, "limit", there.do("SetLimit", int64(0)), poolrt.ErrLive)
		args := []any{context.Background()}
		if there.MethodByName("AllocContext").Type().NumIn() == 2 {
			args = append(args, 1)
		}
		rig.Refused(t, "alloc with a context", rig.Second(there.call("AllocContext", args...)), poolrt.ErrUnsupported)
		if there.has("DriverHandle") {
			rig.Refused(t, "driver's pool", rig.Second(there.call("DriverHandle")), poolrt.ErrUnsupported)
		}
		if there.has("Reset") {
			rig.Refused(t, "reset", there.do("Reset"), poolrt.ErrLive)
		}
		rig.Check(t, "trim", rig.Second(there.call("Trim", int64(0))))
		rig.Check(t, "free", there.do("Free", b))
		rig.Check(t, "limit", there.do("SetLimit", int64(9)))
		rig.Refused(t, "above the limit", rig.Second(there.call("Open", token)), poolrt.ErrTooLarge)
		rig.Check(t, "close", there.do("Close"))
		rig.Check(t, "close", here.do("CloseForce"))
	}
}

// A limit bounds the blocks that are open at the same time.
func TestImportLimit(t *testing.T) {
	machine(t, sim.Config{})
	p := new(RowPool)
	f := rig.Must(p.Export())
	q := rig.Must(ImportRowPool(f, poolrt.WithLimit(1000)))
	a, b := rig.Must(p.Share(rig.Must(p.Alloc(20)))), rig.Must(p.Share(rig.Must(p.Alloc(20))))
	first := rig.Must(q.Open(a))
	rig.Refused(t, "two", rig.Second(q.Open(b)), poolrt.ErrLimit)
	rig.Check(t, "free", q.Free(first))
	rig.Must(q.Open(b))
	rig.Check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
}

// A pool is shared with the fallback that is in use. If that cannot be shared, Export and Share return errors.
func TestFallback(t *testing.T) {
	const virtualMemory, memoryPools = 102, 115
	machine(t, sim.Config{})
	sim.SetAttribute(0, virtualMemory, 0)
	p := new(StandPool)
	f := rig.Must(p.Export())
	q := rig.Must(ImportStandPool(f))
	b := rig.Must(q.Open(rig.Must(p.Share(rig.Must(p.Alloc(100))))))
	if got, _ := q.Effective(); got != "device_pool" || q.Requested() != "device_virtual" || b.Len() != 100 {
		t.Error(got)
	}
	rig.Check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
	sim.SetAttribute(0, memoryPools, 0)
	p = new(StandPool)
	c := rig.Must(p.Alloc(1))
	rig.Refused(t, "export", rig.Second(p.Export()), poolrt.ErrUnsupported)
	rig.Refused(t, "share", rig.Second(p.Share(c)), poolrt.ErrUnsupported)
	rig.Check(t, "free", p.Free(c))
	if n := rig.Must(p.Trim(0)); n == 0 {
		t.Error("a chunk that was not shared stays")
	}
	rig.Check(t, "close", p.Close())
}

// A pool with device: each exports the pool of the current device; an imported pool is on one device.
func TestPoolsOfEachDevice(t *testing.T) {
	machine(t, sim.Config{})
	p := new(BothPool)
	f := rig.Must(p.On(1).Export())
	rig.Refused(t, "on the other device", func() error {
		q, err := ImportBothPool(f, poolrt.OnDevice(0))
		if err != nil {
			return err
		}
		return errors.Join(rig.Second(q.Open(rig.Must(p.Share(rig.Must(p.On(1).Alloc()))))), q.Close())
	}(), poolrt.ErrUnsupported)
	q := rig.Must(ImportBothPool(f, poolrt.OnDevice(1)))
	b := rig.Must(p.On(1).Alloc())
	rig.Check(t, "fill", fill(b, 9))
	o := rig.Must(q.Open(rig.Must(p.Share(b))))
	if !holds(o, 9) || q.On(0) != q || q.Stats().Live != 1 {
		t.Error("another block")
	}
	rig.Refused(t, "one of device 0", rig.Second(q.Open(rig.Must(p.Share(rig.Must(p.Alloc()))))), poolrt.ErrUnsupported)
	rig.Check(t, "free", q.Free(o))
	rig.Check(t, "close", errors.Join(q.Close(), p.CloseForce(), f.Close()))
}

// The peers in the pool file may use opened blocks too.
func TestPeers(t *testing.T) {
	for _, name := range []string{"Seen", "VirtualSeen"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := rig.Must(here.export())
		there := poolOf(rig.Must(subjects[name].open(f)))
		b := rig.Must(here.alloc(100))
		o := rig.Must(there.call("Open", rig.Must(here.share(b))))
		at, n := place(o)
		s := rig.Must(cuda.Device(1).NewStream(cuda.NonBlocking))
		rig.Check(t, "work of the other device", errors.Join(cuda.MemsetAsync(at, 5, n, s), s.Synchronize()))
		if !holds(b, 5) {
			t.Errorf("%s: the block has other contents", name)
		}
		rig.Check(t, "close", errors.Join(there.do("CloseForce"), here.do("CloseForce"), f.Close(), s.Close()))
	}
}
