package poolimpl

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// nameIn returns the name that an error of the pool has.
func nameIn(t *testing.T, p *rig) string {
	t.Helper()
	err := p.ready().Refuse(NoFunc)
	var e *poolrt.PoolError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if info := p.Info(); !p.life.closed && info.Name != e.Pool || p.Name() != e.Pool {
		t.Errorf("%q in errors, %q in the description, %q for look-ups", e.Pool, info.Name, p.Name())
	}
	return e.Pool
}

// expectNames compares the names of pools in errors.
func expectNames(t *testing.T, when string, want []string, pools ...*rig) {
	t.Helper()
	var got []string
	for _, p := range pools {
		got = append(got, nameIn(t, p))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// Pools of one kind have the numbers from 2 on in their names, in order of first use. A number is free after Close.
func TestPoolsOfOneNameAreNumbered(t *testing.T) {
	for _, lock := range []bool{true, false} {
		kind := fmt.Sprint(t.Name(), lock)
		make := func() *rig { return newRig(t, func(c *Config) { c.Name, c.Locked = kind, lock }) }
		a, b, c, d, e, f := make(), make(), make(), make(), make(), make()
		expectNames(t, "in order of first use", []string{kind, kind + " 2", kind + " 3"}, a, c, b)
		if got := listed(kind, kind+" 2", kind+" 3", kind+" 4"); len(got) != 3 || got[1].Name != kind+" 2" {
			t.Errorf("listed: %+v", got)
		}
		if s := poolrt.TakeSnapshotNamed(kind + " 2"); len(s.Pools) != 1 || s.Pools[0].Name != kind+" 2" {
			t.Errorf("snapshot: %+v", s.Pools)
		}
		wantErr(t, "close", c.close(), nil)
		expectNames(t, "a closed pool keeps its name", []string{kind + " 2"}, c)
		expectNames(t, "the lowest free number", []string{kind + " 2", kind + " 4"}, d, e)
		for range 2 { // the second time nothing is taken from d
			wantErr(t, "close", c.close(), nil)
		}
		wantErr(t, "close", a.close(), nil)
		expectNames(t, "the name itself is free again", []string{kind, kind + " 2"}, f, d)
		expectNames(t, "and no name was given twice", []string{kind + " 5"}, make())
	}
}

// The names that WithName sets are numbered as well. The pool's number among its kind is free then.
func TestNamesOfOptionsAreNumbered(t *testing.T) {
	kind, mine := t.Name(), t.Name()+"/mine"
	make := func(name string) *rig {
		p := newRig(t, func(c *Config) { c.Name = kind })
		var options []poolrt.Option
		if name != "" {
			options = append(options, poolrt.WithName(name))
		}
		wantErr(t, "open", p.ready().Open(options...), nil)
		return p
	}
	a, b, c := make(mine), make(mine), make("")
	expectNames(t, "two of one name", []string{mine, mine + " 2", kind}, a, b, c)
	expectNames(t, "a name that looks numbered", []string{mine + " 2 2", mine + " 3"}, make(mine+" 2"), make(mine))
	wantErr(t, "close", b.close(), nil)
	expectNames(t, "closed and given again", []string{mine + " 2"}, make(mine+" 2"))
	expectNames(t, "the name of its own kind", []string{kind + " 2"}, make(kind))
}

// A pool that fails to open is not listed and leaves its name to others, until it is opened again.
func TestPoolThatFailsToOpenLeavesItsName(t *testing.T) {
	kind := t.Name()
	p, q := newRig(t, func(c *Config) { c.Name, c.Limit = kind, 100 }), newRig(t, func(c *Config) { c.Name = kind })
	for range 2 {
		err := p.ready().Open(poolrt.WithLimit(200))
		wantErr(t, "open", err, poolrt.ErrBadSize)
		if got := listed(kind, kind+" 2"); len(got) != 0 {
			t.Errorf("listed: %+v", got)
		}
	}
	expectNames(t, "another pool", []string{kind}, q)
	wantErr(t, "open", p.ready().Open(), nil)
	expectNames(t, "opened after it", []string{kind + " 2"}, p)
	if got := listed(kind, kind+" 2"); len(got) != 2 {
		t.Errorf("listed: %+v", got)
	}
	r := newRig(t, func(c *Config) { c.Name = kind })
	wantErr(t, "open", r.ready().Open(poolrt.WithLimit(-1)), poolrt.ErrBadSize)
	r.mustAlloc(10)
	expectNames(t, "used without Open", []string{kind + " 3"}, r)
}

// The instances of one pool on several devices have one number.
func TestInstancesShareANumber(t *testing.T) {
	kind := t.Name()
	on := func(of *int, device int) *rig {
		p := newRig(t, func(c *Config) { c.Name, c.Binder = kind, noBinder{} })
		wantErr(t, "assign", p.ready().Assign(of, device), nil)
		return p
	}
	first, second := new(int), new(int)
	a, b, c := on(first, 0), on(second, 0), on(first, 1)
	expectNames(t, "two pools on two devices", []string{kind + " on device 0", kind + " 2 on device 0", kind + " on device 1"}, a, b, c)
	expectNames(t, "no other pool has them", []string{kind + " 3"}, newRig(t, func(c *Config) { c.Name = kind }))
	wantErr(t, "close", a.close(), nil)
	expectNames(t, "while one instance is open", []string{kind + " 4"}, newRig(t, func(c *Config) { c.Name = kind }))
	wantErr(t, "close", c.close(), nil)
	expectNames(t, "all are closed", []string{kind + " on device 2"}, on(new(int), 2))
}

// noBinder is never bound.
type noBinder struct{}

func (noBinder) Bind(Binding) (Bound, error) { return Bound{}, errNoMemory }

// A thousand pools of one kind get their numbers in a short time: no pool looks at all others.
func TestManyPoolsOfOneName(t *testing.T) {
	kind := t.Name()
	var all []*rig
	for i := range 1000 {
		all = append(all, newRig(t, func(c *Config) { c.Name = kind }))
		if got, want := nameIn(t, all[i]), fmt.Sprint(kind, " ", i+1); got != want && i > 0 {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	for _, p := range all {
		wantErr(t, "close", p.close(), nil)
	}
	expectNames(t, "after all were closed", []string{kind}, newRig(t, func(c *Config) { c.Name = kind }))
}
