package blocks

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// goes evaluates a go statement: the arguments escape to the goroutine, but for blocks that a function of the program only looks at.
func (f *function) goes(w *world, call *ast.CallExpr) {
	lit, isLiteral := ast.Unparen(call.Fun).(*ast.FuncLit)
	if isLiteral {
		f.start(w, lit, call.Pos())
	} else {
		f.eval(w, call.Fun)
	}
	for i, a := range f.operands(call) {
		v := f.eval(w, a)
		if v.site > 0 && !isLiteral && !f.isBatch(v) && !f.onlyLooksOf(call) && f.effectOn(call, i) == Looks {
			w.state(v.site).worker = call.Pos()
			continue
		}
		f.escape(w, v)
	}
}

// defers keeps a call for the exit. Its arguments are evaluated now.
func (f *function) defers(w *world, call *ast.CallExpr) {
	index := -1
	for i, c := range f.deferred {
		if c == call {
			index = i
		}
	}
	if index < 0 {
		index = len(f.deferred)
		f.deferred = append(f.deferred, call)
	}
	for i, d := range w.defers {
		if d.call == index { // in a loop: only the last one is followed
			f.escape(w, d.arg)
			w.defers = append(w.defers[:i], w.defers[i+1:]...)
			break
		}
	}
	w.defers = append(w.defers, held{index, f.deferredArg(w, call)})
}

// dropDeferred drops the deferred calls that hold the block of an allocation in a loop that is about to return another block, and reports whether
// there are any. They run at the exit, one for each iteration, and none is about the new block. A closure that captures a variable from outside the
// loop stays: it frees the block that the variable holds at the exit.
func (f *function) dropDeferred(w *world, site int, loop ast.Node) (dropped bool) {
	w.defers = slices.DeleteFunc(w.defers, func(d held) bool {
		has := d.arg.site == site
		if lit := f.runsLiteral(f.deferred[d.call]); lit != nil {
			has = slices.ContainsFunc(f.vars.captures[lit], func(c capture) bool { return w.env[c.obj].site == site && within(loop, c.obj.Pos()) })
			if has {
				f.perhaps(w, lit.Body)
			}
		}
		dropped = dropped || has
		return has
	})
	return dropped
}

// runsLiteral returns the literal that a deferred call runs, itself or through a variable; nil if there is none.
func (f *function) runsLiteral(call *ast.CallExpr) *ast.FuncLit {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return lit
	}
	return f.inVariable(call)
}

// deferredArg returns the block that a deferred call frees. The call may do anything with other blocks among its arguments.
func (f *function) deferredArg(w *world, call *ast.CallExpr) (freed value) {
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		for _, a := range call.Args {
			f.escape(w, f.eval(w, a))
		}
		return value{}
	}
	at := f.freedParam(call)
	for i, a := range f.operands(call) {
		v := f.eval(w, a)
		if i == at {
			freed = v
		} else if f.effectOn(call, i) != Looks {
			f.escape(w, v)
		}
	}
	return freed
}

// operands returns the receiver of a method call, and the arguments.
func (f *function) operands(call *ast.CallExpr) []ast.Expr {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return append([]ast.Expr{sel.X}, call.Args...)
		}
	}
	return call.Args
}

// freedParam returns the index in operands of the block that a call frees, -1 if it frees none.
func (f *function) freedParam(call *ast.CallExpr) int {
	if c, ok := f.index.Call(f.info, call); ok {
		switch {
		case c.Op == pools.RefRelease:
			return 0
		case c.Op.Frees():
			return bit(c.Method)
		}
		return -1
	}
	if s := f.summary(call); s != nil {
		for i, e := range s.Params {
			if e == Frees {
				return i
			}
		}
	}
	return -1
}

// runDeferred runs a deferred call at the exit.
func (f *function) runDeferred(w *world, d held) {
	call := f.deferred[d.call]
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		for _, s := range lit.Body.List {
			f.deferredStmt(w, s)
		}
		return
	}
	if lit := f.inVariable(call); lit != nil {
		f.apply(w, lit, call)
		return
	}
	at := f.freedParam(call)
	if at < 0 {
		f.work(w, call)
		if !f.still(call) {
			f.synced(w)
		}
	}
	if at < 0 || d.arg.site == 0 {
		return
	}
	c, ok := f.index.Call(f.info, call)
	switch {
	case ok:
		f.free(w, freeing{pool: c.Pool, op: c.Op, call: call, arg: f.operands(call)[at]}, d.arg)
	default:
		f.free(w, freeing{pool: f.freedPool(f.summary(call), at), call: call, arg: f.operands(call)[at]}, d.arg)
	}
}

// deferredStmt runs a statement of a deferred function literal. A conditional statement may run or not.
func (f *function) deferredStmt(w *world, s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt:
		f.stmt(w, s)
	case *ast.AssignStmt:
		f.assign(w, s)
	case *ast.IfStmt:
		if s.Init != nil {
			f.deferredStmt(w, s.Init)
		}
		f.eval(w, s.Cond)
		f.perhaps(w, s.Body)
		if s.Else != nil {
			f.perhaps(w, s.Else)
		}
	default:
		f.perhaps(w, s)
	}
}

// perhaps stops following all blocks that a statement may free or hand on.
func (f *function) perhaps(w *world, s ast.Stmt) {
	var stack []ast.Node
	ast.Inspect(s, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && len(stack) > 0 {
			if v := w.env[f.info.ObjectOf(id)]; f.isBatch(v) || !f.looks(id, stack) {
				f.escape(w, v)
			}
			if lit := f.vars.named[f.info.ObjectOf(id)]; lit != nil {
				f.perhaps(w, lit.Body)
			}
		}
		stack = append(stack, n)
		return true
	})
}
