//go:build cudasim

package devices

import (
	"strings"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// listen collects the events of one pool until the test ends.
func listen(t *testing.T, pool string, kind poolrt.EventKind) func() []poolrt.Event {
	var mu sync.Mutex
	var seen []poolrt.Event
	t.Cleanup(poolrt.OnEvent(func(e poolrt.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Pool == pool && e.Kind == kind {
			seen = append(seen, e)
		}
	}))
	return func() []poolrt.Event {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

const (
	managedMemory = 83
	virtualMemory = 102
	memoryPools   = 115
)

func TestFallback(t *testing.T) {
	for _, c := range []struct {
		name    string
		lacking []int32
		stand   string // the allocator in use for device_virtual, device_pool, device
		why     []string
		stage   string // the allocator in use for managed, pinned, host
	}{
		{"nothing lacks", nil, "device_virtual", nil, "managed"},
		{"first lacks", []int32{virtualMemory}, "device_pool", []string{"device_virtual: ", "virtual memory management"}, "managed"},
		{"two lack", []int32{virtualMemory, memoryPools}, "device", []string{"device_virtual: ", "device_pool: ", "memory pools"}, "managed"},
		{"managed lacks", []int32{managedMemory}, "device_virtual", nil, "pinned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			machine(t, sim.Config{})
			for _, a := range c.lacking {
				sim.SetAttribute(0, a, 0)
			}
			events := listen(t, "devices.Stand", poolrt.EventFallback)
			p := new(StandPool)
			rig.Closing(t, p)
			b := rig.Must(p.Alloc(1000))
			rig.Check(t, "free", p.Free(b))
			got, why := p.Effective()
			if got != c.stand || (why == "") != (c.why == nil) {
				t.Errorf("%s: %s", got, why)
			}
			for _, word := range c.why {
				if !strings.Contains(why, word) {
					t.Errorf("%q does not have %q", why, word)
				}
			}
			if want := min(1, len(c.why)); len(events()) != want || p.Requested() != "device_virtual" {
				t.Errorf("%d events, want %d", len(events()), want)
			}
			stage := new(StagePool)
			rig.Closing(t, stage)
			host := rig.Must(stage.Alloc(1000))
			host[999] = 1
			rig.Check(t, "free", stage.Free(host))
			if got, why := stage.Effective(); got != c.stage {
				t.Errorf("%s: %s", got, why)
			}
		})
	}
}

// A pool with an allocator that uses the driver's pools has their methods, whatever fallback is in use.
func TestDriverPoolOfFallback(t *testing.T) {
	machine(t, sim.Config{})
	sim.SetAttribute(0, memoryPools, 0)
	p := rig.Must(NewLoosePool())
	rig.Closing(t, p)
	rig.Refused(t, "stats", rig.Second(p.DriverStats()), poolrt.ErrUnsupported)
	rig.Refused(t, "attribute", rig.Second(p.DriverAttr(cuda.UsedHigh)), poolrt.ErrUnsupported)
	rig.Refused(t, "set", p.SetDriverAttr(cuda.UsedHigh, 0), poolrt.ErrUnsupported)
	rig.Refused(t, "handle", rig.Second(p.DriverHandle()), poolrt.ErrUnsupported)
	rig.Refused(t, "peaks", p.ResetPeaks(), poolrt.ErrUnsupported)
	b := rig.Must(p.Alloc(1000))
	rig.Check(t, "free", p.Free(b))
	if n := rig.Must(p.Trim(0)); n == 0 {
		t.Error("nothing trimmed")
	}
}

// If no fallback works, the error names the first reason, and the pool can be used once the allocator works.
func TestNoFallback(t *testing.T) {
	machine(t, sim.Config{})
	sim.SetAttribute(0, memoryPools, 0)
	p := new(SharedPool)
	rig.Closing(t, p)
	_, err := p.Alloc(1)
	rig.Refused(t, "alloc", err, poolrt.ErrUnsupported)
	if got, why := p.Effective(); got != "" || !strings.Contains(why, "memory pools") {
		t.Errorf("%q: %s", got, why)
	}
	_, err = p.DriverStats()
	rig.Refused(t, "stats", err, poolrt.ErrUnsupported)
	sim.SetAttribute(0, memoryPools, 1)
	b := rig.Must(p.Alloc(1))
	rig.Check(t, "free", p.Free(b))
}

// Without a driver, page-locked memory falls back to ordinary memory if the pool file allows it.
func TestNoDriver(t *testing.T) {
	machine(t, sim.Config{Devices: -1})
	stage, row := new(StagePool), new(RowPool)
	b := rig.Must(stage.Alloc(1000))
	b[0] = 1
	rig.Check(t, "free", stage.Free(b))
	if got, why := stage.Effective(); got != "host" || !strings.Contains(why, "managed: ") || !strings.Contains(why, "pinned: ") {
		t.Errorf("%s: %s", got, why)
	}
	rig.Check(t, "close", stage.Close())
	_, err := row.Alloc(1)
	rig.Refused(t, "device memory", err, poolrt.ErrNoDriver)
	rig.Check(t, "close", row.Close())
}
