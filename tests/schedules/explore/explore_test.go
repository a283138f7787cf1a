package explore_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/explore/atomic"
	"github.com/poolgen/poolgen/tests/schedules/explore/sync"
)

// unbounded is no bound.
var unbounded = explore.Budget{Preemptions: -1, Moves: -1, Delays: -1}

// vars are what the threads of a litmus test share, and what they have read.
type vars struct {
	x, y   atomic.Uint64
	mu     sync.Mutex
	cond   sync.Cond
	p, q   atomic.Bool
	a, b   uint64
	shared uint64 // guarded by mu
}

func relaxed(a *atomic.Uint64) { a.Cell().StoreRelaxed(explore.Value{N: 1}, "StoreRelaxed") }

// The threads of each litmus test end with exactly the results that Go's memory model allows, and that of the hardware for relaxed stores.
func TestResults(t *testing.T) {
	buffers := func(store func(*atomic.Uint64)) []func(*vars) {
		return []func(*vars){
			func(v *vars) { store(&v.x); v.a = v.y.Load() },
			func(v *vars) { store(&v.y); v.b = v.x.Load() },
		}
	}
	message := []func(*vars){
		func(v *vars) { relaxed(&v.x); relaxed(&v.y) },
		func(v *vars) { v.a = v.y.Load(); v.b = v.x.Load() },
	}
	increment := func(v *vars) { v.x.Store(v.x.Load() + 1); v.a = v.x.Load() }
	for _, test := range []struct {
		name    string
		threads []func(*vars)
		opt     explore.Options
		want    string // each result is a and b
	}{
		{"atomic stores are seen at once", buffers(func(a *atomic.Uint64) { a.Store(1) }), explore.Options{}, "01 10 11"},
		{"relaxed stores are seen late", buffers(relaxed), explore.Options{}, "00 01 10 11"},
		{"without delays they are not", buffers(relaxed), explore.Options{Bound: explore.Budget{Preemptions: -1, Moves: -1}}, "01 10 11"},
		{"an atomic store ends them", buffers(func(a *atomic.Uint64) { relaxed(a); new(atomic.Bool).Store(true) }), explore.Options{}, "01 10 11"},
		{"relaxed stores keep their order", message, explore.Options{}, "00 01 11"},
		{"but for weak machines", message, explore.Options{Weak: true}, "00 01 10 11"},
		{"a thread sees its own stores", []func(*vars){func(v *vars) { relaxed(&v.x); v.a = v.x.Load() }}, explore.Options{}, "10"},
		{"a pinned thread and a barrier", []func(*vars){
			func(v *vars) { explore.Pin(); relaxed(&v.x); v.a = v.y.Load(); explore.Unpin() },
			func(v *vars) { v.y.Store(1); explore.Synchronize(); v.b = v.x.Load() },
		}, explore.Options{}, "01 10 11"},
		{"an increment in two steps", []func(*vars){increment, increment}, explore.Options{}, "10 20"},
		{"it is lost by a preemption alone", []func(*vars){increment, increment}, explore.Options{Bound: explore.Budget{Moves: -1, Delays: -1}}, "20"},
		{"an increment in one step", []func(*vars){
			func(v *vars) { v.x.Add(1) }, func(v *vars) { v.x.Add(1) }, func(v *vars) { v.x.Add(1); v.y.Store(v.x.Load()) },
		}, explore.Options{}, "00"},
		{"an increment with a lock", []func(*vars){
			func(v *vars) { v.mu.Lock(); v.shared++; v.a = v.shared; v.mu.Unlock() },
			func(v *vars) { v.mu.Lock(); v.shared++; v.b = v.shared; v.mu.Unlock() },
		}, explore.Options{}, "12 21"},
		{"a wait for a condition", []func(*vars){
			func(v *vars) {
				v.mu.Lock()
				for v.shared == 0 {
					v.cond.Wait()
				}
				v.a = v.shared
				v.mu.Unlock()
			},
			func(v *vars) { v.mu.Lock(); v.shared = 2; v.mu.Unlock(); v.cond.Signal() },
		}, explore.Options{}, "20"},
		{"a choice among what is ready", []func(*vars){
			func(v *vars) {
				v.a = uint64(explore.Select("Select", v.p.Peek, v.q.Peek))
				v.b = uint64(explore.Select("Select", v.q.Peek, v.p.Peek))
			},
			func(v *vars) { v.p.Store(true); v.q.Store(true) },
		}, explore.Options{}, "00 01 10 11"},
		{"pinned threads of one processor take turns", []func(*vars){
			func(v *vars) { explore.Pin(); v.a = v.x.Load(); v.x.Store(1); explore.Unpin() },
			func(v *vars) { explore.Pin(); v.b = v.x.Load(); v.x.Store(1); explore.Unpin() },
		}, explore.Options{Procs: 1}, "01 10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.opt.Bound == (explore.Budget{}) {
				test.opt.Bound = unbounded
			}
			seen := map[string]bool{}
			v, prog := program(test.threads...)
			prog.Finish = func() { seen[fmt.Sprint(v.a, v.b)] = true }
			if r := explore.Explore(test.opt, prog); r.Fault != "" || !r.Exhausted {
				t.Fatalf("%+v", r)
			}
			if got := strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(seen)), ","), " ", ""); got != strings.ReplaceAll(test.want, " ", ",") {
				t.Errorf("results %s, want %s", got, test.want)
			}
		})
	}
}

