package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// fate is the decision on an if or switch whose condition the parameters decide: what takes its place.
type fate struct {
	body   *ast.BlockStmt  // this block,
	next   *ast.IfStmt     // or this if (an else if),
	clause *ast.CaseClause // or this clause; or nothing
	braces bool            // the block keeps its braces, since it declares names that would clash
}

// list returns the statements that take the place.
func (f *fate) list() []ast.Stmt {
	switch {
	case f.body != nil:
		return f.body.List
	case f.next != nil:
		return []ast.Stmt{f.next}
	case f.clause != nil:
		return f.clause.Body
	}
	return nil
}

// prune decides all branches, marked declarations and sentences of comments, and edits the text accordingly. All decisions come first, outside in,
// so dropped code is never analysed. Then come the edits, inside out, because the end of a block decides what may follow the block.
func (p *program) prune() error {
	p.constants()
	p.fates = map[ast.Stmt]*fate{}
	p.dropped = map[ast.Node]bool{}
	p.gone = map[*decl]bool{}
	p.lost = map[types.Object]token.Pos{}
	p.edits = map[*source][]edit{}
	for _, u := range p.units {
		for _, d := range u.decls {
			if err := p.pruneDecl(u, d); err != nil {
				return err
			}
		}
		for _, s := range u.files {
			if err := p.decideProse(u, s); err != nil {
				return err
			}
		}
	}
	p.dependsOnChecks()
	return nil
}

// pruneDecl prunes one declaration.
func (p *program) pruneDecl(u *unit, d *decl) error {
	if d.mark != nil && d.mark.verb == directiveIf {
		t, err := p.evaluate(u, d.mark, d.node.Pos())
		if err != nil {
			return err
		}
		if t == no {
			p.gone[d] = true
			for _, id := range d.names {
				p.lost[p.info.Defs[id]] = d.mark.pos
			}
			return nil
		}
	}
	if d.tok == token.TYPE {
		return p.pruneFields(u, d)
	}
	c := &cutter{program: p, src: d.src}
	if err := c.decide(p.root(d)); err != nil {
		return err
	}
	return c.cut()
}

// root returns the tree of a declaration, without the default of a bound parameter.
func (p *program) root(d *decl) ast.Node {
	if v, ok := d.node.(*ast.ValueSpec); ok && p.bound[v] != nil {
		return &ast.ValueSpec{Names: v.Names, Type: v.Type}
	}
	if t, ok := d.node.(*ast.TypeSpec); ok && p.bound[t] != nil {
		return t.Name
	}
	return d.node
}

// pruneFields drops the struct fields whose condition does not hold.
func (p *program) pruneFields(u *unit, d *decl) error {
	var err error
	ast.Inspect(d.node, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok || err != nil {
			return err == nil
		}
		left := len(st.Fields.List)
		for _, f := range st.Fields.List {
			m := d.src.marks[f]
			if m == nil {
				continue
			}
			t, e := p.evaluate(u, m, d.node.Pos())
			if e != nil {
				err = e
				return false
			}
			if t == no {
				left--
				p.dropField(d.src, f)
			}
		}
		if left == 0 && len(st.Fields.List) > 0 {
			p.delete(d.src, d.src.offset(st.Fields.Opening)+1, d.src.offset(st.Fields.Closing))
		}
		return true
	})
	return err
}

func (p *program) dropField(s *source, f *ast.Field) {
	p.dropped[f] = true
	for _, id := range f.Names {
		p.lost[p.info.Defs[id]] = s.marks[f].pos
	}
	if len(f.Names) == 0 {
		if id := embeddedName(f.Type); id != nil {
			p.lost[p.info.Defs[id]] = s.marks[f].pos
		}
	}
	from := f.Pos()
	if f.Doc != nil {
		from = f.Doc.Pos()
	}
	p.delete(s, s.offset(from), trail(s.text, s.offset(f.End())))
}

// delete reports a deletion.
func (p *program) delete(s *source, from, to int) {
	p.edits[s] = append(p.edits[s], edit{from: from, to: to})
}

// replace reports a replacement.
func (p *program) replace(s *source, from, to int, repl string) {
	p.edits[s] = append(p.edits[s], edit{from: from, to: to, repl: repl})
}

// embeddedName returns the identifier that names an embedded field.
func embeddedName(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.StarExpr:
		return embeddedName(x.X)
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.Ident:
		return x
	}
	return nil
}
