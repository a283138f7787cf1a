//go:build cudasim

package chosen

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// obtains is the call of the driver by which each allocator obtains memory.
var obtains = map[string]string{
	"device": "cuMemAlloc", "device_async": "cuMemAllocAsync", "device_pool": "cuMemAllocFromPoolAsync", "device_virtual": "cuMemMap",
	"pinned": "cuMemHostAlloc", "managed": "cuMemAllocManaged",
}

// calls counts those of all allocators.
func calls() map[string]int {
	n := map[string]int{}
	for _, function := range obtains {
		n[function] = sim.Calls(function)
	}
	return n
}

// onlyCalled checks that of the calls in obtains, only those of the allocator were made since.
func onlyCalled(t *testing.T, allocator string, before map[string]int) {
	t.Helper()
	for function, n := range calls() {
		if made := n > before[function]; made != (function == obtains[allocator]) {
			t.Errorf("%s: %s was called: %t", allocator, function, made)
		}
	}
}

// with runs a test on a machine of its own for each allocator.
func with(t *testing.T, allocators []string, test func(t *testing.T, allocator string)) {
	for _, allocator := range allocators {
		t.Run(allocator, func(t *testing.T) {
			rig.Machine(t, sim.Config{Schedule: 1})
			test(t, allocator)
		})
	}
}

// described is what every pool says of its allocator.
type described interface {
	Requested() string
	Effective() (allocator, reason string)
}

// inForce checks what a pool says of its allocator.
func inForce(t *testing.T, p described, allocator string) {
	t.Helper()
	if got, why := p.Effective(); got != allocator || why != "" || p.Requested() != allocator {
		t.Errorf("%s: in force is %q, requested %q, %q", allocator, got, p.Requested(), why)
	}
}

// Each allocator of a device serves a pool with streams: blocks, trimming, limits and the end of the pool.
func TestFlow(t *testing.T) {
	with(t, []string{"device_virtual", "device_pool", "device_async", "device"}, func(t *testing.T, allocator string) {
		s := rig.Stream(t, 0)
		before := calls()
		p := rig.Must(NewFlowPool(poolrt.WithAllocator(allocator), poolrt.WithName("chosen.Flow of "+allocator)))
		inForce(t, p, allocator)
		var blocks []FlowSpan
		for range 8 {
			b := rig.Must(p.AllocOn(1<<20, s))
			rig.Check(t, "zero", b.Zero(s))
			blocks = append(blocks, b)
		}
		rig.Refused(t, "alloc", rig.Second(p.Alloc(1)), poolrt.ErrLimit)
		onlyCalled(t, allocator, before)
		if st := p.Stats(); st.Live != 8 || st.Reserved != 8<<20 || st.Chunks != 4 {
			t.Errorf("%+v", st)
		}
		for _, i := range poolrt.Pools() {
			if i.Name == "chosen.Flow of "+allocator && (i.Allocator != allocator || i.Requested != allocator) {
				t.Errorf("%+v", i)
			}
		}
		for _, b := range blocks {
			rig.Check(t, "free", p.FreeOn(b, s))
		}
		whole := rig.Must(p.AllocOn(1<<20, s))
		rig.Refused(t, "close", p.Close(), poolrt.ErrLive)
		rig.Check(t, "free", p.FreeAsync(whole, s))
		rig.Check(t, "synchronize", s.Synchronize())
		p.Poll()
		if n := rig.Must(p.Trim(0)); n != 8<<20 {
			t.Errorf("%d bytes trimmed", n)
		}
		rig.Check(t, "close", p.Close())
	})
}

