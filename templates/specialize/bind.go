package specialize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// binding is the value given to a parameter.
type binding struct {
	key    string // "heap.granule"
	text   string
	expr   ast.Expr
	file   *token.File
	own    string // the value, if it is the name of a constant of the parameter's template
	opaque bool   // mentions names unknown here: the checker sees the default instead
}

// bindings are the parameters with a value, by declaration.
type bindings map[ast.Spec]*binding

// bind parses the values and puts each in place of the default of its parameter. The shared trees do not change: the nodes that lead to a bound
// value are copied.
func (p *program) bind(values, types map[string]string) error {
	p.fset = token.NewFileSet()
	for _, u := range p.units {
		for _, s := range u.files {
			p.fset.AddExistingFiles(s.file)
		}
	}
	p.bound = bindings{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := p.bindOne(key, values[key], directiveParam, "expression"); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(types)) {
		if err := p.bindOne(key, types[key], directiveType, "type"); err != nil {
			return err
		}
	}
	for _, u := range p.units {
		for _, s := range u.files {
			u.trees = append(u.trees, p.boundTree(s.tree))
		}
	}
	return nil
}

// bindOne gives a parameter its value. The verb tells values from types.
func (p *program) bindOne(key, text, verb, form string) error {
	spec, u, err := p.parameter(key, verb)
	if err != nil {
		return err
	}
	x, err := parser.ParseExprFrom(p.fset, key, text, parser.SkipObjectResolution)
	if err != nil || verb == directiveType && !isType(x) {
		return ofParam(key, "%s is no Go %s", text, form)
	}
	b := &binding{key: key, text: text, expr: x, file: p.fset.File(x.Pos())}
	if id, ok := x.(*ast.Ident); ok && verb == directiveParam && u.hasConst(id.Name) {
		b.own = id.Name
	}
	b.opaque = b.own == "" && !isKnown(x)
	p.bound[spec] = b
	return nil
}

// isType reports whether x has the form of a type.
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

// parameter finds the declaration of a parameter.
func (p *program) parameter(key, verb string) (ast.Spec, *unit, error) {
	pkg, name, _ := strings.Cut(key, ".")
	u := p.byName[pkg]
	if u == nil {
		return nil, nil, ofParam(key, "no template package of this name is linked")
	}
	for _, d := range u.decls {
		for _, id := range d.names {
			if id.Name != name || d.isMethod() {
				continue
			}
			for _, spec := range d.specs {
				if m := d.src.marks[spec]; m != nil && m.verb == verb {
					return spec, u, nil
				}
			}
			return nil, nil, ofParam(key, "it is not marked with %s%s", directivePrefix, verb)
		}
	}
	return nil, nil, ofParam(key, "the template has no such parameter")
}

// isKnown reports whether the value of an expression can be computed from literals and Go's own names.
func isKnown(x ast.Expr) bool {
	known := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.FuncLit:
			known = false
		case *ast.Ident:
			if types.Universe.Lookup(n.Name) == nil {
				known = false
			}
		}
		return known
	})
	return known
}

func (t *template) hasConst(name string) bool {
	for _, d := range t.decls {
		if d.tok != token.CONST {
			continue
		}
		for _, id := range d.names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

// boundTree returns the file with bound values in the tree, or the file itself if it has none.
func (p *program) boundTree(f *ast.File) *ast.File {
	tree := f
	for i, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for j, spec := range g.Specs {
			b := p.bound[spec]
			if b == nil || b.opaque {
				continue
			}
			if tree == f {
				tree = new(ast.File)
				*tree = *f
				tree.Decls = append([]ast.Decl(nil), f.Decls...)
			}
			if tree.Decls[i] == d {
				c := *g
				c.Specs = append([]ast.Spec(nil), g.Specs...)
				tree.Decls[i] = &c
			}
			tree.Decls[i].(*ast.GenDecl).Specs[j] = withValue(spec, b.expr)
		}
	}
	return tree
}

// withValue returns a copy of a spec with another right side.
func withValue(spec ast.Spec, x ast.Expr) ast.Spec {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		c := *spec
		c.Values = []ast.Expr{x}
		return &c
	case *ast.TypeSpec:
		c := *spec
		c.Type = x
		return &c
	}
	return spec
}

// sortedBindings returns the bound parameters in order of their keys.
func sortedBindings(m bindings) []ast.Spec {
	return slices.SortedFunc(maps.Keys(m), func(a, b ast.Spec) int { return strings.Compare(m[a].key, m[b].key) })
}
