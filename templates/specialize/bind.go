package specialize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// binding is the value given to a parameter.
type binding struct {
	key    string // "heap.granule"
	text   string
	expr   ast.Expr
	file   *token.File
	opaque bool // mentions names unknown here: the checker sees the default instead
}

// bind parses the values and puts each in place of its parameter's default. The shared trees are not
// touched: what leads to a bound value is copied.
func (p *program) bind(values map[string]string) error {
	p.fset = token.NewFileSet()
	for _, u := range p.units {
		for _, s := range u.files {
			p.fset.AddExistingFiles(s.file)
		}
	}
	p.bound = map[*ast.ValueSpec]*binding{}
	for _, key := range sortedKeys(values) {
		spec, u, err := p.parameter(key)
		if err != nil {
			return err
		}
		b := &binding{key: key, text: values[key]}
		b.expr, err = parser.ParseExprFrom(p.fset, key, b.text, parser.SkipObjectResolution)
		if err != nil {
			return &Error{Param: key, Params: []string{key}, Msg: "value " + b.text + " is no Go expression"}
		}
		b.file = p.fset.File(b.expr.Pos())
		b.opaque = !u.knows(b.expr)
		p.bound[spec] = b
	}
	for _, u := range p.units {
		for _, s := range u.files {
			u.trees = append(u.trees, p.boundTree(s.tree))
		}
	}
	return nil
}

// parameter finds the declaration of a parameter that is a const or a var.
func (p *program) parameter(key string) (*ast.ValueSpec, *unit, error) {
	bad := func(msg string) error { return &Error{Param: key, Params: []string{key}, Msg: msg} }
	pkg, name, _ := strings.Cut(key, ".")
	u := p.byName[pkg]
	if u == nil {
		return nil, nil, bad("no template package of this name is linked")
	}
	for _, d := range u.decls {
		for _, id := range d.names {
			if id.Name != name || d.isMethod() {
				continue
			}
			for _, spec := range d.specs {
				v, ok := spec.(*ast.ValueSpec)
				if m := d.src.marks[spec]; ok && m != nil && m.verb == directiveParam {
					return v, u, nil
				}
			}
			return nil, nil, bad("it is not marked as a parameter, or not a const or var")
		}
	}
	return nil, nil, bad("the template has no such parameter")
}

// knows reports whether the value of an expression can be computed from literals, Go's own names and
// constants of the template package.
func (t *template) knows(x ast.Expr) bool {
	known := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.FuncLit:
			known = false
		case *ast.Ident:
			if types.Universe.Lookup(n.Name) == nil && !t.hasConst(n.Name) {
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
			v, ok := spec.(*ast.ValueSpec)
			if b := p.bound[v]; !ok || b == nil || b.opaque {
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
			c := *v
			c.Values = []ast.Expr{p.bound[v].expr}
			tree.Decls[i].(*ast.GenDecl).Specs[j] = &c
		}
	}
	return tree
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// sortedBindings returns the bound parameters in order of their keys.
func sortedBindings(m map[*ast.ValueSpec]*binding) []*ast.ValueSpec {
	specs := make([]*ast.ValueSpec, 0, len(m))
	for v := range m {
		specs = append(specs, v)
	}
	sort.Slice(specs, func(i, j int) bool { return m[specs[i]].key < m[specs[j]].key })
	return specs
}
