package docs

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
	"testing"
)

var (
	qualified = regexp.MustCompile(`\b(poolrt|poolimpl|runtime|cuda|sim|poolz)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	ofFoo     = regexp.MustCompile(`\b[A-Z]?[a-zA-Z]*Foo[A-Z]?\w*`)
)

// Names in running text exist: those of the packages, and those that are generated for a pool Foo.
func TestNames(t *testing.T) {
	judgePages(t, 150, "names", newWorld(t).judgeNames)
}

// judgeNames looks up the names in the code of a page's text.
func (w *world) judgeNames(p *page) (seen int, found []problem) {
	for _, s := range p.spans {
		for _, m := range qualified.FindAllStringSubmatch(s.text, -1) {
			seen++
			if !w.declares(m[1], m[2], m[3]) {
				found = append(found, problem{p.path, s.line, fmt.Sprintf("there is no %s", m[0])})
			}
		}
		for _, name := range ofFoo.FindAllString(s.text, -1) {
			seen++
			if !w.foo()[name] {
				found = append(found, problem{p.path, s.line, fmt.Sprintf("no pool Foo has %s", name)})
			}
		}
	}
	return seen, found
}

// declares reports whether a package, by its name in pages, declares a name. Package runtime is ours or Go's.
func (w *world) declares(pkg, name, member string) bool {
	paths := []string{known[pkg]}
	if pkg == "runtime" {
		paths = append(paths, known["poolrt"])
	}
	for _, path := range paths {
		p, err := imported.Import(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if has(p, name, member) {
			return true
		}
	}
	return false
}

// has reports whether a package declares a name with a given method or field.
func has(pkg *types.Package, name, member string) bool {
	o := pkg.Scope().Lookup(name)
	if o == nil || member == "" {
		return o != nil
	}
	found, _, _ := types.LookupFieldOrMethod(types.NewPointer(o.Type()), true, pkg, member)
	return found != nil
}

// foo lists the names that are generated for pools, as if each pool were named Foo.
func (w *world) foo() map[string]bool {
	if w.names != nil {
		return w.names
	}
	w.names = map[string]bool{"Foo": true, "AllocFooRefOn": true, "AllocFooBatchOn": true, "FreeFooBatchOn": true, "ResizeFoo": true, "TestPoolgenFoo": true, "FuzzPoolgenFoo": true, "BenchmarkPoolgenFoo": true, "ExampleFooPool": true}
	for _, pool := range w.plan.Pools {
		declared := regexp.MustCompile(`(?m)^(?:func |type |func \(\w+ \*?\w+\) )(\w*` + pool.Name + `\w*)`)
		for _, text := range w.pools {
			for _, m := range declared.FindAllSubmatch(text, -1) {
				w.names[strings.Replace(string(m[1]), pool.Name, "Foo", 1)] = true
			}
		}
	}
	return w.names
}
