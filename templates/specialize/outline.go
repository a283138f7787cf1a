package specialize

import (
	"go/ast"
	"go/token"
	"slices"
)

// decl is a package-level declaration that stays or goes as a whole: a function, a method, one spec of a
// const, var or type declaration, or all of a const declaration that counts with iota.
type decl struct {
	pkg   *template
	src   *source
	node  ast.Node     // *ast.FuncDecl, ast.Spec, or *ast.GenDecl
	group *ast.GenDecl // nil for functions
	names []*ast.Ident // what it declares
	recv  string       // type name that a method belongs to
	specs []ast.Spec   // of a group
	tok   token.Token  // CONST, VAR, TYPE, FUNC
	mark  *directive   // //poolgen:if on it or on its group
}

func (d *decl) isMethod() bool { return d.recv != "" }
func (d *decl) isBlank() bool {
	return (d.tok == token.CONST || d.tok == token.VAR) && len(d.names) == 1 && d.names[0].Name == "_"
}

// declares reports whether d declares a name at package level.
func (d *decl) declares(name string) bool {
	return !d.isMethod() && slices.ContainsFunc(d.names, func(id *ast.Ident) bool { return id.Name == name })
}

// isAlias reports whether d is a type alias.
func (d *decl) isAlias() bool {
	t, ok := d.node.(*ast.TypeSpec)
	return ok && t.Assign.IsValid()
}

// declares reports whether a package has a spec.
func (t *template) declares(spec ast.Spec) bool {
	for _, d := range t.decls {
		if d.node == ast.Node(spec) {
			return true
		}
	}
	return false
}

// outline lists the declarations of a file.
func (l *loader) outline(t *template, s *source) error {
	for _, n := range s.tree.Decls {
		switch n := n.(type) {
		case *ast.FuncDecl:
			d := &decl{pkg: t, src: s, node: n, names: []*ast.Ident{n.Name}, tok: token.FUNC, mark: s.marks[n]}
			if n.Recv != nil {
				if len(n.Recv.List) != 1 { // which the parser lets pass
					return l.errorf(n.Recv.Pos(), "a method has one receiver")
				}
				d.recv = receiver(n.Recv.List[0].Type)
			}
			t.decls = append(t.decls, d)
		case *ast.GenDecl:
			if n.Tok == token.IMPORT {
				continue
			}
			if err := l.outlineGroup(t, s, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) outlineGroup(t *template, s *source, g *ast.GenDecl) error {
	if g.Tok == token.CONST && counts(g) {
		d := &decl{pkg: t, src: s, node: g, group: g, tok: g.Tok, specs: g.Specs, mark: s.marks[g]}
		for _, spec := range g.Specs {
			if m := s.marks[spec]; m != nil {
				return l.errorf(m.pos, "a directive inside a const group that counts with iota: write the values out")
			}
			d.names = append(d.names, spec.(*ast.ValueSpec).Names...)
		}
		t.decls = append(t.decls, d)
		return nil
	}
	for _, spec := range g.Specs {
		d := &decl{pkg: t, src: s, node: spec, group: g, tok: g.Tok, specs: []ast.Spec{spec}, mark: s.marks[spec]}
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			d.names = spec.Names
		case *ast.TypeSpec:
			d.names = []*ast.Ident{spec.Name}
		}
		if d.mark == nil || d.mark.verb != directiveIf {
			if err := l.checkParam(d, spec); err != nil {
				return err
			}
			d.mark = s.marks[g]
		}
		t.decls = append(t.decls, d)
	}
	return nil
}

// checkParam checks the shape of a declaration that is marked as a parameter.
func (l *loader) checkParam(d *decl, spec ast.Spec) error {
	if d.mark == nil {
		return nil
	}
	if v, ok := spec.(*ast.ValueSpec); ok && (len(v.Names) != 1 || len(v.Values) != 1) {
		return l.errorf(d.mark.pos, "a parameter is one name with one value")
	}
	if !d.isAlias() && d.tok == token.TYPE {
		return l.errorf(d.mark.pos, "a type parameter is an alias: type %s = ...", d.names[0].Name)
	}
	return nil
}

// counts reports whether the values of a const group depend on each other's place.
func counts(g *ast.GenDecl) bool {
	found := false
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) == 0 {
			return true
		}
		for _, x := range v.Values {
			ast.Inspect(x, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
					found = true
				}
				return !found
			})
		}
	}
	return found
}

// receiver returns the type name of a method's receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.ParenExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