func program(threads ...func(*vars)) (*vars, explore.Program) {
	v := new(vars)
	prog := explore.Program{Setup: func() { *v = vars{}; v.cond.L = &v.mu }}
	for _, f := range threads {
		prog.Threads = append(prog.Threads, func() { f(v) })
	}
	return v, prog
}

// What goes wrong is a fault with a schedule, which leads to the same fault again.
func TestFaults(t *testing.T) {
	for want, threads := range map[string][]func(*vars){
		"waits for ever, thread 0 in Lock":   {func(v *vars) { v.mu.Lock(); v.mu.Lock() }},
		"waits for ever, thread 0 in Wait":   {func(v *vars) { v.mu.Lock(); v.cond.Wait() }, func(v *vars) { v.cond.Broadcast() }},
		"waits for ever, thread 0 in Select": {func(v *vars) { explore.Select("Select", v.p.Peek) }, func(v *vars) { v.q.Store(true) }},
		"waits for ever, thread 0 in Gosched": {func(v *vars) {
			for v.x.Load() == 0 {
				explore.Gosched()
			}
		}, func(v *vars) { v.y.Store(1) }},
		"does not end": {func(v *vars) {
			for v.x.Add(1) > 0 {
			}
		}},
		"unlock of a lock that nobody holds":           {func(v *vars) { v.mu.Unlock() }},
		"panic: runtime error: integer divide by zero": {func(v *vars) { v.a = 1 / v.x.Load() }, func(v *vars) { v.x.Store(1) }},
		"both": {func(v *vars) { v.x.Store(1); v.a = v.y.Load() }, func(v *vars) {
			v.y.Store(1)
			if v.x.Load() == 1 && v.a == 0 {
				explore.Failf("both")
			}
		}},
	} {
		_, prog := program(threads...)
		r := explore.Explore(explore.Options{Bound: unbounded}, prog)
		if string(r.Fault) != want {
			t.Errorf("%q, want %q", r.Fault, want)
			continue
		}
		if again := explore.Explore(explore.Options{Bound: unbounded, Replay: r.Schedule}, prog); again.Fault != r.Fault || again.Schedules != 1 {
			t.Errorf("%s leads to %q, not to %q", r.Schedule, again.Fault, r.Fault)
		}
		if r := explore.Explore(explore.Options{Random: true, Most: 1000, Seed: 1}, prog); string(r.Fault) != want {
			t.Errorf("a thousand random schedules: %q, want %q", r.Fault, want)
		}
	}
	_, prog := program(func(v *vars) { v.x.Store(1) })
	if r := explore.Explore(explore.Options{Replay: "0*2 1 0"}, prog); r.Fault != "the schedule does not fit the program" {
		t.Errorf("a schedule of another program: %+v", r)
	}
}
