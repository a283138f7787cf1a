// Package smoke tests one generated pool of any form, through reflection: it fills the pool, frees, misuses and closes it, and checks
// the results against what every pool promises, whatever its pool file says.
//
// The property test generates packages whose tests call it. It uses one goroutine; other tests use several.
package smoke

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// Spec says which pool to try, and what its pool file promises.
type Spec struct {
	Name string
	New  func() (any, error) // a *FooPool

	Single    bool // items are handed out one by one
	Order     spec.FreeOrder
	Marks     bool
	Numbers   bool // allocator none
	Locked    bool
	Counters  bool
	Zero      string // as in the pool file
	Borrows   bool   // the ladder names another pool
	Budget    bool   // a common limit may come before the pool's own
	Align     int64  // of every block, at least
	Chunk     int64
	Largest   int64 // request that fits an empty chunk, or an arena
	Limit     int64 // poolrt.NoLimit: none
	Prime     int64
	SoftLimit int64
	Bins      []int64
	Seed      uint64
}

// Run tries the pool.
func Run(t testing.TB, s Spec) {
	t.Helper()
	made, err := s.New()
	if err != nil {
		if s.Budget && errors.Is(err, poolrt.ErrLimit) {
			return // others of the budget hold what the pool should start with
		}
		t.Fatalf("New%sPool: %v", s.Name, err)
	}
	tr := &trial{
		t: t, Spec: s, pool: reflect.ValueOf(made),
		random: rand.New(rand.NewPCG(s.Seed, 1)),
	}
	tr.begin()
	tr.fill()
	tr.check("full")
	tr.waitUntilEnd()
	tr.badRequests()
	if tr.frees() {
		tr.freeSome()
		tr.fill()
		tr.check("filled again")
		tr.misuse()
		tr.helpers()
		tr.closeEarly()
	} else {
		tr.reset()
	}
	if tr.Marks && !tr.Borrows { // a block of another pool is not released
		tr.marks()
	}
	tr.empty()
	tr.end()
}

// trial is one run.
type trial struct {
	t testing.TB
	Spec
	pool   reflect.Value
	random *rand.Rand
	live   []block
	allocs int64 // so far
	full   bool  // the last fill went to the limit
	fresh  bool  // no block was freed yet
	serial uint64
}

func (tr *trial) frees() bool { return tr.Order != spec.AllAtOnce }
func (tr *trial) item() bool  { return tr.Single }

func (tr *trial) errorf(format string, args ...any) {
	tr.t.Helper()
	tr.t.Errorf("%s: %s", tr.Name, fmt.Sprintf(format, args...))
}

func (tr *trial) fatalf(format string, args ...any) {
	tr.t.Helper()
	tr.t.Fatalf("%s: %s", tr.Name, fmt.Sprintf(format, args...))
}

// call calls a method of the pool; the last result is an error if it is of that type.
func (tr *trial) call(name string, args ...any) ([]reflect.Value, error) {
	tr.t.Helper()
	m := tr.pool.MethodByName(name)
	if !m.IsValid() {
		tr.fatalf("there is no method %s", name)
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		if v, ok := a.(reflect.Value); ok {
			in[i] = v
		} else {
			in[i] = reflect.ValueOf(a)
		}
	}
	out := m.Call(in)
	if n := len(out) - 1; n >= 0 && out[n].Type() == errorType {
		err, _ := out[n].Interface().(error)
		return out[:n], err
	}
	return out, nil
}

var errorType = reflect.TypeFor[error]()

// must is call where no error may come.
func (tr *trial) must(name string, args ...any) []reflect.Value {
	tr.t.Helper()
	out, err := tr.call(name, args...)
	if err != nil {
		tr.errorf("%s: %v", name, err)
	}
	return out
}

// refused demands that a call fails with an error that matches want.
func (tr *trial) refused(want error, name string, args ...any) {
	tr.t.Helper()
	if _, err := tr.call(name, args...); !errors.Is(err, want) {
		tr.errorf("%s%v: got %v, want %v", name, args, err, want)
	}
}

func (tr *trial) stats() poolrt.Stats { return tr.must("Stats")[0].Interface().(poolrt.Stats) }

// begin looks at the pool before its first use, and gives a pool of numbers something to hand out.
func (tr *trial) begin() {
	tr.fresh = true
	s := tr.stats()
	if s.Live != 0 || s.Allocs != 0 || s.Limit != tr.Limit || s.Reserved < tr.Prime || s.Reserved > tr.Limit {
		tr.errorf("fresh, with prime %d and limit %d: %+v", tr.Prime, tr.Limit, s)
	}
	if requested := tr.must("Requested")[0].String(); requested == "" || tr.must("Effective")[0].String() != requested {
		tr.errorf("requested %q, effective %v", requested, tr.must("Effective"))
	}
	if !tr.Numbers {
		return
	}
	n := uint64(min(tr.Limit, 5000))
	tr.must("Track", uint64(1000), n-n/2)
	if n > 1 {
		tr.must("Track", 1000+n-n/2, n/2) // touches the first
	}
	tr.refused(poolrt.ErrBadSize, "Track", uint64(0), uint64(0))
	tr.refused(poolrt.ErrForeign, "Untrack", uint64(7), uint64(1))
	if tr.Limit != poolrt.NoLimit {
		tr.refused(poolrt.ErrLimit, "Track", uint64(1)<<40, uint64(tr.Limit))
	}
}
