package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// hostSizes are the sizes that constant folding uses. Nothing that depends on them is decided here, so they only need to be the same on every
// machine.
var hostSizes = types.SizesFor("gc", "amd64")

// check type-checks the packages, imported ones first. Packages that are not templates are stubs: everything selected from them has an unknown
// type, about which the checker reports nothing. Errors are kept until pruning has decided which code is left.
func (p *program) check() {
	size := 0
	for _, u := range p.units {
		for _, s := range u.files {
			size += len(s.text)
		}
	}
	// Templates have an expression in about every eight bytes. Maps that do not grow save a tenth of the time.
	p.info = types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, size/8),
		Defs:  make(map[*ast.Ident]types.Object, size/32),
		Uses:  make(map[*ast.Ident]types.Object, size/12),

		Implicits: map[ast.Node]types.Object{},
	}
	p.owner = map[*types.Package]*unit{}
	for _, of := range p.given {
		p.owner[of.program.units[0].types] = of.program.units[0]
	}
	for _, u := range p.units {
		p.checkUnit(u)
	}
	p.decls = map[types.Object]*decl{}
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, id := range d.names {
				if obj := p.info.Defs[id]; obj != nil {
					p.decls[obj] = d
				}
			}
		}
	}
}

// checkUnit checks one package, after what it imports.
func (p *program) checkUnit(u *unit) {
	if u.types != nil {
		return
	}
	for _, path := range u.imports {
		p.checkUnit(u.deps[path])
	}
	conf := types.Config{
		Importer:                 importer(u.importTemplate),
		Sizes:                    hostSizes,
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !ofStub(e.Msg) && !ofUnknown(e, u.trees, &p.info) && !p.emptyLiteral(u, &e) {
				p.fails = append(p.fails, failure{u, e})
			}
		},
	}
	u.types, _ = conf.Check(u.path, p.fset, u.trees, &p.info)
	p.owner[u.types] = u
	p.resolveArguments(u)
}

// resolveArguments resolves the type arguments of generic types from stubs, which the checker does not do.
func (p *program) resolveArguments(u *unit) {
	for _, tree := range u.trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			var of ast.Expr
			var arguments []ast.Expr
			switch x := n.(type) {
			case *ast.IndexExpr:
				of, arguments = x.X, []ast.Expr{x.Index}
			case *ast.IndexListExpr:
				of, arguments = x.X, x.Indices
			}
			if p.isQualified(of) {
				for _, a := range arguments {
					p.resolveTypes(u, a)
				}
			}
			return true
		})
	}
}

// isQualified reports whether an expression is a name of another package.
func (p *program) isQualified(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = p.info.Uses[id].(*types.PkgName)
	return ok
}

// resolveTypes finds what the names in a type expression stand for. Those of fields and parameters stand for nothing.
func (p *program) resolveTypes(u *unit, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			p.resolveTypes(u, x.Type)
			return false
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if pkg, ok := p.resolve(u, id).(*types.PkgName); ok {
					p.use(x.Sel, pkg.Imported().Scope().Lookup(x.Sel.Name))
				}
			}
			return false
		case *ast.Ident:
			p.resolve(u, x)
		}
		return true
	})
}

// resolve returns what a name stands for at its position, and records the use.
func (p *program) resolve(u *unit, id *ast.Ident) types.Object {
	_, obj := u.types.Scope().Innermost(id.Pos()).LookupParent(id.Name, id.Pos())
	p.use(id, obj)
	return obj
}

// use records what a name stands for, unless the checker has done so.
func (p *program) use(id *ast.Ident, obj types.Object) {
	if obj != nil && p.info.Uses[id] == nil {
		p.info.Uses[id] = obj
	}
}

// failure is an error of the checker.
type failure struct {
	unit *unit
	err  types.Error
}

// failed returns the first failure outside of pruned code, where there may be others: a core may lack what a shell uses only under a feature.
func (p *program) failed() error {
	for _, f := range p.fails {
		if !p.isPruned(f.unit, f.err.Pos) && !p.isOpen(f.unit, f.err.Pos) {
			return p.explain(f.unit, &f.err)
		}
	}
	return nil
}

// isOpen reports whether a place is in an assertion about a parameter whose value only the user's compiler knows. The checker has used the default
// in its place.
func (p *program) isOpen(u *unit, pos token.Pos) bool {
	for _, d := range u.decls {
		if d.isBlank() && d.node.Pos() <= pos && pos < d.node.End() && p.isCheck(d) {
			return true
		}
	}
	return false
}

// isPruned reports whether a place of a template is pruned.
func (p *program) isPruned(u *unit, pos token.Pos) bool {
	for _, d := range u.decls {
		if p.gone[d] && d.node.Pos() <= pos && pos < d.node.End() {
			return true
		}
	}
	for _, s := range u.files {
		if pos < s.tree.FileStart || pos > s.tree.FileEnd {
			continue
		}
		for _, e := range p.edits[s] {
			if at := s.offset(pos); e.from <= at && at < e.to {
				return true
			}
		}
	}
	return false
}

// importTemplate returns a linked template package, or a stub.
func (u *unit) importTemplate(path string) (*types.Package, error) {
	if dep := u.deps[path]; dep != nil {
		return dep.types, nil
	}
	return stub(path)
}

// emptyLiteral reports whether an error is about Item{} with a type parameter that stands for a number; see zeroText.
func (p *program) emptyLiteral(u *unit, e *types.Error) bool {
	if !strings.HasPrefix(e.Msg, "invalid composite literal type") {
		return false
	}
	for spec := range p.bound {
		if t, ok := spec.(*ast.TypeSpec); ok && u.declares(t) {
			return true
		}
	}
	return false
}
