package specialize

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// lender is a package that is given, as the checker saw it. Another instance may be given another one in its place that looks the same from
// outside: what the two have in common is their declarations in the template.
type lender struct {
	path  string // that it is given as
	decls map[types.Object]*decl
}

// accept notes what an instance is given.
func (p *program) accept(given map[string]*Result) error {
	p.given, p.lenders = given, map[*types.Package]lender{}
	for _, imp := range slices.Sorted(maps.Keys(given)) {
		if p.loader.lib[imp] == nil {
			return fault("given package %q is no template", imp)
		}
		of := given[imp].program
		if of == nil || of.loader != p.loader {
			return fault("what is given for %q was not made by this Specializer", imp)
		}
		root := of.units[0]
		if other, twice := p.lenders[root.types]; twice {
			return fault("%q and %q are given the same", other.path, imp)
		}
		p.lenders[root.types] = lender{imp, of.decls}
	}
	return nil
}

// face is what a package looks like from outside when it is given: its exported types, fields and methods. Two with the same one differ in
// nothing that the checker sees of them.
func (p *program) face() string {
	root := p.units[0]
	parts := []string{root.path}
	for _, spec := range sortedBindings(p.bound) {
		if _, ok := spec.(*ast.TypeSpec); ok {
			parts = append(parts, p.bound[spec].key+" = "+p.bound[spec].text)
		}
	}
	for _, d := range root.decls {
		if !p.live[d] {
			continue
		}
		for _, id := range d.names {
			if id.IsExported() {
				parts = append(parts, d.recv+"."+id.Name)
			}
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && p.dropped[f] {
				parts = append(parts, fmt.Sprint("without ", d.src.offset(f.Pos())))
			}
			return true
		})
	}
	return strings.Join(parts, " ")
}

// isGiven reports whether an object is of a package that is given.
func (p *program) isGiven(obj types.Object) bool {
	if obj == nil || len(p.lenders) == 0 {
		return false
	}
	_, ok := p.lenders[obj.Pkg()]
	return ok
}

// borrow notes that live code refers to an object that is given.
func (p *program) borrow(r ref) error {
	from := p.lenders[r.obj.Pkg()]
	d := from.decls[r.obj]
	switch {
	case d == nil: // a field
		return nil
	case !p.given[from.path].program.live[d]:
		return p.at(r.from, "use of %s, which is given without it", r.obj.Name())
	case d.isMethod():
		return nil
	case d.tok != token.TYPE || d.isAlias():
		return p.at(r.from, "use of %s: of what is given only types can be named", r.obj.Name())
	}
	p.borrowed[r.obj] = true
	return nil
}

// nameGiven notes what the declarations of packages that are given are called.
func (p *program) nameGiven() {
	for pkg, from := range p.lenders {
		of := p.given[from.path].program
		for _, name := range pkg.Scope().Names() {
			if given := of.names[of.units[0].types.Scope().Lookup(name)]; given != "" {
				p.names[pkg.Scope().Lookup(name)] = given
			}
		}
	}
}

// lend returns a package for the residual to be checked in, with the types in it that are borrowed.
func (p *program) lend() *types.Package {
	pkg := types.NewPackage("p", "p")
	for obj := range p.borrowed {
		pkg.Scope().Insert(types.NewTypeName(obj.Pos(), pkg, p.names[obj], obj.Type()))
	}
	return pkg
}
