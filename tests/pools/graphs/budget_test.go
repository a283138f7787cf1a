//go:build cudasim

package graphs

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const mib = 1 << 20

// night is a pool with a block of 8 MiB and a graph of 2 MiB, in a budget of 16 MiB that it shares with another one.
type night struct {
	weight *WeightPool
	need   *NeedPool
	block  WeightSpan
	graph  cuda.Graph
	on     cuda.Stream
}

func newNight(t *testing.T) *night {
	t.Helper()
	rig.Machine(t, config)
	n := &night{weight: new(WeightPool), need: new(NeedPool), on: rig.Stream(t, 0)}
	n.block = rig.Must(n.weight.Alloc(8 * mib))
	rig.Check(t, "write", cuda.CopyToDevice(n.block.Addr(), []byte("contents")))
	rig.Check(t, "begin", n.on.BeginCaptureWith([]poolrt.Capturer{n.weight}))
	b := rig.Must(n.weight.AllocOn(1000, n.on))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 7, b.Bytes(), n.on))
	n.graph = rig.Must(n.on.EndCapture())
	return n
}

// asleep checks what the first pool holds.
func (n *night) asleep(t *testing.T, asleep, reserved, private int64) {
	t.Helper()
	if s := n.weight.Stats(); s.Asleep != asleep || s.Reserved != reserved*mib || s.Private != private*mib {
		t.Errorf("asleep %d, %d bytes reserved, %d private; want %d, %d MiB, %d MiB", s.Asleep, s.Reserved, s.Private, asleep, reserved, private)
	}
}

// closed closes the pools, and the graph if it is open, and checks that the budget has all bytes back.
func (n *night) closed(t *testing.T) {
	t.Helper()
	if err := n.graph.Close(); !errors.Is(err, poolrt.ErrClosed) {
		rig.Check(t, "graph", err)
	}
	sim.RunAll()
	rig.Check(t, "need", n.need.CloseForce())
	rig.Check(t, "weight", n.weight.CloseForce())
	if b := n.weight.Budget(); b.Reserved() != 0 {
		t.Errorf("after closing %d bytes", b.Reserved())
	}
}

// A pool that goes to sleep for another gives all but the memory of its graphs. These are launched again when it has woken.
func TestSleepForAnother(t *testing.T) {
	n := newNight(t)
	defer n.closed(t)
	n.asleep(t, 0, 10, 2)
	b := rig.Must(n.need.Alloc(14 * mib))
	n.asleep(t, 1, 2, 2)
	if g := n.weight.Stats().Given; g != 8*mib {
		t.Errorf("%d given", g)
	}
	_, err := n.need.Alloc(2 * mib)
	rig.Refused(t, "alloc", err, poolrt.ErrLimit)
	rig.Refused(t, "launch", n.graph.Launch(n.on), poolrt.ErrAsleep)
	rig.Refused(t, "wake", n.weight.Wake(t.Context()), poolrt.ErrLimit)
	rig.Check(t, "free", n.need.Free(b))
	rig.Check(t, "wake", n.weight.Wake(t.Context())) // the other pool gives its pages
	n.asleep(t, 0, 10, 2)
	rig.Check(t, "launch", n.graph.Launch(n.on))
	back := make([]byte, 8)
	if err := cuda.CopyToHost(back, n.block.Addr()); err != nil || string(back) != "contents" {
		t.Errorf("%q, %v", back, err)
	}
}

// While a stream is captured no pool goes to sleep for another, also not for a graph. It gives pages without blocks all the same.
func TestNoSleepForAGraph(t *testing.T) {
	n := newNight(t)
	defer n.closed(t)
	rig.Check(t, "free", n.weight.Free(rig.Must(n.weight.Alloc(2*mib))))
	rig.Check(t, "begin", n.on.BeginCaptureWith([]poolrt.Capturer{n.need}))
	for range 3 { // 4 MiB are free, and a page is
		rig.Must(n.need.AllocOn(2*mib, n.on))
	}
	_, err := n.need.AllocOn(2*mib, n.on)
	rig.Refused(t, "alloc", err, poolrt.ErrLimit)
	n.asleep(t, 0, 10, 2)
	rig.Check(t, "graph", rig.Must(n.on.EndCapture()).Close())
}

// A pool does not go to sleep for another while a stream may be at work with it: while it is, or if the driver does not say.
func TestNoSleepInUse(t *testing.T) {
	n := newNight(t)
	defer n.closed(t)
	b := rig.Must(n.weight.AllocOn(1000, n.on))
	rig.Check(t, "free", n.weight.FreeOn(b, n.on)) // from now on the pool knows the stream
	sim.RunAll()
	sim.Fail("cuStreamGetId", 0, int(cuda.ResultInvalidValue))
	_, err := n.need.Alloc(14 * mib)
	sim.Fail("cuStreamGetId", 0, 0)
	rig.Refused(t, "alloc", err, poolrt.ErrLimit)
	if s := n.weight.Stats(); s.Asleep != 0 {
		t.Error("a pool goes to sleep although the driver does not say whether a stream is at work")
	}
	rig.Check(t, "free", n.need.Free(rig.Must(n.need.Alloc(14*mib))))
}

// What a graph has had that is gone is room for its pool to wake, and for others.
func TestWakeAfterTheGraph(t *testing.T) {
	for name, taker := range map[string]func(*night) error{
		"wake": func(n *night) error { return n.weight.Wake(t.Context()) },
		"alloc": func(n *night) error {
			_, err := n.need.Alloc(8 * mib)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNight(t)
			defer n.closed(t)
			rig.Check(t, "sleep", n.weight.Sleep(t.Context()))
			b := rig.Must(n.need.Alloc(8 * mib)) // 6 MiB are left
			exec := rig.Must(n.graph.Instantiate())
			rig.Check(t, "graph", n.graph.Close())
			rig.Refused(t, name, taker(n), poolrt.ErrLimit)
			rig.Check(t, "exec", exec.Close())
			sim.RunAll()
			rig.Check(t, name, taker(n))
			rig.Check(t, "free", n.need.Free(b))
		})
	}
}

// Wake returns the memory of a graph that is gone also if the pool has no other.
func TestWakeWithoutPages(t *testing.T) {
	n := newNight(t)
	defer n.closed(t)
	rig.Check(t, "free", n.weight.Free(n.block))
	rig.Must(n.weight.Trim(0))
	rig.Check(t, "sleep", n.weight.Sleep(t.Context()))
	rig.Check(t, "graph", n.graph.Close())
	sim.RunAll()
	rig.Check(t, "wake", n.weight.Wake(t.Context()))
	n.asleep(t, 0, 0, 0)
}

// CloseForce of a pool asleep returns the memory of its graphs, also while a stream is captured.
func TestCloseForceAsleep(t *testing.T) {
	n := newNight(t)
	rig.Check(t, "sleep", n.weight.Sleep(t.Context()))
	rig.Refused(t, "close", n.weight.Close(), poolrt.ErrLive)
	rig.Check(t, "begin", n.on.BeginCaptureWith([]poolrt.Capturer{n.need}))
	rig.Check(t, "close", n.weight.CloseForce())
	rig.Must(n.need.AllocOn(16*mib, n.on))
	rig.Refused(t, "launch", n.graph.Launch(rig.Stream(t, 0)), poolrt.ErrClosed)
	rig.Check(t, "close", rig.Must(n.on.EndCapture()).Close())
	n.closed(t)
}
