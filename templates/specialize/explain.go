package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// explain turns an error of the checker into one that names the parameters it depends on.
func (p *program) explain(u *unit, e *types.Error) error {
	for _, spec := range sortedBindings(p.bound) {
		if b := p.bound[spec]; b.file == p.fset.File(e.Pos) {
			return ofParam(b.key, "%s", e.Msg)
		}
	}
	err := &Error{Pos: p.position(e.Pos), Msg: e.Msg}
	s, node := u.enclosing(e.Pos)
	if node == nil {
		return err
	}
	err.Params = p.mentioned(u, node)
	if len(err.Params) > 0 {
		err.Param = err.Params[0]
	}
	if text := assertion(s, node); text != "" {
		err.Msg, err.Detail = text, e.Msg
	}
	return err
}

// enclosing returns the spec or statement that a position is in.
func (u *unit) enclosing(pos token.Pos) (*source, ast.Node) {
	for _, s := range u.files {
		if pos < s.tree.FileStart || pos > s.tree.FileEnd {
			continue
		}
		var best ast.Node
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || pos >= n.End() {
				return false
			}
			switch n.(type) {
			case ast.Spec, ast.Stmt, *ast.Field:
				best = n
			}
			return true
		})
		return s, best
	}
	return nil, nil
}

// assertion returns the comment on a `const _ = ...` or `var _ = ...`.
func assertion(s *source, node ast.Node) string {
	v, ok := node.(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 || v.Names[0].Name != "_" {
		return ""
	}
	text := v.Doc.Text()
	if text == "" {
		text = v.Comment.Text()
	}
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && text == "" && g.Pos() <= v.Pos() && v.Pos() < g.End() {
			text = g.Doc.Text()
		}
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
}

// mentioned lists the parameters that a piece of a template depends on, by name: the checker failed, so
// its objects cannot be relied on. Bound ones come first, both kinds in order of appearance.
func (p *program) mentioned(u *unit, node ast.Node) []string {
	seen := map[string]bool{}
	var bound, free []string
	var visit func(u *unit, n ast.Node)
	name := func(u *unit, id string) {
		key := u.name + "." + id
		if seen[key] || id == "_" {
			return
		}
		seen[key] = true
		for _, d := range u.decls {
			for _, spec := range d.specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || !declares(v, id) {
					continue
				}
				if m := d.src.marks[v]; m != nil && m.verb == directiveParam {
					if p.bound[spec] != nil {
						bound = append(bound, key)
					} else {
						free = append(free, key)
					}
				} else if d.tok == token.CONST {
					visit(u, v)
				}
			}
		}
	}
	visit = func(u *unit, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && p.byName[x.Name] != nil {
					name(p.byName[x.Name], n.Sel.Name)
					return false
				}
			case *ast.Ident:
				name(u, n.Name)
			}
			return true
		})
	}
	visit(u, node)
	return append(bound, free...)
}

func declares(v *ast.ValueSpec, name string) bool {
	for _, id := range v.Names {
		if id.Name == name {
			return true
		}
	}
	return false
}
