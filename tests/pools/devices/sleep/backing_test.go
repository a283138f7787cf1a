//go:build cudasim

package sleep

import (
	"context"
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// locked returns how many pieces of host memory are page-locked.
func locked() int { return sim.Live()[sim.KindRegistered] }

// With backing staged only two buffers of a batch are page-locked, however much sleeps; they and the ordinary memory stay until Trim or Close.
func TestStaged(t *testing.T) {
	machine(t)
	p := new(StagedPool)
	rig.Closing(t, p)
	b, c := written(t, rig.Must(p.Alloc(5*page)), 1), written(t, rig.Must(p.Alloc(100)), 2)
	const buffers = 2
	for i := range 3 {
		calls := sim.Calls("cuMemHostRegister")
		rig.Check(t, "sleep", p.Sleep(ctx))
		is(t, p, 1, 0, 6+buffers)
		if n := sim.Calls("cuMemHostRegister") - calls; locked() != buffers || i > 0 && n > 0 {
			t.Errorf("sleep %d: %d pieces are page-locked, %d now", i, locked(), n)
		}
		rig.Must(p.Trim(0)) // all of it has contents
		is(t, p, 1, 0, 6+buffers)
		rig.Check(t, "wake", p.Wake(ctx))
		is(t, p, 0, 6, 6+buffers)
		holds(t, b, 1)
		holds(t, c, 2)
	}
	rig.Must(p.Trim(0))
	if is(t, p, 0, 6, 0); locked() != 0 {
		t.Errorf("%d pieces are page-locked", locked())
	}
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "free", errors.Join(p.Free(b), p.Free(c)))
	rig.Must(p.Trim(0))
	is(t, p, 1, 0, 0)
	rig.Check(t, "wake", p.Wake(ctx))
}

// prime obtains the backing for the limit in force when the pool is opened: then Sleep obtains none.
func TestPrimed(t *testing.T) {
	machine(t)
	p := rig.Must(NewPrimedPool(poolrt.WithLimit(6 * page)))
	rig.Closing(t, p)
	is(t, p, 0, 0, 6)
	q := new(ReadyPool)
	rig.Closing(t, q)
	is(t, q, 0, 0, 0)
	b := written(t, rig.Must(q.Alloc(3*page)), 1)
	is(t, q, 0, 3, 6+3) // two buffers of 3 MiB
	calls := sim.Calls("cuMemHostRegister")
	rig.Check(t, "sleep", q.Sleep(ctx))
	rig.Check(t, "wake", q.Wake(ctx))
	if n := sim.Calls("cuMemHostRegister") - calls; n != 0 {
		t.Errorf("the first sleep page-locked memory %d times", n)
	}
	holds(t, b, 1)
	rig.Check(t, "free", q.Free(b))
	rig.Refused(t, "no limit", rig.Second(NewPrimedPool(poolrt.WithLimit(poolrt.NoLimit))), poolrt.ErrLimit)
}

// If memory of the host lacks, a pool is not created. One that is used without being created serves, and its first sleep tries again.
func TestPrimeFails(t *testing.T) {
	machine(t)
	sim.Fail("cuMemHostRegister", 0, outOfMemory)
	rig.Refused(t, "new", rig.Second(NewReadyPool()), poolrt.ErrOutOfMemory)
	if n := hostBudget.Reserved(); n != 0 {
		t.Errorf("%d bytes of the host count as in use", n)
	}
	p := new(PrimedPool)
	rig.Closing(t, p)
	b := written(t, rig.Must(p.Alloc(page)), 1)
	rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrOutOfMemory)
	is(t, p, 0, 1, 0)
	sim.Fail("cuMemHostRegister", 0, 0)
	rig.Check(t, "sleep", p.Sleep(ctx))
	is(t, p, 1, 0, 1)
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Check(t, "free", p.Free(b))
}

// Backing counts against the budget of the key as long as there is any. A sleep that finds no room changes nothing; empty chunks of others make room.
func TestBudgetOfHost(t *testing.T) {
	machine(t)
	uses := func(pages int64) {
		t.Helper()
		if n := hostBudget.Reserved(); n != pages*page {
			t.Errorf("%d bytes of the host count as in use, want %d pages", n, pages)
		}
	}
	q := rig.Must(NewReadyPool())
	uses(6 + 3)
	p := new(CountedPool)
	rig.Closing(t, p)
	b, c := written(t, rig.Must(p.Alloc(2*page)), 1), written(t, rig.Must(p.Alloc(page)), 2)
	rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrLimit)
	is(t, p, 0, 3, 0)
	uses(6 + 3)
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "sleep", p.Sleep(ctx))
	uses(6 + 3 + 2)
	rig.Check(t, "wake", p.Wake(ctx))
	rig.Must(p.Trim(0))
	uses(6 + 3)
	rig.Check(t, "close", q.Close())
	uses(0)

	r := new(CushionPool)
	rig.Closing(t, r)
	rig.Check(t, "free", r.Free(rig.Must(r.Alloc(11<<20))))
	d := written(t, rig.Must(p.Alloc(4*page)), 4)
	held := r.Stats().Reserved
	rig.Check(t, "sleep", p.Sleep(ctx))
	if now := r.Stats().Reserved; held == 0 || now >= held {
		t.Errorf("the other pool holds %d bytes, and held %d", now, held)
	}
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	holds(t, d, 4)
	rig.Check(t, "free", errors.Join(p.Free(b), p.Free(d)))
}

// ends is a context that ends when it has been looked at so many times.
type ends struct {
	context.Context
	looks int
}

func (e *ends) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// The context is looked at before each batch, in both ways.
func TestBatches(t *testing.T) {
	machine(t)
	p := rig.Must(NewPrimedPool())
	rig.Closing(t, p)
	b := written(t, rig.Must(p.Alloc(6*page)), 1)
	for _, test := range []struct {
		way  func(context.Context) error
		copy string
	}{{func(c context.Context) error { return p.Sleep(c) }, "cuMemcpyDtoHAsync"}, {p.Wake, "cuMemcpyHtoDAsync"}} {
		for looks := range 4 {
			calls := sim.Calls(test.copy)
			rig.Refused(t, "over", test.way(&ends{ctx, looks}), context.Canceled)
			if n := sim.Calls(test.copy) - calls; n > looks {
				t.Errorf("%s: %d batches in %d looks", test.copy, n, looks)
			}
		}
		calls := sim.Calls(test.copy)
		rig.Check(t, test.copy, test.way(&ends{ctx, 100}))
		if n := sim.Calls(test.copy) - calls; n != 6 {
			t.Errorf("%s: %d batches, want 6", test.copy, n)
		}
	}
	holds(t, b, 1)
	rig.Check(t, "free", p.Free(b))
}
