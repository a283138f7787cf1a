// Package smoke tests one generated pool of any form, through reflection: it fills the pool, frees blocks, misuses and closes it, and checks
// the results against the guarantees of every pool.
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

// Spec names the pool under test, with the settings of its pool file.
type Spec struct {
	Name string
	New  func() (any, error) // a *FooPool

	Single    bool // a block is one item
	Order     spec.FreeOrder
	Marks     bool
	Numbers   bool // allocator none
	Locked    bool
	Counters  bool
	Zero      string // as in the pool file
	Borrows   bool   // the ladder names another pool
	Budget    bool   // the budget may be used up before the pool's limit
	Align     int64  // least alignment of every block
	Chunk     int64
	Largest   int64 // largest request that fits an empty chunk, or an arena
	Limit     int64 // poolrt.NoLimit: none
	Prime     int64
	SoftLimit int64
	Bins      []int64
	Seed      uint64
}

// Chosen is an option for Spec.New.
func Chosen(allocator string) poolrt.Option { return poolrt.WithAllocator(allocator) }

// Run tests the pool.
func Run(t testing.TB, s Spec) {
	t.Helper()
	made, err := s.New()
	if err != nil {
		if s.Budget && errors.Is(err, poolrt.ErrLimit) {
			return // other pools of the budget leave no room for the pool's initial memory
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
	full   bool  // the last fill reached the limit
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

// must is call for calls that must not fail.
func (tr *trial) must(name string, args ...any) []reflect.Value {
	tr.t.Helper()
	out, err := tr.call(name, args...)
	if err != nil {
		tr.errorf("%s: %v", name, err)
	}
	return out
}

// refused checks that a call fails with an error that matches want.
func (tr *trial) refused(want error, name string, args ...any) {
	tr.t.Helper()
	if _, err := tr.call(name, args...); !errors.Is(err, want) {
		tr.errorf("%s%v: got %v, want %v", name, args, err, want)
	}
}

func (tr *trial) stats() poolrt.Stats { return tr.must("Stats")[0].Interface().(poolrt.Stats) }

// begin checks the pool before its first use, and tracks numbers for a pool of numbers.
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
		tr.must("Track", 1000+n-n/2, n/2) // adjacent to the first range
	}
	tr.refused(poolrt.ErrBadSize, "Track", uint64(0), uint64(0))
	tr.refused(poolrt.ErrForeign, "Untrack", uint64(7), uint64(1))
	if tr.Limit != poolrt.NoLimit {
		tr.refused(poolrt.ErrLimit, "Track", uint64(1)<<40, uint64(tr.Limit))
	}
}
