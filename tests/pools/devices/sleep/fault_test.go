//go:build cudasim

package sleep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Codes of the driver for calls that fail.
const (
	outOfMemory = 2
	unknown     = 999
)

// faulty is a pool with blocks on two pages, between which a block was freed, and on pages of another size of row.
type faulty struct {
	rig.Subject
	live []any
}

func newFaulty(t *testing.T, pool any) *faulty {
	machine(t)
	f := &faulty{Subject: rig.SubjectOf(pool)}
	for i := range 4 {
		f.live = append(f.live, f.written(t, page, uint64(i)))
	}
	rig.Check(t, "free", f.Do("Free", f.live[1])) // so there are two rows of pages
	f.live[1] = f.written(t, 256, 1)
	return f
}

func (f *faulty) written(t *testing.T, n int, seed uint64) any {
	t.Helper()
	return written(t, rig.Must(f.Take("Alloc", n)).(span), seed)
}

// whole checks that the pool is awake and has all its contents, and closes it.
func (f *faulty) whole(t *testing.T) {
	t.Helper()
	if s := f.Stats(); s.Asleep != 0 || s.Live != 4 {
		t.Errorf("awake: %v", s)
	}
	for i, b := range f.live {
		holds(t, b.(span), uint64(i))
		rig.Check(t, "free", f.Do("Free", b))
	}
	rig.Check(t, "free", f.Do("Free", rig.Must(f.Take("Alloc", 5*page))))
	rig.Check(t, "close", f.Do("Close"))
	if n := hostBudget.Reserved(); n != 0 {
		t.Errorf("closed, %d bytes of the host count as in use", n)
	}
}

// faults are the pools in which each call of the driver fails in turn.
var faults = map[string]func() any{"Flow": func() any { return new(FlowPool) }, "Staged": func() any { return new(StagedPool) }}

// failing makes each call of the driver that something makes fail in turn, and then checks the pool.
func failing(t *testing.T, prepare func(*faulty) error, do func(*faulty) error, then func(*testing.T, *faulty, error)) {
	for name, pool := range faults {
		calls := 0
		t.Run(name+"/counting", func(t *testing.T) {
			f := newFaulty(t, pool())
			rig.Check(t, "prepare", prepare(f))
			before := sim.Calls("")
			err := do(f)
			calls = sim.Calls("") - before
			then(t, f, err)
		})
		if calls < 8 {
			t.Errorf("only %d calls of the driver", calls)
		}
		for _, code := range []int{outOfMemory, unknown} {
			for nth := range calls {
				t.Run(fmt.Sprint(name, "/", code, "/", nth), func(t *testing.T) {
					f := newFaulty(t, pool())
					rig.Check(t, "prepare", prepare(f))
					sim.Fail("", 1+nth, code)
					then(t, f, do(f))
				})
			}
		}
	}
}

// Whichever call of the driver fails in Sleep, the pool is awake with its contents or, where memory did not go back, asleep; and Wake brings them back.
func TestSleepFails(t *testing.T) {
	nothing := func(*faulty) error { return nil }
	failing(t, nothing, func(f *faulty) error { return f.Do("Sleep", ctx) }, func(t *testing.T, f *faulty, err error) {
		s := f.Stats()
		switch asleep := s.Asleep == 1; {
		case errors.Is(err, poolrt.ErrNotReturned) != (asleep && s.Reserved > 0), err == nil && (!asleep || s.Reserved != 0), !asleep && s.Reserved < 4*page:
			t.Errorf("%v; %v", err, s)
		case asleep:
			rig.Refused(t, "alloc", rig.Second(f.Take("Alloc", 1)), poolrt.ErrAsleep)
			rig.Check(t, "wake", f.Do("Wake", ctx))
		}
		f.whole(t)
	})
}

// Whichever call fails in Wake, the pool sleeps on and has no memory, or is awake; and Wake can be repeated.
func TestWakeFails(t *testing.T) {
	sleep := func(f *faulty) error { return f.Do("Sleep", ctx) }
	failing(t, sleep, func(f *faulty) error { return f.Do("Wake", ctx) }, func(t *testing.T, f *faulty, err error) {
		s := f.Stats()
		if (err == nil) != (s.Asleep == 0) || err != nil && s.Reserved != 0 {
			t.Errorf("%v; %v", err, s)
		}
		rig.Check(t, "wake", f.Do("Wake", ctx))
		f.whole(t)
	})
}

