package specialize

import (
	"go/ast"
)

// cutter prunes the statements of one declaration.
type cutter struct {
	*program
	src   *source
	lists []owner                          // of statements, outside in
	funcs map[*ast.BlockStmt]*ast.FuncType // bodies
	err   error
}

// owner is a statement list and the node that holds it.
type owner struct {
	node ast.Node // *ast.BlockStmt, *ast.CaseClause or *ast.CommClause
	list []ast.Stmt
}

// decide walks the code that is kept, outside in, and decides each branch.
func (c *cutter) decide(root ast.Node) error {
	c.funcs = map[*ast.BlockStmt]*ast.FuncType{}
	ast.Inspect(root, func(n ast.Node) bool {
		if c.err != nil || n == nil || c.dropped[n] {
			return false
		}
		c.visit(n)
		return c.err == nil
	})
	return c.err
}

func (c *cutter) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.funcs[n.Body] = n.Type
	case *ast.FuncLit:
		c.funcs[n.Body] = n.Type
	case *ast.BlockStmt:
		c.lists = append(c.lists, owner{n, n.List})
	case *ast.CaseClause:
		c.lists = append(c.lists, owner{n, n.Body})
	case *ast.CommClause:
		c.lists = append(c.lists, owner{n, n.Body})
	case *ast.LabeledStmt:
		c.label(n)
	case *ast.IfStmt:
		c.ifStmt(n)
	case *ast.SwitchStmt:
		c.switchStmt(n)
	case *ast.ForStmt:
		c.forStmt(n)
	case *ast.ReturnStmt:
		for _, x := range n.Results {
			c.bare(x)
		}
	case *ast.AssignStmt:
		for _, x := range n.Rhs {
			c.bare(x)
		}
	case *ast.CallExpr:
		for _, x := range n.Args {
			c.bare(x)
		}
	case *ast.BinaryExpr:
		c.logic(n)
	case *ast.ParenExpr:
		c.paren(n)
	}
}

// ifStmt decides an if. The condition of one that is kept is simplified.
func (c *cutter) ifStmt(n *ast.IfStmt) {
	t, err := c.fold(n.Cond)
	if err != nil {
		c.err = err
		return
	}
	if t == unknown {
		c.bare(n.Cond)
		return
	}
	if n.Init != nil {
		c.err = c.at(n.Pos(), "an if with a statement before a condition that parameters decide: write an if of its own for the parameter")
		return
	}
	f := &fate{}
	c.drop(n.Cond)
	switch {
	case t == yes:
		f.body = n.Body
		c.drop(n.Else)
	default:
		c.drop(n.Body)
		f.body, _ = n.Else.(*ast.BlockStmt)
		f.next, _ = n.Else.(*ast.IfStmt)
	}
	c.decided(n, f)
}

// decided records a fate. Labels in code that is moved or dropped are refused, as they name a place.
func (c *cutter) decided(n ast.Stmt, f *fate) {
	c.fates[n] = f
	ast.Inspect(n, func(m ast.Node) bool {
		if l, ok := m.(*ast.LabeledStmt); ok && c.err == nil {
			c.err = c.at(l.Pos(), "label inside a branch that parameters decide")
		}
		_, lit := m.(*ast.FuncLit)
		return !lit
	})
}

// drop marks a node as pruned.
func (c *cutter) drop(n ast.Node) {
	switch x := n.(type) {
	case nil:
		return
	case ast.Stmt:
		if x == nil {
			return
		}
	}
	c.dropped[n] = true
}

// label refuses to prune a labelled statement, as the label would name nothing.
func (c *cutter) label(n *ast.LabeledStmt) {
	var cond ast.Expr
	switch s := n.Stmt.(type) {
	case *ast.IfStmt:
		cond = s.Cond
	case *ast.SwitchStmt:
		if f, err := c.chooses(s); err != nil || f {
			c.err = c.at(n.Pos(), "label on a switch that parameters decide")
		}
	}
	if cond == nil {
		return
	}
	if t, err := c.fold(cond); err != nil || t != unknown {
		c.err = c.at(n.Pos(), "label on an if that parameters decide")
	}
}

// forStmt refuses a loop that a parameter switches on or off.
func (c *cutter) forStmt(n *ast.ForStmt) {
	if n.Cond == nil {
		return
	}
	t, err := c.fold(n.Cond)
	if err == nil && t != unknown {
		err = c.at(n.Cond.Pos(), "loop whose condition parameters decide: write an if around it")
	}
	c.err = err
	c.bare(n.Cond)
}
