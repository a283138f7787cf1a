package residual

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path"
	"sort"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	all   = flag.Bool("residual.all", false, "run every tuple of the matrix, not one a template")
	every = flag.Int("residual.every", 1, "with -residual.all, run only every nth tuple of a template")
	only  = flag.String("residual.only", "", "run the tuples of this subject alone")
)

// module is the path of the module that holds the residuals.
const module = "example.com/residual"

// TestMatrix runs the templates' tests on their residuals.
func TestMatrix(t *testing.T) {
	if !*all {
		large.Only(t) // builds and runs many packages
	}
	src := repository(t)
	var cells []cell
	for _, s := range subjects {
		if *only != "" && *only != s.name {
			continue
		}
		rows := pairwise(s.params, s.legal)
		if !*all {
			rows = rows[len(rows)/2 : len(rows)/2+1]
		}
		for i, row := range rows {
			if i%*every != 0 {
				continue
			}
			cells = append(cells, cell{s, fmt.Sprintf("%s%d", s.name, i), row})
		}
	}
	if len(cells) == 0 {
		t.Fatalf("there is no subject %q", *only)
	}
	failed := run(t, src, cells)
	for _, c := range cells {
		t.Run(c.name, func(t *testing.T) {
			if out, bad := failed[c.name]; bad {
				t.Errorf("%s\n%s", c, out)
			}
		})
	}
}

// cell is a subject at one tuple.
type cell struct {
	subject
	name string
	row  tuple
}

// String lists the values, which allows a failure to be reproduced by hand.
func (c cell) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s", c.pkg)
	for from, to := range c.replace {
		if from != to {
			fmt.Fprintf(&b, " with %s for %s", to, from)
		}
	}
	for _, p := range c.params {
		fmt.Fprintf(&b, ", %s = %s", p.key, c.row[p.key])
	}
	return b.String()
}

// run specialises all cells into one module, tests it, and returns the output of each cell that failed.
func run(t *testing.T, src source, cells []cell) map[string]string {
	failed := map[string]string{}
	files := map[string]string{}
	var packages []string
	for _, c := range cells {
		if err := c.write(t, src, files); err != nil {
			failed[c.name] = err.Error()
			continue
		}
		packages = append(packages, "./"+c.name+"/...")
	}
	dir := tempmod.New(t, module, files)
	args := append([]string{"test", "-json", "-vet=all"}, packages...)
	stdout, stderr, err := tempmod.Command{Dir: dir, Temporary: true}.Go(args...)
	seen := results(t, stdout, failed)
	for _, c := range cells {
		if failed[c.name] == "" && !seen[c.name] {
			failed[c.name] = "was not tested: " + stderr
		}
	}
	if err != nil && len(failed) == 0 {
		t.Fatalf("go test: %v\n%s", err, stderr)
	}
	return failed
}

// write adds the residuals of a cell to files: each template package in a directory of its own below that of the cell.
func (c cell) write(t *testing.T, src source, files map[string]string) error {
	bind := tuple(maps.Clone(c.row))
	if c.derive != nil {
		maps.Copy(bind, c.derive(c.row))
	}
	tests := maps.Clone(src.tests[At(c.pkg)])
	if c.skip != nil {
		for _, name := range c.skip(c.row) {
			delete(tests, name)
		}
	}
	lib := maps.Clone(src.lib)
	lib[At(c.pkg)] = maps.Clone(lib[At(c.pkg)])
	for name, text := range tests {
		// The specialiser derives the name of a package from its path.
		lib[At(c.pkg)][disguise(name)] = strings.ReplaceAll(text, "\t\"math/rand/v2\"", "\trand \"math/rand/v2\"")
	}
	residuals, err := Variant{Package: c.pkg, Bind: bind, Replace: c.replace}.Residuals(lib, path.Join(module, c.name), looksRight)
	for pkg, texts := range residuals {
		for name, text := range texts {
			files[path.Join(c.name, pkg, reveal(name))] = text
		}
	}
	return err
}

// looksRight reports what look finds in the text of a package.
func looksRight(_ string, texts, values map[string]string) error {
	if faults := look(product(texts), values); len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}

// disguise gives a test file a name under which the specialiser treats it as a part of the package. Tests of code that a tuple
// prunes are then pruned too.
func disguise(name string) string { return strings.TrimSuffix(name, "_test.go") + disguised }

// reveal undoes disguise.
func reveal(name string) string {
	if stem, ok := strings.CutSuffix(name, disguised); ok {
		return stem + "_test.go"
	}
	return name
}

const disguised = "_tested.go"

// product returns the files that are not tests.
func product(files map[string]string) map[string]string {
	own := maps.Clone(files)
	maps.DeleteFunc(own, func(name, _ string) bool { return strings.HasSuffix(name, disguised) })
	return own
}

// results reads the events of go test and returns the cells that were tested. It adds the output of those that failed to failed.
func results(t *testing.T, events string, failed map[string]string) map[string]bool {
	seen, output := map[string]bool{}, map[string]*strings.Builder{}
	var bad []string
	for line := range strings.Lines(events) {
		var e struct{ Action, ImportPath, Package, Test, Output string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		where := strings.TrimPrefix(e.Package+e.ImportPath, module+"/")
		name, _, _ := strings.Cut(where, "/")
		if output[name] == nil {
			output[name] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			output[name].WriteString(e.Output)
		case "fail", "build-fail":
			bad = append(bad, name)
		}
		if e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			seen[name] = true
		}
	}
	sort.Strings(bad)
	for _, name := range bad {
		failed[name] = output[name].String()
	}
	return seen
}
