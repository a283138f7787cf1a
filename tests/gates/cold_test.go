package gates

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// imported lists the suballocators whose packages the output imports.
func imported(t *testing.T) (names []string) {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join(tempmod.Root(t), "runtime", "poolimpl", "cores"))
	if err != nil || len(dirs) == 0 {
		t.Fatal(len(dirs), err)
	}
	for _, d := range dirs {
		names = append(names, d.Name())
	}
	return names
}

// coldLines lists the functions of suballocators in the output that callers do not inline, with the number of their lines, where the package of the suballocator
// is imported: they belong into that package, as they gain nothing from constants.
func coldLines(t *testing.T, d *diagnostics, root string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for pkg, functions := range d.functions {
		for _, f := range functions {
			if strings.HasSuffix(f.file, "_core.go") && cut(t, filepath.Join(root, f.file)) && !d.canInline(t, pkg, f.name) {
				found[f.file+": "+f.name] = f.end - f.start + 1
			}
		}
	}
	return found
}

// madeOf is what a file of the output says of the suballocator in it.
var madeOf = regexp.MustCompile(` is made of ("\w+")(?: in front of ("\w+"))?\. `)

// cut reports whether a file of the output has a suballocator that is all or in part in packages which the file imports.
func cut(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	fatal.If(t, err)
	made := madeOf.FindStringSubmatch(string(text))
	if made == nil {
		t.Fatalf("%s does not say what it is made of", file)
	}
	return !slices.ContainsFunc(made[1:], func(name string) bool { return name != "" && !slices.Contains(imported(t), strings.Trim(name, `"`)) })
}

// The output has what callers inline, and nothing else, of suballocators whose packages it imports.
func TestOutputIsFastPath(t *testing.T) {
	root := filepath.Join(tempmod.Root(t), "generated_examples")
	files, err := filepath.Glob(filepath.Join(root, "*", "*_core.go"))
	fatal.If(t, err)
	dirs, own := map[string]bool{}, map[string]string{} // the packages, and the suballocators in modules of their own
	for _, f := range files {
		dir := filepath.Base(filepath.Dir(f))
		switch _, err := os.Stat(filepath.Join(root, dir, "go.mod")); {
		case !cut(t, f):
		case err != nil:
			dirs[dir] = true
		default:
			text, err := os.ReadFile(f)
			fatal.If(t, err)
			own["own/"+filepath.Base(f)] = strings.Replace(string(text), "package main", "package own", 1)
		}
	}
	if len(dirs) < 5 || len(own) == 0 {
		t.Errorf("only %d examples import the package of a suballocator, and %d modules", len(dirs), len(own))
	}
	copied := tempmod.New(t, module, own)
	cold := coldLines(t, compile(t, tempmod.Command{Dir: root}, slices.Sorted(maps.Keys(dirs))...), root)
	maps.Copy(cold, coldLines(t, compile(t, tempmod.Command{Dir: copied, Temporary: true}, "own"), copied))
	for name, lines := range cold {
		t.Errorf("%s, of %d lines, is not inlined", name, lines)
	}
}

// coldCore is a suballocator with a function that is as small as those of a fast path, and one that callers do not inline.
const coldCore = `// The suballocator aCore is made of "fixed". To see its parameters, run poolgen explain A --templates.

package cold

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"

type aCore fixed.Core

func (c *aCore) Common() *fixed.Core { return (*fixed.Core)(c) }

func (c *aCore) Grow(slot uint32) {
	for base := range uint64(8) {
		c.Common().Add(slot, base, 1)
		c.Common().Remove(slot)
		c.Common().Alloc(base, 1)
	}
}
`

// TestColdFunctionIsFound plants a function that callers do not inline.
func TestColdFunctionIsFound(t *testing.T) {
	dir := tempmod.New(t, module, map[string]string{"cold/a_core.go": coldCore})
	found := coldLines(t, compile(t, tempmod.Command{Dir: dir, Temporary: true}, "cold"), dir)
	if len(found) != 1 || found["cold/a_core.go: aCore.Grow"] != 7 {
		t.Errorf("found %v, want Grow alone", found)
	}
}
