package gates

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// method is the full name of a method of the path.
func (p promise) method(name string) string {
	typ, method, ok := strings.Cut(name, ".")
	switch {
	case !ok:
		return p.pool + "Pool." + name
	case typ == "core":
		return p.core + "." + method
	case p.core == "Core": // a package of its own, whose other types have no prefix
		return name
	default:
		return p.core + typ + "." + method
	}
}

// partOf has the parts of the engine whose methods generated code inlines.
var partOf = map[string]string{
	"TryLock": "poolLock", "Unlock": "poolLock", "HasWaiters": "waiters", "Base": "chunks", "Addr": "chunks", "At": "chunks", "OnlyAt": "chunks", "OnlyAddr": "chunks",
	"OnlyChunk": "chunks", "Origin": "chunks", "InFlight": "streams", "SharedInFlight": "streams", "SharedInFlightAt": "streams", "SharedInFlightOn": "streams",
	"LockQueue": "streams", "LockReuse": "streams", "Reuse": "streams", "Sampled": "observed", "Spend": "Countdown", "Due": "Countdown",
}

// callee is the name of a call in the compiler's notes. Methods of the engine and of its parts have no qualifier.
func (p promise) callee(name string) string {
	switch {
	case strings.HasPrefix(name, "poolimpl."): // of a value
		return name
	case strings.Contains(name, "."):
		typ, method, _ := strings.Cut(p.method(name), ".")
		return "(*" + typ + ")." + method
	}
	return "poolimpl.(*" + cmp.Or(partOf[name], "Engine") + ")." + name
}

// slow returns the promises that the fast path does not keep.
func slow(t *testing.T, d *diagnostics, p promise) (faults []string) {
	t.Helper()
	if p.core == "" {
		p.core = d.cores[p.dir+" "+p.pool+"Pool"]
	}
	fault := func(format string, args ...any) { faults = append(faults, p.pool+": "+fmt.Sprintf(format, args...)) }
	for _, name := range p.inline {
		if !d.canInline(t, p.dir, p.method(name)) {
			fault("%s cannot be inlined", name)
		}
	}
	for _, pair := range p.into {
		name, call, _ := strings.Cut(pair, ": ")
		if !d.inlines(t, p.dir, p.method(name), p.callee(call)) && !p.through(t, d, name, call) {
			fault("%s does not inline %s", name, call)
		}
	}
	limits := map[string]int{}
	for _, name := range p.clean {
		limits[name] = 0 // unless checks says otherwise
	}
	for name, n := range p.checks {
		limits[name] = n
	}
	for name, limit := range limits {
		if n := d.checks(t, p.dir, p.method(name)); n > limit {
			fault("%s has %d bounds checks, not %d at most: %v", name, n, limit, d.within(t, p.dir, p.method(name), "Found Is"))
		}
	}
	for _, name := range p.clean {
		for _, n := range d.escapes(t, p.dir, p.method(name)) {
			fault("%s: line %d: %s", name, n.line, n.text)
		}
	}
	return faults
}

// through reports whether a call of the engine is inlined through the function that makes a block of a chunk and an offset.
func (p promise) through(t *testing.T, d *diagnostics, name, call string) bool {
	if call != "Base" && call != "Addr" {
		return false
	}
	for _, at := range []string{"At", "SpanAt"} {
		if d.inlines(t, p.dir, p.method(name), p.prefix+at) {
			return true
		}
	}
	return false
}

// TestFastPaths checks the generated pools against the table.
func TestFastPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	d := compile(t, pools(t, nil), "pools")
	for _, p := range generatedPaths {
		for _, fault := range slow(t, d, p) {
			t.Error(fault)
		}
	}
}

// TestFastPathsOfExamples checks the committed examples against the table.
func TestFastPathsOfExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	seen := map[string]bool{}
	var list []string
	for _, p := range examplePaths {
		if !seen[p.dir] {
			seen[p.dir] = true
			list = append(list, p.dir)
		}
	}
	d := compile(t, tempmod.Command{Dir: tempmod.Root(t) + "/generated_examples"}, list...)
	for _, p := range examplePaths {
		for _, fault := range slow(t, d, p) {
			t.Error(fault)
		}
	}
}

// TestFastPathOfCores checks the packages that have the rest of suballocators, or all.
func TestFastPathOfCores(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	for _, p := range []promise{
		fixedCold.of("runtime/poolimpl/cores/fixed", "Core"), heapCold.of("runtime/poolimpl/cores/heap", "Core"),
		binnedCold.of("runtime/poolimpl/cores/binned", "Core"), classesCold.of("runtime/poolimpl/cores/classes", "Core"), ringCold.of("runtime/poolimpl/cores/ring", "Core"),
		directCold.of("runtime/poolimpl/cores/direct", "Core"), slabsCold.of("runtime/poolimpl/cores/slabs", "Core"), bumpCold.of("runtime/poolimpl/cores/bump", "Core"),
		stripsCold.of("runtime/poolimpl/cores/strips", "Core"), strictCold.of("runtime/poolimpl/cores/strict", "Core"),
	} {
		for _, fault := range slow(t, compile(t, tempmod.Command{Dir: tempmod.Root(t)}, p.dir), p) {
			t.Error(fault)
		}
	}
}

// slowPool is a pool whose fast path breaks every promise.
const slowPool = `package slow

type APool struct{ core aFixed }

type aFixed struct{ next []int }

//go:noinline
func (c *aFixed) Take() int {
	n := c.next[len(c.next)-1]
	c.next = c.next[:len(c.next)-1]
	return n
}

func (p *APool) Alloc() *int {
	n := p.core.Take()
	return &n
}

//go:noinline
func (p *APool) TryAlloc() int { return p.core.next[3] }
`

// TestSlowPathIsFound plants every fault that slow looks for.
func TestSlowPathIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package")
	}
	dir := tempmod.New(t, module, map[string]string{"slow/slow.go": slowPool})
	d := compile(t, tempmod.Command{Dir: dir, Temporary: true}, "slow")
	p := promise{
		inline: []string{"TryAlloc"}, into: []string{"Alloc: core.Take"}, clean: []string{"Alloc", "core.Take"},
		checks: map[string]int{"TryAlloc": 1},
	}.of("slow", "A")
	got := strings.Join(slow(t, d, p), "\n")
	for _, want := range []string{
		"TryAlloc cannot be inlined", "Alloc does not inline core.Take", "core.Take has 1 bounds checks, not 0 at most",
		"moved to heap: n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("not found: %s\n%s", want, got)
		}
	}
}
