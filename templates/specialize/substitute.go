package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// foreign is an expression of the caller: a type, or the value of a parameter.
type foreign struct {
	text  string
	expr  ast.Expr
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

// substitute resolves the names in the types and values of the caller.
func (p *program) substitute(inst *Instance) error {
	p.collectValues()
	p.user = userNames{map[types.Object]*foreign{}, map[*binding]*foreign{}, map[string]string{}, map[types.Object]string{}}
	for q, imp := range inst.Imports {
		p.user.paths[q] = imp
	}
	p.user.paths["unsafe"] = "unsafe"
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, spec := range d.specs {
				b := p.bound[spec]
				if b == nil {
					continue
				}
				f, err := p.foreign(b)
				if err != nil {
					return err
				}
				if d.tok == token.TYPE {
					p.user.types[p.info.Defs[d.names[0]]] = f
				} else {
					p.user.values[b] = f
				}
			}
		}
	}
	return nil
}

// foreign finds the names in a value that are neither Go's own nor the template's.
func (p *program) foreign(b *binding) (*foreign, error) {
	f := &foreign{text: b.text, expr: b.expr, file: b.file}
	if b.own != "" {
		return f, nil
	}
	fields := fieldNames(b.expr)
	var err error
	ast.Inspect(b.expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			if p.user.paths[id.Name] == "" {
				err = ofParam(b.key, "the import of %s is not given", id.Name)
			}
			f.quals = append(f.quals, id)
			return false
		case *ast.Ident:
			if !fields[n] && types.Universe.Lookup(n.Name) == nil {
				f.bare = append(f.bare, n)
			}
		}
		return true
	})
	return f, err
}

// fieldNames finds the identifiers in an expression that name fields.
func fieldNames(x ast.Expr) map[*ast.Ident]bool {
	names := map[*ast.Ident]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				names[id] = true
			}
		case *ast.CompositeLit:
			switch n.Type.(type) {
			case *ast.ArrayType, *ast.MapType:
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok {
						names[id] = true
					}
				}
			}
		}
		return true
	})
	return names
}

// foreignText writes the expression with qualifiers as the output has them.
func (p *program) foreignText(f *foreign) (string, error) {
	var edits []edit
	for _, id := range f.quals {
		at := int(id.Pos()) - f.file.Base()
		edits = append(edits, edit{from: at, to: at + len(id.Name), repl: p.quals[p.user.paths[id.Name]]})
	}
	return apply(f.text, 0, len(f.text), edits)
}
