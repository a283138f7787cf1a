package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// harmless are the functions of the standard library that hand nothing over: no goroutine waits in them for another; "*" stands for all functions of a
// package.
var harmless = map[string][]string{
	"errors": {"*"}, "fmt": {"*"}, "log": {"*"},
	"sync": {"Add", "Done"}, // of a WaitGroup, of which Wait is the handover
	"time": {"NewTicker", "NewTimer", "Now", "Since", "Stop"},
}

// strange reports whether a call may do anything, a handover among others.
func (c *confinedChecker) strange(call *ast.CallExpr) bool {
	if tv, ok := c.pass.TypesInfo.Types[call.Fun]; ok && (tv.IsType() || tv.IsBuiltin()) {
		return false
	}
	if _, ok := c.index.Call(c.pass.TypesInfo, call); ok {
		return false
	}
	fn := pools.Callee(c.pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil {
		return true
	}
	names := harmless[fn.Pkg().Path()]
	return !slices.Contains(names, fn.Name()) && !slices.Contains(names, "*")
}

// starts returns the call that a statement runs in another goroutine: that of a go statement, or the function that is passed to WaitGroup.Go as a call
// without arguments; nil for other statements.
func (c *confinedChecker) starts(s ast.Stmt) *ast.CallExpr {
	switch s := s.(type) {
	case *ast.GoStmt:
		return s.Call
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && c.isGo(call) {
			return &ast.CallExpr{Fun: call.Args[0], Lparen: call.Lparen, Rparen: call.Rparen}
		}
	}
	return nil
}

// isGo reports whether a call is WaitGroup.Go of a function literal.
func (c *confinedChecker) isGo(call *ast.CallExpr) bool {
	fn := pools.Callee(c.pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" || fn.Name() != "Go" || len(call.Args) != 1 {
		return false
	}
	_, ok := call.Args[0].(*ast.FuncLit)
	return ok
}

// ticked returns the uses of confined pools in those cases of a select that a ticker or timer starts. No other goroutine hands anything over there.
// Of such a case, only what runs on every tick counts.
func (c *confinedChecker) ticked(s *ast.SelectStmt) (found []confinedUse) {
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CommClause)
		if !c.isTick(clause.Comm) {
			continue
		}
		for _, s := range clause.Body {
			list := []ast.Stmt{s}
			branch, ok := s.(*ast.IfStmt)
			if ok {
				list = []ast.Stmt{&ast.ExprStmt{X: branch.Cond}}
				if branch.Init != nil {
					list = append([]ast.Stmt{branch.Init}, list...)
				}
			}
			uses, handover := c.uses(list)
			found = append(found, uses...)
			if ok || handover {
				break
			}
		}
	}
	return found
}

// isTick reports whether a case of a select receives from the channel C of a ticker or a timer.
func (c *confinedChecker) isTick(comm ast.Stmt) bool {
	e, ok := comm.(*ast.ExprStmt)
	if !ok {
		return false
	}
	receive, ok := ast.Unparen(e.X).(*ast.UnaryExpr)
	if !ok || receive.Op != token.ARROW {
		return false
	}
	sel, ok := ast.Unparen(receive.X).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "C" {
		return false
	}
	o, ok := c.pass.TypesInfo.Uses[sel.Sel].(*types.Var)
	return ok && o.IsField() && o.Pkg() != nil && o.Pkg().Path() == "time"
}
