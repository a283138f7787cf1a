package specialize

import (
	"go/ast"
	"go/token"
)

// chooses reports whether parameters decide which clause of a switch runs, or that some clauses cannot run.
func (c *cutter) chooses(n *ast.SwitchStmt) (bool, error) {
	if n.Tag == nil {
		for _, s := range n.Body.List {
			for _, x := range s.(*ast.CaseClause).List {
				if t, err := c.fold(x); err != nil || t != unknown {
					return true, err
				}
			}
		}
		return false, nil
	}
	if c.info.Types[n.Tag].Value == nil {
		return false, nil
	}
	d := c.dependsOn(n.Tag)
	for _, s := range n.Body.List {
		for _, x := range s.(*ast.CaseClause).List {
			d.add(c.dependsOn(x))
		}
	}
	if d.item || (d.param && !d.decides()) {
		return false, c.at(n.Tag.Pos(), "switch on a value that is not known here: write arithmetic that the compiler folds")
	}
	return d.param, nil
}

// switchStmt decides a switch.
func (c *cutter) switchStmt(n *ast.SwitchStmt) {
	ok, err := c.chooses(n)
	if err != nil || !ok {
		c.err = err
		return
	}
	if n.Init != nil {
		c.err = c.at(n.Pos(), "a switch with a statement before a value that parameters decide")
		return
	}
	if c.err = c.jumps(n); c.err != nil {
		return
	}
	chosen, open, err := c.clause(n)
	if err != nil {
		c.err = err
		return
	}
	if open {
		return // edits of the clauses are made by clause
	}
	if n.Tag != nil {
		c.drop(n.Tag)
	}
	for _, s := range n.Body.List {
		if s != ast.Stmt(chosen) {
			c.drop(s)
		}
	}
	if chosen != nil {
		for _, x := range chosen.List {
			c.drop(x)
		}
	}
	c.decided(n, &fate{clause: chosen})
}

// clause finds the clause that runs. If only the run time can tell (open), the clauses that cannot run are
// dropped, and one that runs if it is reached becomes the default.
func (c *cutter) clause(n *ast.SwitchStmt) (chosen *ast.CaseClause, open bool, err error) {
	var other *ast.CaseClause
	var maybe, never []*ast.CaseClause
	for _, s := range n.Body.List {
		cl := s.(*ast.CaseClause)
		if cl.List == nil {
			other = cl
			continue
		}
		if chosen != nil {
			never = append(never, cl)
			continue
		}
		t, err := c.matches(n.Tag, cl)
		if err != nil {
			return nil, false, err
		}
		switch t {
		case yes:
			chosen = cl
		case no:
			never = append(never, cl)
		default:
			maybe = append(maybe, cl)
		}
	}
	if len(maybe) == 0 {
		if chosen == nil {
			chosen = other
		}
		return chosen, false, nil
	}
	if chosen != nil {
		if other != nil {
			never = append(never, other)
		}
		for _, x := range chosen.List {
			c.drop(x)
		}
		c.replace(c.src, c.src.offset(chosen.Case), c.src.offset(chosen.Colon)+1, "default:")
	}
	for _, cl := range never {
		c.drop(cl)
		from, to := c.extent(n, cl)
		c.delete(c.src, from, to)
	}
	return nil, true, nil
}

// matches evaluates the expressions of a clause.
func (c *cutter) matches(tag ast.Expr, cl *ast.CaseClause) (truth, error) {
	all := no
	for _, x := range cl.List {
		t := unknown
		if tag == nil {
			var err error
			if t, err = c.fold(x); err != nil {
				return unknown, err
			}
		} else {
			same, ok := c.sameConst(tag, x)
			if !ok {
				return unknown, c.at(x.Pos(), "case that is not constant in a switch that parameters decide")
			}
			t = truthOf(same)
		}
		if t == unknown && len(cl.List) > 1 {
			return unknown, c.at(x.Pos(), "case with several conditions in a switch that parameters decide: write a case for each")
		}
		if t == unknown || all == no {
			all = t
		}
	}
	return all, nil
}

// jumps refuses break and fallthrough in the clauses: outside the switch they would mean something else.
func (c *cutter) jumps(n *ast.SwitchStmt) error {
	var err error
	ast.Inspect(n.Body, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.FuncLit:
			return false // a break in there is its own; a fallthrough is of an inner switch
		case *ast.BranchStmt:
			if m.Label == nil && (m.Tok == token.BREAK || m.Tok == token.FALLTHROUGH) && err == nil {
				err = c.at(m.Pos(), "%s in a switch that parameters decide", m.Tok)
			}
		}
		return true
	})
	return err
}

// extent returns the range of a clause with the comment above it.
func (c *cutter) extent(n *ast.SwitchStmt, cl *ast.CaseClause) (from, to int) {
	text := c.src.text
	from = lead(text, c.src.offset(cl.Case), true)
	for i, s := range n.Body.List {
		if s != ast.Stmt(cl) {
			continue
		}
		if i+1 < len(n.Body.List) {
			return from, lineStart(text, lead(text, c.src.offset(n.Body.List[i+1].Pos()), true))
		}
	}
	return lineStart(text, from), lineStart(text, c.src.offset(n.Body.Rbrace))
}
