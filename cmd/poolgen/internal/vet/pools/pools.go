package pools

import (
	"fmt"
	"go/ast"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer finds the pools that a package, or one of its imports, declares. Its result is an [*Index].
var Analyzer = &analysis.Analyzer{
	Name:       "pools",
	Doc:        "find memory pools by what generated code declares of itself",
	Run:        run,
	FactTypes:  []analysis.Fact{new(Declared)},
	ResultType: reflect.TypeFor[*Index](),
}

// Declared is the fact that a package declares pools.
type Declared struct{ Pools []Pool }

// AFact marks Declared as a fact.
func (*Declared) AFact() {}

// String lists the pools, for tests.
func (d *Declared) String() string {
	var names []string
	for _, p := range d.Pools {
		names = append(names, fmt.Sprintf("%s/%s/%s", p.Name, strings.Join(p.Allocators, ","), p.Suballocator))
	}
	return "pools(" + strings.Join(names, " ") + ")"
}

func run(pass *analysis.Pass) (any, error) {
	if own := declared(pass.Pkg.Path(), pass.Files); len(own) > 0 {
		pass.ExportPackageFact(&Declared{own})
	}
	x := &Index{calls: map[string]Call{}, pools: map[string]*Pool{}}
	for _, f := range pass.AllPackageFacts() {
		if d, ok := f.Fact.(*Declared); ok {
			for i := range d.Pools {
				x.add(&d.Pools[i])
			}
		}
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && !ast.IsGenerated(f) {
				delete(x.calls, pass.Pkg.Path()+"."+fn.Name.Name) // a pool without such a function leaves its name to others
			}
		}
	}
	return x, nil
}
