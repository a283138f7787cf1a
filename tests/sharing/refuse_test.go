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
	"github.com/poolgen/poolgen/runtime"
)

// Blocks that are none, or not any more, cannot be shared.
func TestShareRefused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			p, q := poolOf(subjects[name].fresh()), poolOf(subjects[name].fresh())
			foreign := must(q.alloc(10))
			refused(t, "in an unused pool", second(p.share(foreign)), runtime.ErrForeign)
			b := must(p.alloc(10))
			refused(t, "foreign", second(p.share(foreign)), runtime.ErrForeign)
			if p.has("Free") {
				live := must(p.alloc(10))
				check(t, "free", p.do("Free", b))
				refused(t, "free", second(p.share(b)), runtime.ErrInvalidFree)
				check(t, "free", p.do("Free", live))
			}
			if p.has("FreeAsync") {
				s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
				b := must(p.alloc(10))
				check(t, "free", p.do("FreeAsync", b, s))
				refused(t, "parked", second(p.share(b)), runtime.ErrInvalidFree)
				check(t, "close", s.Close())
			}
			if slicer, ok := b.(interface{ Len() int }); ok && slicer.Len() == 10 && p.has("Free") {
				b := must(p.alloc(10))
				part := poolOf(b).MethodByName("Slice").Call(poolOf(0).args(3, 9))[0].Interface()
				refused(t, "a part", second(p.share(part)), runtime.ErrInvalidFree)
			}
			check(t, "close", p.do("CloseForce"))
			refused(t, "closed", second(p.share(b)), runtime.ErrClosed)
			refused(t, "closed", second(p.export()), runtime.ErrClosed)
			check(t, "close", q.do("CloseForce"))
		})
	}
}

// What an imported pool has not.
func TestImportedRefuses(t *testing.T) {
	for _, name := range []string{"Cell", "Row", "VirtualRow", "Ring", "Spill", "Direct"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := must(here.export())
		there := poolOf(must(subjects[name].open(f)))
		check(t, "close", f.Close())
		mine := must(here.alloc(10))
		token := must(here.share(mine))
		refused(t, "open at home", second(here.call("Open", token)), runtime.ErrUnsupported)
		b := must(there.call("Open", token))
		refused(t, "alloc", second(there.alloc(1)), runtime.ErrUnsupported)
		refused(t, "share", second(there.share(b)), runtime.ErrUnsupported)
		refused(t, "export", second(there.export()), runtime.ErrUnsupported)
		refused(t, "free of another pool's", there.do("Free", mine), runtime.ErrForeign)
		refused(t, "limit", there.do("SetLimit", int64(0)), runtime.ErrLive)
		args := []any{context.Background()}
		if there.MethodByName("AllocContext").Type().NumIn() == 2 {
			args = append(args, 1)
		}
		refused(t, "alloc with a context", second(there.call("AllocContext", args...)), runtime.ErrUnsupported)
		if there.has("DriverHandle") {
			refused(t, "driver's pool", second(there.call("DriverHandle")), runtime.ErrUnsupported)
		}
		if there.has("Reset") {
			refused(t, "reset", there.do("Reset"), runtime.ErrLive)
		}
		check(t, "trim", second(there.call("Trim", int64(0))))
		check(t, "free", there.do("Free", b))
		check(t, "limit", there.do("SetLimit", int64(9)))
		refused(t, "above the limit", second(there.call("Open", token)), runtime.ErrTooLarge)
		check(t, "close", there.do("Close"))
		check(t, "close", here.do("CloseForce"))
	}
}

// A limit bounds what is open at a time.
func TestImportLimit(t *testing.T) {
	machine(t, sim.Config{})
	p := new(RowPool)
	f := must(p.Export())
	q := must(ImportRowPool(f, runtime.WithLimit(1000)))
	a, b := must(p.Share(must(p.Alloc(20)))), must(p.Share(must(p.Alloc(20))))
	first := must(q.Open(a))
	refused(t, "two", second(q.Open(b)), runtime.ErrLimit)
	check(t, "free", q.Free(first))
	must(q.Open(b))
	check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
}

// A pool whose allocator in force cannot be shared says so; where another stands in that can, it is shared like that.
func TestFallback(t *testing.T) {
	const virtualMemory, memoryPools = 102, 115
	machine(t, sim.Config{})
	sim.SetAttribute(0, virtualMemory, 0)
	p := new(StandPool)
	f := must(p.Export())
	q := must(ImportStandPool(f))
	b := must(q.Open(must(p.Share(must(p.Alloc(100))))))
	if got, _ := q.Effective(); got != "device_pool" || q.Requested() != "device_virtual" || b.Len() != 100 {
		t.Error(got)
	}
	check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
	sim.SetAttribute(0, memoryPools, 0)
	p = new(StandPool)
	c := must(p.Alloc(1))
	refused(t, "export", second(p.Export()), runtime.ErrUnsupported)
	refused(t, "share", second(p.Share(c)), runtime.ErrUnsupported)
	check(t, "free", p.Free(c))
	if n := must(p.Trim(0)); n == 0 {
		t.Error("what was not shared stays")
	}
	check(t, "close", p.Close())
}

// A pool on each device exports that of the current one; what is imported is on one.
func TestEach(t *testing.T) {
	machine(t, sim.Config{})
	p := new(BothPool)
	f := must(p.On(1).Export())
	refused(t, "on the other device", func() error {
		q, err := ImportBothPool(f, runtime.OnDevice(0))
		if err != nil {
			return err
		}
		return errors.Join(second(q.Open(must(p.Share(must(p.On(1).Alloc()))))), q.Close())
	}(), runtime.ErrUnsupported)
	q := must(ImportBothPool(f, runtime.OnDevice(1)))
	b := must(p.On(1).Alloc())
	check(t, "fill", fill(b, 9))
	o := must(q.Open(must(p.Share(b))))
	if !holds(o, 9) || q.On(0) != q || q.Stats().Live != 1 {
		t.Error("another block")
	}
	refused(t, "one of device 0", second(q.Open(must(p.Share(must(p.Alloc()))))), runtime.ErrUnsupported)
	check(t, "free", q.Free(o))
	check(t, "close", errors.Join(q.Close(), p.CloseForce(), f.Close()))
}

// The devices that the pool file names may use what is opened, too.
func TestPeers(t *testing.T) {
	for _, name := range []string{"Seen", "VirtualSeen"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := must(here.export())
		there := poolOf(must(subjects[name].open(f)))
		b := must(here.alloc(100))
		o := must(there.call("Open", must(here.share(b))))
		at, n := place(o)
		s := must(cuda.Device(1).NewStream(cuda.NonBlocking))
		check(t, "work of the other device", errors.Join(cuda.MemsetAsync(at, 5, n, s), s.Synchronize()))
		if !holds(b, 5) {
			t.Errorf("%s: it holds something else", name)
		}
		check(t, "close", errors.Join(there.do("CloseForce"), here.do("CloseForce"), f.Close(), s.Close()))
	}
}
