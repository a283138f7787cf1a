package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// A literal that With calls keeps its block if a package variable holds the block at the end. Code may assign the variable again, at once or after a call:
// a report needs a literal and a function in which no such code follows.

// keptInPackage reports the package variables that hold the block of a literal after With has freed the block.
func (f *function) keptInPackage(c pools.Call, call *ast.CallExpr, lit *ast.FuncLit) {
	if _, declared := f.node.(*ast.FuncDecl); !declared || f.test || f.loopAround(call) != nil || f.runsLater(lit.Body) || f.callsAfter(call.End()) {
		return
	}
	for i, s := range lit.Body.List {
		s, ok := s.(*ast.AssignStmt)
		if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
			continue
		}
		for k, l := range s.Lhs {
			if o := f.packageVariable(l); o != nil && f.partOfParam(lit, s.Rhs[k]) && f.untouched(o, lit.Body.List[i+1:]) && f.assignments(o) == 1 {
				f.report(Finding{Code: spec.CodeUseAfterFree, Pos: l.Pos(), End: l.End(), Message: "the block of " + c.Pool.String() + " is kept in " +
					o.Name() + ", and With frees it when this function returns"})
			}
		}
	}
}

// packageVariable returns the variable of the package that an expression is; nil for others, and for variables that can hold no block.
func (f *function) packageVariable(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	o, ok := f.info.Uses[id].(*types.Var)
	if !ok || o.Parent() != f.pass.Pkg.Scope() || !f.blockLike(o.Type()) {
		return nil
	}
	return o
}

// runsLater reports whether a body, or the function itself, has code that runs later than its place says.
func (f *function) runsLater(body *ast.BlockStmt) (later bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			later = true
		}
		return !later
	})
	ast.Inspect(f.body, func(n ast.Node) bool {
		_, is := n.(*ast.DeferStmt)
		later = later || is
		return !later
	})
	return later
}

// callsAfter reports whether the function calls anything behind a place that may assign variables of the package.
func (f *function) callsAfter(at token.Pos) (calls bool) {
	for n := range ast.Preorder(f.body) {
		if call, ok := n.(*ast.CallExpr); ok && call.Pos() >= at {
			calls = calls || !f.stillPart(call)
		}
	}
	return calls
}

// untouched reports whether statements call nothing and do not mention a variable.
func (f *function) untouched(o types.Object, list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		for n := range ast.Preorder(s) {
			if _, ok := n.(*ast.CallExpr); ok {
				return true
			}
		}
		return f.mentionsVariable(s, o)
	})
}

// assignments counts the assignments to a variable in the function.
func (f *function) assignments(o types.Object) (count int) {
	for n := range ast.Preorder(f.body) {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, l := range s.Lhs {
				if f.mentionsVariable(l, o) {
					count++
				}
			}
		}
	}
	return count
}

// borrowedResult reports whether a block that a return without values returns is certainly that of a With which has succeeded or whose error is returned.
func (f *function) borrowedResult(w *world, v value) bool {
	if v.site == 0 || !f.sites[v.site-1].ofWith || len(f.deferred) > 0 {
		return false
	}
	for _, field := range f.typ.Results.List {
		for _, name := range field.Names {
			o := f.info.Defs[name]
			if o != nil && types.Identical(o.Type(), types.Universe.Lookup("error").Type()) && w.links[o].site != v.site && !w.env[o].null {
				return false
			}
		}
	}
	return true
}