// One core serves pages and chunks: it joins the pages of two blocks for a larger one, and returns two chunks to get a large one.
func TestPagesOrChunks(t *testing.T) {
	pieces := map[string]int64{"device_virtual": 2, "device": 1, "device_pool": 1, "device_async": 1}
	with(t, []string{"device_virtual", "device", "device_pool", "device_async"}, func(t *testing.T, allocator string) {
		p := rig.Must(NewRowPool(poolrt.WithAllocator(allocator), poolrt.WithLimit(4<<20)))
		a, b := rig.Must(p.Alloc(2<<20)), rig.Must(p.Alloc(2<<20))
		rig.Check(t, "free", p.Free(a))
		rig.Check(t, "free", p.Free(b))
		whole := rig.Must(p.Alloc(4 << 20))
		if st := p.Stats(); st.Chunks != pieces[allocator] || st.Reserved != 4<<20 {
			t.Errorf("%d chunks of %d bytes", st.Chunks, st.Reserved)
		}
		rig.Check(t, "free", p.Free(whole))
		rig.Check(t, "close", p.Close())
	})
}

// Memory of each allocator is zero when a pool has it for the first time.
func TestZeroFirst(t *testing.T) {
	with(t, []string{"device_async", "device_virtual", "device", "device_pool"}, func(t *testing.T, allocator string) {
		s := rig.Stream(t, 0)
		p := rig.Must(NewCellPool(poolrt.WithAllocator(allocator)))
		inForce(t, p, allocator)
		block, got := rig.Must(p.AllocOn(s)), new([64]float32)
		got[7] = 1
		rig.Check(t, "copy", p.CopyToHost(got, block, s))
		rig.Check(t, "synchronize", s.Synchronize())
		if *got != ([64]float32{}) {
			t.Errorf("%s: the block holds %v", allocator, *got)
		}
		rig.Check(t, "free", p.FreeOn(block, s))
		rig.Check(t, "synchronize", s.Synchronize())
		rig.Check(t, "close", p.Close())
	})
}

// Sharded pools, and those with blocks of the driver, have the allocator that was chosen.
func TestOtherForms(t *testing.T) {
	with(t, []string{"device", "device_virtual"}, func(t *testing.T, allocator string) {
		p := rig.Must(NewSlabPool(poolrt.WithAllocator(allocator)))
		inForce(t, p, allocator)
		small, large := rig.Must(p.Alloc(100)), rig.Must(p.Alloc(1<<20))
		rig.Check(t, "free", p.Free(small))
		rig.Check(t, "free", p.Free(large))
		rig.Check(t, "close", p.Close())
	})
	with(t, []string{"device_pool", "device_async"}, func(t *testing.T, allocator string) {
		s := rig.Stream(t, 0)
		made := sim.Calls("cuMemPoolCreate")
		p := rig.Must(NewQueuePool(poolrt.WithAllocator(allocator)))
		inForce(t, p, allocator)
		b := rig.Must(p.AllocOn(1<<20, s))
		rig.Check(t, "free", p.FreeOn(b, s))
		rig.Check(t, "synchronize", s.Synchronize())
		if own := sim.Calls("cuMemPoolCreate") > made; own != (allocator == "device_pool") {
			t.Errorf("%s: a pool of its own is %t", allocator, own)
		}
		rig.Check(t, "close", p.Close())
	})
}

// Methods of a driver's pool work where the allocator chosen has one, and are refused elsewhere.
func TestDriverPool(t *testing.T) {
	for allocator, has := range map[string]bool{"device": false, "device_virtual": false, "device_async": true, "device_pool": true} {
		rig.Machine(t, sim.Config{Schedule: 1})
		p := rig.Must(NewFlowPool(poolrt.WithAllocator(allocator)))
		if _, err := p.DriverStats(); has {
			rig.Check(t, "stats", err)
			rig.Check(t, "reset peaks", p.ResetPeaks())
		} else {
			rig.Refused(t, "stats", err, poolrt.ErrUnsupported)
			rig.Refused(t, "set", p.SetDriverAttr(cuda.UsedHigh, 0), poolrt.ErrUnsupported)
		}
		rig.Check(t, "close", p.Close())
	}
}
