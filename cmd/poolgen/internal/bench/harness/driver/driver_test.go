//go:build cudasim

package driver

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Each allocator has calls of the driver as peers, and these free all that they allocated.
func TestPeers(t *testing.T) {
	for _, a := range spec.Allocators() {
		if !a.NeedsDriver() {
			continue
		}
		sim.Reset(sim.Config{Schedule: 1})
		peers, err := Peers(string(a), 0)()
		if err != nil || len(peers) == 0 {
			t.Errorf("%s: %d peers, %v", a, len(peers), err)
		}
		for _, p := range peers {
			for _, c := range []harness.Case{{Name: "churn", Live: 10, Threads: 2}, {Name: "batch", Live: 64, Threads: 1}} {
				workers, end, err := p.Open(harness.Work{Case: c, Sizes: harness.Sizes{Least: 1, Most: 5000}, Item: 8}.Loads())
				if err != nil {
					t.Fatalf("%s: %v", p.Name, err)
				}
				for _, w := range workers {
					if done, err := w(100); err != nil || done < 100 {
						t.Errorf("%s, %s: %d done, %v", p.Name, c, done, err)
					}
				}
				if err := end(); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if _, err := p.Once(1 << 20); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
		for _, f := range sim.Findings() {
			t.Errorf("%s: %s", a, f)
		}
	}
}

// Whichever call of the driver fails during an allocation, nothing remains allocated.
func TestPeersThatFail(t *testing.T) {
	for _, allocator := range []spec.Allocator{spec.DeviceVirtual, spec.TextureTile} {
		for _, function := range []string{"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess"} {
			sim.Reset(sim.Config{Schedule: 1})
			peers, err := Peers(string(allocator), 0)()
			fatal.If(t, err)
			sim.Fail(function, 1, 1)
			if _, err := peers[0].Once(1 << 20); err == nil && sim.Calls(function) > 0 {
				t.Errorf("%s: %s goes on", peers[0].Name, function)
			}
			for _, f := range sim.Findings() {
				t.Errorf("%s: %s fails: %s", peers[0].Name, function, f)
			}
		}
	}
}
