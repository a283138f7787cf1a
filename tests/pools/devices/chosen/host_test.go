//go:build cudasim

package chosen

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Each allocator of memory that Go code addresses serves the pool, and new memory is zero.
func TestStage(t *testing.T) {
	with(t, []string{"host", "pinned", "managed", "custom"}, func(t *testing.T, allocator string) {
		before, own := calls(), taken.Load()
		p := rig.Must(NewStagePool(poolrt.WithAllocator(allocator)))
		inForce(t, p, allocator)
		b := rig.Must(p.Alloc(3 << 20))
		for i, x := range b {
			if x != 0 {
				t.Fatalf("byte %d is %d", i, x)
			}
			b[i] = 1
		}
		onlyCalled(t, allocator, before)
		if got := taken.Load() - own; got != map[string]int64{"custom": 1}[allocator] {
			t.Errorf("%d chunks from the functions of the package", got)
		}
		rig.Check(t, "free", p.Free(b))
		if n := rig.Must(p.Trim(0)); n < 3<<20 {
			t.Errorf("%d bytes trimmed", n)
		}
		rig.Check(t, "close", p.Close())
		if taken.Load() != own {
			t.Errorf("%d chunks were not given back", taken.Load()-own)
		}
	})
}

// Streams copy blocks of each allocator.
func TestFlowStage(t *testing.T) {
	with(t, []string{"pinned", "custom", "host"}, func(t *testing.T, allocator string) {
		s := rig.Stream(t, 0)
		p, device := rig.Must(NewFlowStagePool(poolrt.WithAllocator(allocator))), rig.Must(NewFlowPool())
		inForce(t, p, allocator)
		from, at := rig.Must(p.AllocOn(1000, s)), rig.Must(device.AllocOn(1000, s))
		rig.Check(t, "copy", device.CopyToDevice(at, from, s))
		rig.Check(t, "free", p.FreeOn(from, s))
		rig.Check(t, "free", device.FreeOn(at, s))
		rig.Check(t, "synchronize", s.Synchronize())
		rig.Check(t, "close", p.Close())
		rig.Check(t, "close", device.Close())
	})
}

// Without a driver a program chooses ordinary memory, and page-locked memory is refused unless a fallback replaces it.
func TestNoDriver(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: -1})
	for _, allocator := range []string{"host", "custom"} {
		p := rig.Must(NewStagePool(poolrt.WithAllocator(allocator)))
		inForce(t, p, allocator)
		rig.Check(t, "free", p.Free(rig.Must(p.Alloc(1000))))
		rig.Check(t, "close", p.Close())
	}
	_, err := NewStagePool(poolrt.WithAllocator("pinned"))
	rig.Refused(t, "pinned", err, poolrt.ErrNoDriver)
	p := rig.Must(NewFlowStagePool(poolrt.WithAllocator("pinned")))
	if got, why := p.Effective(); got != "host" || why == "" || p.Requested() != "pinned" {
		t.Errorf("%s is in force, %q", got, why)
	}
	rig.Check(t, "close", p.Close())
}

// A device that does not exist is refused, also with memory that is on none.
func TestNoSuchDevice(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	for _, allocator := range []string{"host", "pinned", "managed", "custom"} {
		_, err := NewStagePool(poolrt.WithAllocator(allocator), poolrt.OnDevice(1))
		rig.Refused(t, allocator, err, poolrt.ErrUnsupported)
		p := rig.Must(NewStagePool(poolrt.WithAllocator(allocator), poolrt.OnDevice(0)))
		rig.Check(t, "close", p.Close())
	}
}

// The pool of the package functions has the allocator that is configured before its first use.
func TestDefaultPool(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: -1})
	rig.Refused(t, "device", ConfigureDefaultStagePool(poolrt.WithAllocator("device")), poolrt.ErrUnsupported)
	rig.Check(t, "custom", ConfigureDefaultStagePool(poolrt.WithAllocator("custom")))
	own := taken.Load()
	b := rig.Must(AllocStage(1000))
	if taken.Load() != own+1 {
		t.Error("the chunk is not from the functions of the package")
	}
	rig.Refused(t, "host", ConfigureDefaultStagePool(poolrt.WithAllocator("host")), poolrt.ErrLive)
	rig.Check(t, "free", FreeStage(b))
	rig.Check(t, "close", DefaultStagePool().Close())
}
