package vet

import (
	"go/ast"
	"go/types"
)

// inLoop reports pools that the goroutines of a loop share. The loop goes on without waiting if nothing in it may be a handover.
func (c *confinedChecker) inLoop(g ast.Stmt, theirs []confinedUse, loop ast.Node) bool {
	var body *ast.BlockStmt
	switch l := loop.(type) {
	case *ast.ForStmt:
		body = l.Body
	case *ast.RangeStmt:
		if t := c.pass.TypesInfo.TypeOf(l.X); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok {
				return false
			}
		}
		body = l.Body
	}
	if _, handover := c.uses(body.List); handover || !directly(body, g) {
		return false
	}
	for _, t := range theirs {
		if t.root != nil && (t.root.Pos() >= loop.Pos() && t.root.Pos() < loop.End() || c.assigned(body, t.root)) {
			continue // each iteration has its own
		}
		c.report(t, g, "each turn of the loop starts a goroutine that uses it")
		return true
	}
	return false
}

// assigned reports whether statements assign to a variable, or to a part of it.
func (c *confinedChecker) assigned(body *ast.BlockStmt, root types.Object) (assigned bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, l := range s.Lhs {
				id := base(l)
				assigned = assigned || id != nil && c.pass.TypesInfo.ObjectOf(id) == root
			}
		}
		return !assigned
	})
	return assigned
}

// directly reports whether a statement is in a list itself, and the list does not end early after it.
func directly(body *ast.BlockStmt, s ast.Stmt) bool {
	behind := false
	for _, x := range body.List {
		if x == s {
			behind = true
			continue
		}
		switch x.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt:
			if behind {
				return false
			}
		}
	}
	return behind
}