// Pages that the driver does not unmap stay until Wake, or go in Close; nothing is unmapped or mapped twice.
func TestStuck(t *testing.T) {
	for _, wake := range []bool{true, false} {
		t.Run(fmt.Sprint(wake), func(t *testing.T) {
			p := new(FlowPool)
			f := newFaulty(t, p)
			sim.Fail("cuMemUnmap", 0, unknown)
			rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrNotReturned)
			is(t, p, 1, 4, 4)
			rig.Refused(t, "limit", p.SetLimit(page), poolrt.ErrLive)
			rig.Check(t, "free", f.Do("Free", f.live[3]))
			copies := sim.Calls("cuMemcpyHtoDAsync")
			sim.Fail("cuMemUnmap", 0, 0)
			if !wake {
				for _, b := range f.live[:3] {
					rig.Check(t, "free", f.Do("Free", b))
				}
				rig.Check(t, "close", p.Close())
				return
			}
			rig.Check(t, "wake", p.Wake(ctx))
			if n := sim.Calls("cuMemcpyHtoDAsync") - copies; n != 0 {
				t.Errorf("%d copies to pages that had kept their contents", n)
			}
			rig.Must(p.Trim(0))
			is(t, p, 0, 3, 0)
			f.live[3] = f.written(t, page, 3)
			f.whole(t)
		})
	}
}

// Random calls, some of which fail at a random call of the driver, never lose a block or its bytes.
func TestRandom(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			machine(t)
			p := []any{new(BinnedPool), new(StagedPool)}[seed%2]
			w := &walk{Rand: rand.New(rand.NewPCG(seed, 3)), p: rig.SubjectOf(p), live: map[any]uint64{}}
			for range 120 {
				w.step(t)
			}
			rig.Check(t, "wake", w.p.Do("Wake", ctx))
			for b, seed := range w.live {
				holds(t, b.(span), seed)
				rig.Check(t, "free", w.p.Do("Free", b))
			}
			rig.Check(t, "close", w.p.Do("Close"))
		})
	}
}

// walk is a pool, its live blocks, and whether it is asleep.
type walk struct {
	*rand.Rand
	p      rig.Subject
	live   map[any]uint64
	asleep bool
	serial uint64
}

// step makes one call, and checks its result.
func (w *walk) step(t *testing.T) {
	switch w.IntN(10) {
	case 0, 1, 2, 3:
		b, err := w.p.Take("Alloc", 1+w.IntN([]int{300, 5000, 3 * page}[w.IntN(3)]))
		switch {
		case w.asleep:
			rig.Refused(t, "alloc", err, poolrt.ErrAsleep)
		case err == nil:
			w.serial++
			w.live[b] = w.serial
			written(t, b.(span), w.serial)
		default:
			rig.Refused(t, "alloc", err, poolrt.ErrLimit)
		}
	case 4, 5:
		for b := range w.live {
			delete(w.live, b)
			rig.Check(t, "free", w.p.Do("Free", b))
			break
		}
	case 6:
		_ = w.p.Do("Trim", int64(w.IntN(2))*page)
	case 7, 8:
		end := w.perhapsFail()
		err := w.p.Do("Sleep", ctx)
		end()
		if w.asleep {
			rig.Refused(t, "sleep", err, poolrt.ErrAsleep)
		}
		w.asleep = w.asleep || err == nil || errors.Is(err, poolrt.ErrNotReturned)
	case 9:
		end := w.perhapsFail()
		w.asleep = w.p.Do("Wake", ctx) != nil && w.asleep
		end()
	}
	if s := w.p.Stats(); (s.Asleep == 1) != w.asleep || s.Live != int64(len(w.live)) {
		t.Fatalf("asleep %v, %d live: %v", w.asleep, len(w.live), s)
	}
}

// perhapsFail makes all calls of one function fail, until the function that it returns is called.
func (w *walk) perhapsFail() (end func()) {
	functions := []string{"cuMemHostRegister", "cuMemHostUnregister", "cuEventRecord", "cuEventSynchronize", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuMemUnmap", "cuMemMap", "cuMemCreate", "cuMemSetAccess",
		"cuMemRelease", "cuStreamSynchronize", "cuCtxSynchronize"}
	if w.IntN(3) == 0 {
		return func() {}
	}
	f := functions[w.IntN(len(functions))]
	sim.Fail(f, 0, []int{outOfMemory, unknown}[w.IntN(2)])
	return func() { sim.Fail(f, 0, 0) }
}
