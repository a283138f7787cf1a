//go:build cudasim

package devices

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// busy queues work on a stream that is not done before sim.RunAll, on separate memory.
func busy(t *testing.T, s cuda.Stream) {
	t.Helper()
	p := rig.Must(s.Device().Alloc(64))
	t.Cleanup(func() { rig.Check(t, "free", s.Device().Free(p)) })
	rig.Check(t, "work", cuda.MemsetAsync(p, 1, 64, s))
}

// A free on a stream of another device gets a fence there: it is reclaimed when that stream has passed it, and the pool can be closed, even if the stream
// ended first.
func TestFreeOnAnotherDevice(t *testing.T) {
	for name, ends := range map[string]bool{"stream stays": false, "stream ends": true} {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{Devices: 3})
			sim.Schedule(0)
			p := new(FlowRowPool)
			s := rig.Must(cuda.Device(2).NewStream(cuda.NonBlocking))
			busy(t, s)
			rig.Check(t, "free", p.FreeAsync(rig.Must(p.Alloc(1000)), s))
			if n := p.Poll(); n != 0 || p.Stats().Pending != 1 {
				t.Errorf("%d reclaimed before the stream has passed", n)
			}
			rig.Check(t, "free", p.FreeOn(rig.Must(p.Alloc(3000)), s)) // has no fence yet
			if ends {
				rig.Check(t, "stream", s.Close())
			}
			sim.RunAll()
			rig.Check(t, "close", p.Close())
			if !ends {
				rig.Check(t, "stream", s.Close())
			}
		})
	}
}

// An allocation at the limit makes a stream of one device wait for a stream of another.
func TestWaitForAnotherDevice(t *testing.T) {
	machine(t, sim.Config{Devices: 3})
	sim.Schedule(0)
	p := new(FlowRowPool)
	a, b := rig.Stream(t, 1), rig.Stream(t, 0)
	busy(t, a)
	var all []FlowRowSpan
	for range 8 {
		all = append(all, rig.Must(p.Alloc(64<<10)))
	}
	for _, x := range all {
		rig.Check(t, "free", p.FreeOn(x, a))
	}
	waits := sim.Calls("cuStreamWaitEvent")
	y := rig.Must(p.AllocOn(60<<10, b))
	if sim.Calls("cuStreamWaitEvent") == waits {
		t.Error("no stream was made to wait")
	}
	rig.Check(t, "free", p.FreeOn(y, b))
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}

// Ordinary memory as a fallback, on a machine with a device, keeps the order of its streams.
func TestFallbackKeepsOrder(t *testing.T) {
	machine(t, sim.Config{Devices: 2})
	sim.Schedule(0)
	sim.SetAttribute(0, managedMemory, 0)
	p := new(FlowSparePool)
	s, other := rig.Stream(t, 0), rig.Stream(t, 1)
	busy(t, s)
	busy(t, other)
	b := rig.Must(p.AllocOn(1000, s))
	first := &b[0]
	rig.Check(t, "free", p.FreeOn(b, s))
	rig.Check(t, "free", p.FreeAsync(rig.Must(p.Alloc(500)), other))
	if got, why := p.Effective(); got != "host" || why == "" {
		t.Errorf("%s: %s", got, why)
	}
	if n := p.Poll(); n != 0 || p.Stats().Pending != 2 {
		t.Errorf("%d reclaimed while the streams use the blocks", n)
	}
	c := rig.Must(p.Alloc(1000))
	if &c[0] == first {
		t.Error("a block that a stream uses was handed out without a stream")
	}
	rig.Check(t, "free", p.Free(c))
	sim.RunAll()
	if n := p.Poll(); n != 2 {
		t.Errorf("%d reclaimed, want 2", n)
	}
	rig.Check(t, "close", p.Close())
}
