package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// program is the set of template packages of one instance, and all that the passes find out about them.
type program struct {
	*shared
	fset   *token.FileSet
	units  []*unit // the root first, then in order of first import
	byName map[string]*unit
	given  map[string]*Result // what is given for an import

	bound bindings // parameters with a value
	info  types.Info
	owner map[*types.Package]*unit
	fails []failure              // what the checker found, pruned code included
	decls map[types.Object]*decl // package-level objects and methods

	consts  map[types.Object]ast.Expr // initial values of constants
	dep     map[types.Object]depends
	fates   map[ast.Stmt]*fate
	dropped map[ast.Node]bool // statements, expressions and fields that are pruned
	gone    map[*decl]bool    // declarations that are pruned
	checks  map[*decl]depends // what blank declarations depend on
	lost    map[types.Object]token.Pos

	refs   map[*decl][]ref
	locals map[string][]local // names declared inside functions
	words  map[*source][]word // of comments
	live   map[*decl]bool

	lenders  map[*types.Package]lender // packages that are given
	borrowed map[types.Object]bool     // types that live code has from what is given

	values  map[*binding]types.Object // constants of templates that are values
	user    userNames
	names   map[types.Object]string
	quals   map[string]string // import path -> local name in the output
	edits   map[*source][]edit
	aliases map[types.Object]string

	verified *set // shapes
}

// unit is a template package within one instance.
type unit struct {
	*template
	deps  map[string]*unit // import path, as written -> package linked
	types *types.Package
	trees []*ast.File // the files with bound values
}

// link finds the packages that belong to the instance.
func (p *program) link(inst *Instance) error {
	root, replace := inst.Root, inst.Replace
	if err := p.accept(inst.Given); err != nil {
		return err
	}
	for from, to := range replace {
		if _, ok := p.loader.lib[from]; !ok {
			return fault("replaced package %q is no template", from)
		}
		if _, ok := p.loader.lib[to]; !ok {
			return fault("no template package %q, to link in place of %q", to, from)
		}
	}
	byPath := map[string]*unit{}
	state := map[string]int{}           // 1: being linked, 2: linked
	within := map[string]bool{}         // replacements that are being linked
	linked := func(imp string) string { // what an import stands for here
		if to, ok := replace[imp]; ok && !within[to] {
			return to
		}
		return imp
	}
	var add func(path string) (*unit, error)
	add = func(path string) (*unit, error) {
		if state[path] == 1 {
			return nil, fault("template package %q imports itself", path)
		}
		if u := byPath[path]; u != nil {
			for imp, dep := range u.deps {
				if to := linked(imp); inst.Given[imp] == nil && to != dep.path {
					return nil, fault("template package %q would be linked with %q for one import of it, and with %q for another", path, dep.path, to)
				}
			}
			return u, nil
		}
		t, err := p.loader.load(path)
		if err != nil {
			return nil, err
		}
		u := &unit{template: t, deps: map[string]*unit{}}
		byPath[path], state[path] = u, 1
		p.units = append(p.units, u)
		for _, imp := range t.imports {
			if g := inst.Given[imp]; g != nil {
				u.deps[imp] = g.program.units[0]
				continue
			}
			to := linked(imp)
			if to != imp {
				within[to] = true
			}
			dep, err := add(to)
			if to != imp {
				delete(within, to)
			}
			if err != nil {
				return nil, err
			}
			u.deps[imp] = dep
		}
		state[path] = 2
		return u, nil
	}
	if _, err := add(root); err != nil {
		return err
	}
	for _, imp := range slices.Sorted(maps.Keys(inst.Given)) {
		if !slices.ContainsFunc(p.units, func(u *unit) bool { return u.deps[imp] != nil }) {
			return fault("no template of the instance imports %q, which is given", imp)
		}
	}
	p.byName = map[string]*unit{}
	for _, u := range p.units {
		if other := p.byName[u.name]; other != nil {
			return fault("template packages %q and %q have the same name", other.path, u.path)
		}
		p.byName[u.name] = u
	}
	for _, from := range slices.Sorted(maps.Keys(replace)) {
		if byPath[replace[from]] == nil {
			return fault("no template of the instance imports %q, to be replaced by %q", from, replace[from])
		}
	}
	return nil
}
