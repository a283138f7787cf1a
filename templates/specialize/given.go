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

// lender is a given package, as the checker saw it. Another instance may be given another package with the same face in its place; the two have their
// declarations in the template in common.
type lender struct {
	path  string // that it is given as
	decls map[types.Object]*decl
}

// accept records what an instance is given.
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

// face is the exported side of a given package: its exported types, fields and methods. The checker finds no difference between two packages with the
// same face.
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

// borrow records that live code refers to an object of a given package.
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

// nameGiven records the names of the declarations of given packages.
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

// lend returns a package in which the output is checked, with the borrowed types in it.
func (p *program) lend() *types.Package {
	pkg := types.NewPackage("p", "p")
	for obj := range p.borrowed {
		pkg.Scope().Insert(types.NewTypeName(obj.Pos(), pkg, p.names[obj], obj.Type()))
	}
	return pkg
}
