package poolimpl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// notes is a poolrt.TB that collects the failures.
type notes []string

func (*notes) Helper()                          {}
func (n *notes) Errorf(format string, a ...any) { *n = append(*n, fmt.Sprintf(format, a...)) }

// Without a name, AssertNoLeaks checks all pools of the program, including those without a lock.
func TestAssertNoLeaksAnywhere(t *testing.T) {
	locked, alone := named(t, "locked", nil), named(t, "alone", func(c *Config) { c.Locked = false })
	leaking := func() (names []string) {
		var all notes
		poolrt.AssertNoLeaks(&all)
		for _, p := range []*rig{locked, alone} {
			if slices.ContainsFunc(all, func(s string) bool {
				return strings.HasPrefix(s, "pool "+p.config.Name+": 1 block is live, LiveBytes 10")
			}) {
				names = append(names, p.config.Name)
			}
		}
		return names
	}
	for _, p := range []*rig{locked, alone} {
		b := p.mustAlloc(10)
		if got := leaking(); !slices.Equal(got, []string{p.config.Name}) {
			t.Errorf("%s leaks; AssertNoLeaks reports %q", p.config.Name, got)
		}
		p.mustFree(b)
	}
	if got := leaking(); got != nil {
		t.Errorf("nothing leaks; AssertNoLeaks reports %q", got)
	}
}
