//go:build cudasim

package chosen

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// An allocator that the pool file does not list is refused, with the name of the pool and what the file lists, and nothing is reserved.
func TestUnlisted(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	for _, name := range []string{"pinned", "host", "Device", ""} {
		_, err := NewFlowPool(poolrt.WithAllocator(name))
		rig.Refused(t, name, err, poolrt.ErrUnsupported)
		for _, word := range []string{"chosen.Flow", `WithAllocator: "` + name + `"`, "device_virtual, device_pool, device_async, device"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q lacks %q", err, word)
			}
		}
	}
	if len(sim.Live()) > 0 {
		t.Errorf("left over: %v", sim.Live())
	}
}

// A pool whose allocator has no memory is not opened, and nothing is left of the attempt.
func TestChoiceFails(t *testing.T) {
	with(t, []string{"device_virtual", "device_pool", "device_async", "device"}, func(t *testing.T, allocator string) {
		sim.Fail(obtains[allocator], 0, int(cuda.ResultOutOfMemory))
		p := new(FlowPool)
		rig.Refused(t, "open", p.ready().Open(poolrt.WithAllocator(allocator), poolrt.WithPrime(2<<20)), poolrt.ErrOutOfMemory)
		if len(sim.Live()) > 0 || p.Stats().Reserved > 0 || p.Requested() != "device_virtual" {
			t.Errorf("left over: %v; %+v; requested is %s", sim.Live(), p.Stats(), p.Requested())
		}
		sim.Fail(obtains[allocator], 0, 0)
		rig.Check(t, "open", p.ready().Open(poolrt.WithAllocator(allocator), poolrt.WithPrime(2<<20)))
		inForce(t, p, allocator)
		rig.Check(t, "close", p.Close())
	})
}

// Of two choices the later one counts, and a choice that would be refused does no harm before it.
func TestChosenTwice(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	p := rig.Must(NewFlowPool(poolrt.WithAllocator("nonsense"), poolrt.WithAllocator("device_pool"), poolrt.WithAllocator("device")))
	inForce(t, p, "device")
	rig.Check(t, "close", p.Close())
}

// After its first use a pool keeps its allocator. A look at what is in force is no use.
func TestChosenLate(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	p := new(FlowPool)
	inForce(t, p, "device_virtual")
	rig.Check(t, "open", p.ready().Open(poolrt.WithAllocator("device")))
	inForce(t, p, "device")
	rig.Refused(t, "again", p.ready().Open(poolrt.WithAllocator("device_pool")), poolrt.ErrLive)
	inForce(t, p, "device")
	rig.Check(t, "close", p.Close())

	used := new(FlowPool)
	b := rig.Must(used.Alloc(1))
	rig.Refused(t, "after use", used.ready().Open(poolrt.WithAllocator("device")), poolrt.ErrLive)
	inForce(t, used, "device_virtual")
	rig.Check(t, "free", used.Free(b))
	rig.Check(t, "close", used.Close())
}

// A fallback of the pool file replaces the allocator chosen where that does not work, and nothing does without a fallback.
func TestFallback(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	sim.SetAttribute(0, memoryPools, 0)
	_, err := NewFlowPool(poolrt.WithAllocator("device_pool"))
	rig.Refused(t, "device_pool", err, poolrt.ErrUnsupported)
	for _, c := range []struct{ chosen, stands, why string }{
		{"device_virtual", "device_virtual", ""}, {"device_pool", "device", "device_pool: "}, {"device", "device", ""},
	} {
		p := rig.Must(NewStandPool(poolrt.WithAllocator(c.chosen)))
		got, why := p.Effective()
		if got != c.stands || p.Requested() != c.chosen || !strings.HasPrefix(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %s is in force, %q", c.chosen, got, why)
		}
		rig.Check(t, "close", p.Close())
	}
}

const memoryPools = 115

// The pool of each device has the allocator that was chosen for all.
func TestEach(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 2, Schedule: 1})
	p := rig.Must(NewEachPool(poolrt.WithAllocator("device_virtual")))
	for device := range 2 {
		inForce(t, p.On(device), "device_virtual")
		b := rig.Must(p.On(device).Alloc(100))
		rig.Check(t, "free", p.Free(b))
	}
	rig.Check(t, "close", p.Close())
	_, err := NewEachPool(poolrt.WithAllocator("pinned"))
	rig.Refused(t, "pinned", err, poolrt.ErrUnsupported)
}

// Blocks are shared with the allocators that can, whichever the importing program would choose.
func TestShare(t *testing.T) {
	for allocator, shares := range map[string]bool{"device": false, "device_pool": true, "device_virtual": true} {
		rig.Machine(t, sim.Config{Schedule: 1})
		p := rig.Must(NewSharedPool(poolrt.WithAllocator(allocator)))
		f, err := p.Export()
		if !shares {
			rig.Refused(t, allocator, err, poolrt.ErrUnsupported)
			rig.Check(t, "close", p.Close())
			continue
		}
		rig.Check(t, allocator, err)
		b := rig.Must(p.Alloc(1000))
		token := rig.Must(p.Share(b))
		for _, choice := range []string{"device", "device_pool", "device_virtual"} {
			rig.Refused(t, "choice of the importer", rig.Second(ImportSharedPool(f, poolrt.WithAllocator(choice))), poolrt.ErrUnsupported)
		}
		other := rig.Must(ImportSharedPool(f))
		if got, _ := other.Effective(); got != allocator {
			t.Errorf("imported: %s, exported: %s", got, allocator)
		}
		opened := rig.Must(other.Open(token))
		rig.Check(t, "free", other.Free(opened))
		rig.Check(t, "close", other.Close())
		rig.Check(t, "close the file", f.Close())
		rig.Check(t, "free", p.Free(b))
		rig.Check(t, "close", p.Close())
	}
}
