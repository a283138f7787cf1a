package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rewrite makes the edits that turn live declarations into declarations of the output: names, types, bound values and comments. It deletes the rest.
func (p *program) rewrite() error {
	for _, u := range p.units {
		for _, d := range u.decls {
			if !p.live[d] || d.isAlias() {
				continue
			}
			edits, err := p.refEdits(d, d.node.Pos())
			if err != nil {
				return err
			}
			p.edits[d.src] = append(p.edits[d.src], edits...)
			if err := p.bindEdits(d); err != nil {
				return err
			}
		}
		for _, s := range u.files {
			p.deleteDead(u, s, true)
			p.renameComments(s)
		}
	}
	return nil
}

// refEdits renames what a declaration refers to, from a position on. Bound values are left to bindEdits.
func (p *program) refEdits(d *decl, from token.Pos) ([]edit, error) {
	var edits []edit
	for _, r := range p.refs[d] {
		if r.from < from {
			continue
		}
		text, err := p.refText(r)
		if err != nil {
			return nil, err
		}
		if text != "" {
			edits = append(edits, edit{d.src.offset(r.from), d.src.offset(r.to), text})
		}
	}
	return edits, nil
}

// refText returns what to write in place of a ref; "" if it stays.
func (p *program) refText(r ref) (string, error) {
	if r.path != "" {
		if q := p.quals[r.path]; q != r.name {
			return q, nil
		}
		return "", nil
	}
	if r.obj == nil {
		return "", nil
	}
	if v, ok := r.obj.(*types.Var); ok && v.Embedded() {
		t := v.Type()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			return p.names[n.Obj()], nil
		}
		return "", nil
	}
	if d := p.decls[r.obj]; d != nil && d.isAlias() {
		text, err := p.aliasText(r.obj)
		switch {
		case r.zero:
			text = zeroText(text)
		case r.paren && needsParens(text):
			text = "(" + text + ")"
		}
		return text, err
	}
	return p.names[r.obj], nil
}

// zeroText returns an expression for the zero value of a type, be it a number or a struct.
func zeroText(t string) string {
	if strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "[]") || strings.HasPrefix(t, "struct{") {
		return t + "{}"
	}
	return "*new(" + t + ")"
}

// needsParens reports whether a type cannot stand before ( or . as it is.
func needsParens(t string) bool {
	return strings.HasPrefix(t, "*") || strings.HasPrefix(t, "<-") || strings.HasPrefix(t, "func") || strings.HasPrefix(t, "chan")
}

// bindEdits writes the values of parameters.
func (p *program) bindEdits(d *decl) error {
	for _, spec := range d.specs {
		b := p.bound[spec]
		if b == nil {
			continue
		}
		var old ast.Expr
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			old = spec.Values[0]
		case *ast.TypeSpec:
			old = spec.Type
		}
		text, err := p.valueText(b)
		if err != nil {
			return err
		}
		p.replace(d.src, d.src.offset(old.Pos()), d.src.offset(old.End()), text)
	}
	return nil
}

// valueText returns the value of a parameter as the output has it.
func (p *program) valueText(b *binding) (string, error) {
	switch own := p.values[b]; {
	case p.names == nil: // names stay
		return b.text, nil
	case own != nil:
		return p.names[own], nil
	}
	return p.foreignText(p.user.values[b])
}

// deleteDead deletes the declarations that are not live, the directives, and groups that become empty.
// If the output has no aliases, it deletes these, too.
func (p *program) deleteDead(u *unit, s *source, expand bool) {
	dead := map[ast.Node]bool{}
	for _, d := range u.decls {
		if d.src == s && (!p.live[d] || expand && d.isAlias()) {
			dead[d.node] = true
		}
	}
	for _, n := range s.tree.Decls {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if dead[n] {
				p.deleteNode(s, n, n.Doc)
			}
		case *ast.GenDecl:
			p.deleteSpecs(s, n, dead)
		}
	}
	for _, line := range s.lines {
		p.delete(s, line.from, line.to)
	}
}

func (p *program) deleteSpecs(s *source, g *ast.GenDecl, dead map[ast.Node]bool) {
	if g.Tok == token.IMPORT {
		return
	}
	left := len(g.Specs)
	for _, spec := range g.Specs {
		if dead[spec] || dead[g] {
			left--
		}
	}
	if left == 0 {
		p.deleteNode(s, g, g.Doc)
		return
	}
	for _, spec := range g.Specs {
		if !dead[spec] {
			continue
		}
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			p.deleteNode(s, spec, spec.Doc)
		case *ast.TypeSpec:
			p.deleteNode(s, spec, spec.Doc)
		}
	}
}

// deleteNode deletes a declaration with its comments.
func (p *program) deleteNode(s *source, n ast.Node, doc *ast.CommentGroup) {
	from := n.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	p.delete(s, s.offset(from), trail(s.text, s.offset(n.End())))
}
