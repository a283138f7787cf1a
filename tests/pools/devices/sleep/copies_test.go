//go:build cudasim

package sleep

import (
	"context"
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// copier is a pool with its copies.
type copier[S span] interface {
	pool[S]
	CopyToDevice(S, []byte, cuda.Stream) error
	CopyToHost([]byte, S, cuda.Stream) error
	CopyPeer(S, S, cuda.Stream) error
	Zero(S, cuda.Stream) error
}

// A pool asleep refuses its own copies before the driver sees them, whichever pool of a device the block is of.
func TestCopies(t *testing.T) {
	t.Run("Flow", func(t *testing.T) { copies(t, new(FlowPool), 0) })
	t.Run("Staged", func(t *testing.T) { copies(t, new(StagedPool), 0) })
	t.Run("Each", func(t *testing.T) { copies(t, new(EachPool), 0) })
	t.Run("one of Each", func(t *testing.T) { copies(t, new(EachPool).On(1), 1) })
}

func copies[S span](t *testing.T, p copier[S], device cuda.Device) {
	machine(t)
	rig.Closing(t, p)
	s := rig.Stream(t, device)
	a, b := written(t, rig.Must(p.Alloc(1000)), 1), rig.Must(p.Alloc(1000))
	host := make([]byte, 1000)
	ways := map[string]func() error{
		"to the device": func() error { return p.CopyToDevice(a, host, s) }, "to the host": func() error { return p.CopyToHost(host, a, s) },
		"to a block": func() error { return p.CopyPeer(b, a, s) }, "zero": func() error { return p.Zero(b, s) },
	}
	rig.Check(t, "sleep", p.Sleep(ctx))
	calls := sim.Calls("")
	for what, do := range ways {
		rig.Refused(t, what, do(), poolrt.ErrAsleep)
	}
	if n := sim.Calls("") - calls; n != 0 {
		t.Errorf("%d calls of the driver", n)
	}
	rig.Check(t, "wake", p.Wake(ctx))
	for what, do := range ways {
		rig.Check(t, what, do())
	}
	rig.Check(t, "free", errors.Join(p.Free(a), p.Free(b)))
}

// The pools of a group sleep together, or none does. Those with contents wake first.
func TestGroup(t *testing.T) {
	machine(t)
	lost, staged, counted := new(LostPool), new(StagedPool), new(CountedPool)
	group := poolrt.NewGroup("all", lost, new(CushionPool), staged, counted)
	a, b, c := rig.Must(lost.Alloc(page)), written(t, rig.Must(staged.Alloc(page)), 2), written(t, rig.Must(counted.Alloc(12*page)), 3)
	rig.Refused(t, "sleep", group.SleepAll(ctx), poolrt.ErrLimit) // there is no room on the host for the last
	is(t, lost, 0, 1, 0)
	is(t, staged, 0, 1, 3)
	is(t, counted, 0, 12, 0)
	holds(t, b, 2)
	rig.Check(t, "free", counted.Free(c))
	c = written(t, rig.Must(counted.Alloc(2*page)), 3)
	rig.Check(t, "sleep", group.SleepAll(ctx))
	var woke []string
	defer poolrt.OnEvent(func(e poolrt.Event) { woke = append(woke, e.Pool) })()
	rig.Refused(t, "wake", group.WakeAll(&ends{ctx, 2}), context.Canceled)
	rig.Check(t, "wake", group.WakeAll(ctx))
	if len(woke) != 3 || woke[2] != "sleep.Lost" {
		t.Errorf("%v woke", woke)
	}
	holds(t, b, 2)
	holds(t, c, 3)
	rig.Check(t, "free", errors.Join(lost.Free(a), staged.Free(b), counted.Free(c), group.CloseAll()))
}
