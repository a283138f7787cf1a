package poolimpl

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/ledger"
	"github.com/poolgen/poolgen/tests/fatal"
)

// hostBudgets makes budgets of 1000 bytes that share a ledger, each as another process would have it, with leases of 100 bytes.
func hostBudgets(t *testing.T, n int) (all []*Budget, dir string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("budgets of several processes need Linux")
	}
	dir = filepath.Join(t.TempDir(), "poolgen")
	for range n {
		all = append(all, (*Budget)(budget.NewHost(ledger.Options{Dir: dir, Name: "B", Limit: 1000, Program: "test"}, 100)))
	}
	return all, dir
}

// inBudget makes a pool of a budget.
func inBudget(t *testing.T, b *Budget, change func(*Config)) *rig {
	return newRig(t, func(c *Config) {
		c.Budget, c.Oversize = b, true
		if change != nil {
			change(c)
		}
	})
}

// A pool gets what those of other processes give back, in Trim and Poll, and says who has what it does not get.
func TestHostBudget(t *testing.T) {
	all, _ := hostBudgets(t, 2)
	p, q := inBudget(t, all[0], nil), inBudget(t, all[1], nil)
	x := p.mustAlloc(900)
	_, err := q.alloc(200)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if text := err.Error(); !strings.Contains(text, `budget "B" is full: its pools have reserved 0 of its limit of 1000, and other processes hold 900`) {
		t.Error(text)
	}
	p.mustFree(x)
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	if n := all[0].Info().Leased; n != 0 {
		t.Errorf("after Trim %d stay leased", n)
	}
	y := q.mustAlloc(1000)
	q.mustFree(y)
	done := (*budget.Budget)(all[0]).Want(300, 50)
	q.Poll() // gives back what others wait for
	done()
	p.mustAlloc(300)
	for _, r := range []*rig{p, q} {
		fatal.If(t, r.closeForce())
	}
	for _, b := range all {
		if i := b.Info(); i.Reserved != 0 || i.Leased != 0 {
			t.Errorf("after closing %+v", i)
		}
	}
}

// An allocation that waits gets what another process gives back, which sees that it is wanted.
func TestHostBudgetWaits(t *testing.T) {
	all, _ := hostBudgets(t, 2)
	p := inBudget(t, all[0], nil)
	q := inBudget(t, all[1], func(c *Config) {
		c.Ladder, c.WaitTimeout = []Rung{TrimRung{}, WaitRung{}, ErrorRung{}}, time.Minute
	})
	x := p.mustAlloc(900)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- all[0].Serve(ctx) }()
	got := make(chan error)
	go func() {
		_, err := q.alloc(500)
		got <- err
	}()
	for wanted := int64(0); wanted == 0; {
		list, err := all[0].Processes()
		fatal.If(t, err)
		for _, other := range list {
			wanted += other.Wanted
		}
	}
	p.mustFree(x) // stays with the pool, until the other process has it
	if err := <-got; err != nil {
		t.Error(err)
	}
	if list, err := all[0].Processes(); err != nil || list[0].Given < 400 || list[1].Wanted != 0 {
		t.Errorf("the ledger has %+v, %v", list, err)
	}
	p.mustAlloc(100)
	stop()
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if err := NewBudget("B", 1).Serve(t.Context()); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("Serve of a budget of one process: %v", err)
	}
}

// A pool whose ledger cannot be opened fails on its first use with the reason, and works when it can.
func TestHostBudgetCannotOpen(t *testing.T) {
	all, dir := hostBudgets(t, 1)
	path := filepath.Join(dir, "B.ledger")
	fatal.If(t, errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("something else"), 0o600)))
	p := inBudget(t, all[0], nil)
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrBadFile)
	fatal.If(t, os.Remove(path))
	p.mustAlloc(10)
}

// While the system may still be freeing what a dead process had, a source that has no memory is asked again.
func TestDeadProcessIsStillFreed(t *testing.T) {
	all, dir := hostBudgets(t, 1)
	p, ordered := inBudget(t, all[0], nil), newOrderedRig(t)
	ordered.config.Budget, ordered.config.Oversize = all[0], true
	p.mustAlloc(10)
	asked := 0
	p.source.onAlloc = func(int) error { asked++; return poolrt.ErrOutOfMemory }
	ordered.source.onAlloc = p.source.onAlloc
	_, err := p.alloc(400)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	_, err = allocInOrder(ordered.ready(), Stream{Handle: 1, ID: 1}, 400)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	if asked > 4 {
		t.Errorf("while nobody has died, the sources were asked %d times", asked)
	}
	c := exec.Command(os.Args[0], "-test.run", "^TestHolder$")
	c.Env = append(os.Environ(), "POOLIMPL_LEDGER="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked = 0
	p.source.onAlloc = func(int) error {
		if asked++; asked < 4 {
			return poolrt.ErrOutOfMemory
		}
		return nil
	}
	p.mustAlloc(600) // the dead process had some of these bytes
	if asked != 4 {
		t.Errorf("the source was asked %d times", asked)
	}
	asked, ordered.source.onAlloc = 0, p.source.onAlloc
	if _, err := allocInOrder(ordered.ready(), Stream{Handle: 1, ID: 1}, 300); err != nil || asked != 4 {
		t.Errorf("the source was asked %d times: %v", asked, err)
	}
}

// TestHolder is the process that dies with what it holds.
func TestHolder(t *testing.T) {
	dir := os.Getenv("POOLIMPL_LEDGER")
	if dir == "" {
		t.Skip("it runs for another test")
	}
	l, err := ledger.Open(ledger.Options{Dir: dir, Name: "B", Limit: 1000})
	fatal.If(t, err)
	if _, _, err := l.Take(500, 500); err != nil {
		t.Fatal(err)
	}
	os.Exit(0)
}

// The backing of a pool asleep counts against a budget of the host before any pool is in that. Processes share it, and what goes back is free for others.
func TestBackingInAHostBudget(t *testing.T) {
	all, dir := hostBudgets(t, 2)
	one, two := SleepPolicy{Budget: all[0]}, SleepPolicy{Budget: all[1]}
	wantErr(t, "claim", one.Claim("P", 600), nil)
	if err := two.Claim("Q", 600); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("more than the limit: %v", err)
	}
	if list, err := all[1].Processes(); err != nil || list[0].Leased != 600 {
		t.Errorf("%+v, %v", list, err)
	}
	one.Return(600)
	wantErr(t, "claim", two.Claim("Q", 1000), nil)
	two.Return(1000)
	for _, b := range all {
		if i := b.Info(); i.Reserved != 0 || i.Leased != 0 || i.Failure != "" {
			t.Errorf("after both: %+v", i)
		}
	}
	fatal.If(t, os.WriteFile(filepath.Join(dir, "C.ledger"), []byte("something else"), 0o600))
	bad := SleepPolicy{Budget: (*Budget)(budget.NewHost(ledger.Options{Dir: dir, Name: "C", Limit: 1000, Program: "test"}, 100))}
	if err := bad.Claim("P", 1); !errors.Is(err, poolrt.ErrBadFile) {
		t.Errorf("no ledger: %v", err)
	}
}
