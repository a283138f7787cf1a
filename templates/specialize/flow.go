package specialize

import (
	"go/ast"
	"go/token"
)

// ends reports whether control never reaches the end of a list after pruning.
func (c *cutter) ends(list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		if c.dropped[s] || c.fates[s] != nil && !c.alive([]ast.Stmt{s}) {
			continue
		}
		return c.stops(s)
	}
	return false
}

// stops reports whether control never passes s: a terminating statement of the Go specification, or a
// break or continue.
func (c *cutter) stops(s ast.Stmt) bool {
	if c.fates[s] != nil {
		return c.ends(c.target(s))
	}
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	case *ast.BlockStmt:
		return c.ends(s.List)
	case *ast.IfStmt:
		return c.ends(s.Body.List) && s.Else != nil && !c.dropped[s.Else] && c.stops(s.Else)
	case *ast.ForStmt:
		return s.Cond == nil && !c.breaks(s.Body)
	case *ast.LabeledStmt:
		return false
	case *ast.SwitchStmt:
		return c.stopsSwitch(s.Body)
	case *ast.TypeSwitchStmt:
		return c.stopsSwitch(s.Body)
	case *ast.SelectStmt:
		return c.stopsSelect(s.Body)
	}
	return false
}

// stopsSwitch reports whether every clause ends, there is a default and nothing breaks.
func (c *cutter) stopsSwitch(body *ast.BlockStmt) bool {
	hasDefault := false
	for _, s := range body.List {
		cl := s.(*ast.CaseClause)
		if c.dropped[cl] {
			continue
		}
		hasDefault = hasDefault || cl.List == nil
		if !c.ends(cl.Body) {
			return false
		}
	}
	return hasDefault && !c.breaks(body)
}

func (c *cutter) stopsSelect(body *ast.BlockStmt) bool {
	for _, s := range body.List {
		if !c.ends(s.(*ast.CommClause).Body) {
			return false
		}
	}
	return !c.breaks(body)
}

// breaks reports whether something in body may leave the statement that body belongs to. A labelled break
// counts too, whatever its label.
func (c *cutter) breaks(body *ast.BlockStmt) bool {
	found := false
	var visit func(n ast.Node, inner bool)
	visit = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == nil || c.dropped[m] {
				return false
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n && !inner {
					visit(m, true)
					return false
				}
			case *ast.BranchStmt:
				if m.Tok == token.BREAK && (m.Label != nil || !inner) {
					found = true
				}
			}
			return true
		})
	}
	visit(body, false)
	return found
}
