package specialize

import "go/ast"

// cut makes the edits for the decisions, inner lists first.
func (c *cutter) cut() error {
	for i := len(c.lists) - 1; i >= 0; i-- {
		if err := c.cutList(c.lists[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *cutter) cutList(o owner) error {
	for i, s := range o.list {
		if c.dropped[s] {
			continue
		}
		if c.fates[s] == nil {
			if err := c.cutKept(s); err != nil {
				return err
			}
			continue
		}
		if c.ends(c.target(s)) {
			if err := c.cutRest(o, i); err != nil {
				return err
			}
		}
		c.splice(o, i)
	}
	if b, ok := o.node.(*ast.BlockStmt); ok && c.funcs[b] != nil && len(b.List) > 0 && !c.alive(b.List) {
		c.delete(c.src, c.src.offset(b.Lbrace)+1, c.src.offset(b.Rbrace))
	}
	return nil
}

// target returns the statements that are left of s. A decided if may lead to another decided if.
func (c *cutter) target(s ast.Stmt) []ast.Stmt {
	f := c.fates[s]
	if f == nil {
		return []ast.Stmt{s}
	}
	if f.next != nil {
		return c.target(f.next)
	}
	return f.list()
}

// alive reports whether any statement of a list is left.
func (c *cutter) alive(list []ast.Stmt) bool {
	for _, s := range list {
		if c.dropped[s] {
			continue
		}
		if c.fates[s] == nil || c.alive(c.target(s)) {
			return true
		}
	}
	return false
}

// cutRest drops the statements of a list after the i-th, which no longer lets control pass.
func (c *cutter) cutRest(o owner, i int) error {
	if i+1 == len(o.list) {
		return nil
	}
	for _, s := range o.list[i+1:] {
		if l, ok := s.(*ast.LabeledStmt); ok {
			return c.at(l.Pos(), "label after a branch that parameters decide, and that never ends")
		}
		c.dropped[s] = true
	}
	from := lineEnd(c.src.text, c.src.offset(o.list[i].End())) + 1
	to := c.src.offset(o.list[len(o.list)-1].End())
	c.delete(c.src, from, trail(c.src.text, to))
	return nil
}

// splice replaces the i-th statement of a list, which is decided, by what is left of it.
func (c *cutter) splice(o owner, i int) {
	s := o.list[i]
	text, from, to := c.src.text, c.src.offset(s.Pos()), c.src.offset(s.End())
	if !c.alive([]ast.Stmt{s}) {
		c.dropped[s] = true
		c.delete(c.src, lead(text, from, false), trail(text, to))
		return
	}
	braces := c.clashes(o, i)
	last := s
	for c.fates[last].next != nil {
		next := c.fates[last].next
		if c.fates[next] == nil { // else if: it becomes an if
			c.delete(c.src, from, c.src.offset(next.Pos()))
			return
		}
		last = next
	}
	f := c.fates[last]
	f.braces = braces
	if f.clause != nil {
		c.spliceClause(s.(*ast.SwitchStmt), f.clause, braces)
		return
	}
	open, end := c.src.offset(f.body.Lbrace), c.src.offset(f.body.Rbrace)
	if braces {
		c.delete(c.src, from, open)
		c.delete(c.src, end+1, to)
		return
	}
	c.delete(c.src, from, open+1)
	c.delete(c.src, end, to)
}

// spliceClause replaces a switch by the statements of a clause and the comment above the clause.
func (c *cutter) spliceClause(s *ast.SwitchStmt, cl *ast.CaseClause, braces bool) {
	from, to := c.extent(s, cl)
	before, after := "", ""
	if braces {
		before, after = "{\n", "}"
	}
	c.replace(c.src, c.src.offset(s.Pos()), lineStart(c.src.text, from), before)
	c.delete(c.src, c.src.offset(cl.Case), c.src.offset(cl.Colon)+1)
	c.replace(c.src, to, c.src.offset(s.End()), after)
}

// cutKept handles decided ifs in the else of a kept one, and branches that have become empty.
func (c *cutter) cutKept(s ast.Stmt) error {
	n, ok := s.(*ast.IfStmt)
	if !ok {
		return c.cutLoop(s)
	}
	for n != nil {
		next, isIf := n.Else.(*ast.IfStmt)
		if isIf && c.fates[next] != nil {
			next = c.cutElse(n, next)
		}
		if !isIf {
			if b, ok := n.Else.(*ast.BlockStmt); ok && len(b.List) > 0 && !c.alive(b.List) {
				c.delete(c.src, c.src.offset(n.Body.Rbrace)+1, c.src.offset(b.End()))
				c.drop(b)
			}
		}
		if len(n.Body.List) > 0 && !c.alive(n.Body.List) {
			if err := c.cutEmpty(s, n); err != nil {
				return err
			}
		}
		n = next
	}
	return nil
}

// cutElse replaces a decided else-if by what is left of it, and returns the if that now follows.
func (c *cutter) cutElse(n, decided *ast.IfStmt) *ast.IfStmt {
	from, to := c.src.offset(decided.Pos()), c.src.offset(decided.End())
	last := decided
	for c.fates[last].next != nil {
		next := c.fates[last].next
		if c.fates[next] == nil {
			c.delete(c.src, from, c.src.offset(next.Pos()))
			return next
		}
		last = next
	}
	body := c.fates[last].body
	if body == nil || !c.alive(body.List) {
		c.delete(c.src, c.src.offset(n.Body.Rbrace)+1, to)
		c.dropped[decided] = true
		return nil
	}
	c.fates[last].braces = true
	c.delete(c.src, from, c.src.offset(body.Lbrace))
	c.delete(c.src, c.src.offset(body.Rbrace)+1, to)
	return nil
}

// cutEmpty drops an if whose body has become empty, if nothing depends on its condition being evaluated.
func (c *cutter) cutEmpty(s ast.Stmt, n *ast.IfStmt) error {
	els := n.Else != nil && !c.dropped[n.Else]
	if n.Init != nil || c.calls(n.Cond) || els || s != ast.Stmt(n) {
		return c.at(n.Pos(), "pruning leaves the body of this if empty: test the parameter outside of it")
	}
	c.dropped[n] = true
	from, to := c.src.offset(n.Pos()), c.src.offset(n.End())
	c.delete(c.src, lead(c.src.text, from, false), trail(c.src.text, to))
	return nil
}

// cutLoop refuses loops that have become empty.
func (c *cutter) cutLoop(s ast.Stmt) error {
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return c.cutLoop(s.Stmt)
	case *ast.ForStmt:
		body = s.Body
	case *ast.RangeStmt:
		body = s.Body
	}
	if body != nil && len(body.List) > 0 && !c.alive(body.List) {
		return c.at(s.Pos(), "pruning leaves the body of this loop empty: test the parameter outside of it")
	}
	return nil
}
