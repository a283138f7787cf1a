package specialize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
)

// foreign is an expression of the caller: a type, or the value of a parameter.
type foreign struct {
	text  string
	file  *token.File
	quals []*ast.Ident // qualifiers of packages that are no templates
	bare  []*ast.Ident // names of the output's own package
}

// userNames are the names that expressions of the caller bring into the output.
type userNames struct {
	types  map[types.Object]*foreign // type parameters with a value
	values map[*binding]*foreign
	paths  map[string]string // qualifier -> import path
	alias  map[types.Object]string
}

// substitute parses the types given for type parameters and looks up the names that the caller uses.
func (p *program) substitute(inst *Instance) error {
	p.user = userNames{map[types.Object]*foreign{}, map[*binding]*foreign{}, map[string]string{}, map[types.Object]string{}}
	for q, imp := range inst.Imports {
		p.user.paths[q] = imp
	}
	p.user.paths["unsafe"] = "unsafe"
	for _, key := range sortedKeys(inst.Types) {
		obj, err := p.typeParam(key)
		if err != nil {
			return err
		}
		x, err := parser.ParseExprFrom(p.fset, key, inst.Types[key], parser.SkipObjectResolution)
		if err != nil || !isType(x) {
			return &Error{Param: key, Params: []string{key}, Msg: inst.Types[key] + " is no Go type"}
		}
		f, err := p.foreign(nil, x, inst.Types[key], key)
		if err != nil {
			return err
		}
		p.user.types[obj] = f
	}
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, spec := range d.specs {
				v, ok := spec.(*ast.ValueSpec)
				b := p.bound[v]
				if !ok || b == nil {
					continue
				}
				f, err := p.foreign(u, b.expr, b.text, b.key)
				if err != nil {
					return err
				}
				p.user.values[b] = f
			}
		}
	}
	return nil
}

// typeParam finds the alias that is marked as the type parameter key.
func (p *program) typeParam(key string) (types.Object, error) {
	bad := func(msg string) error { return &Error{Param: key, Params: []string{key}, Msg: msg} }
	pkg, name, _ := strings.Cut(key, ".")
	u := p.byName[pkg]
	if u == nil {
		return nil, bad("no template package of this name is linked")
	}
	obj := u.types.Scope().Lookup(name)
	if obj == nil || !p.isTypeParam(obj) {
		return nil, bad("the template has no such type parameter")
	}
	return obj, nil
}

// isType reports whether x has the form of a type that an item can have.
func isType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.MapType, *ast.ChanType, *ast.ArrayType:
		return true
	case *ast.SelectorExpr:
		_, ok := x.X.(*ast.Ident)
		return ok
	case *ast.IndexExpr:
		return isType(x.X)
	case *ast.IndexListExpr:
		return isType(x.X)
	case *ast.StarExpr:
		return isType(x.X)
	case *ast.ParenExpr:
		return isType(x.X)
	}
	return false
}

// foreign finds the names in an expression that are neither Go's own nor constants of the unit.
func (p *program) foreign(u *unit, x ast.Expr, text, key string) (*foreign, error) {
	f := &foreign{text: text, file: p.fset.File(x.Pos())}
	var err error
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			if p.user.paths[id.Name] == "" {
				err = &Error{Param: key, Params: []string{key}, Msg: "the import of " + id.Name + " is not given"}
			}
			f.quals = append(f.quals, id)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, func(m ast.Node) bool {
				if id, ok := m.(*ast.Ident); ok && types.Universe.Lookup(id.Name) == nil {
					f.bare = append(f.bare, id)
				}
				return true
			})
			return false
		case *ast.Ident:
			if types.Universe.Lookup(n.Name) == nil && (u == nil || !u.hasConst(n.Name)) {
				f.bare = append(f.bare, n)
			}
		}
		return true
	})
	return f, err
}

// text writes the expression with qualifiers as the output has them.
func (p *program) foreignText(f *foreign) (string, error) {
	var edits []edit
	for _, id := range f.quals {
		at := int(id.Pos()) - f.file.Base()
		edits = append(edits, edit{at, at + len(id.Name), p.quals[p.user.paths[id.Name]]})
	}
	return apply(f.text, 0, len(f.text), edits)
}

// fresh returns a name like the given one that is not taken.
func fresh(name, importPath string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	parent := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, path.Base(path.Dir(importPath)))
	name = strings.TrimLeft(parent, "0123456789") + name
	for taken(name) {
		name += "pkg"
	}
	return name
}
