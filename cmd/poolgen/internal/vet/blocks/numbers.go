package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An index, a handle or an address stands for a block, and can free the block. The walk does not follow the values of numbers: a comparison with 0,
// a copy in another variable or a loop may decide whether a block is freed. After that the block is hidden, and is no leak.

// hide notes that a number for a block decides something.
func (f *function) hide(w *world, v value) {
	if v.site > 0 {
		w.state(v.site).hidden = true
	}
}

// compared hides the block of an operand of a comparison, if the operand is a number. Pointers and slices are compared with nil, which the walk follows.
func (f *function) compared(w *world, v value, operand ast.Expr) {
	if v.cut == number || v.site > 0 && f.index.Block(f.info.TypeOf(operand)) {
		f.hide(w, v)
	}
}

// plain reports whether the uses of a variable with a number hide no block.
func (f *function) plain(o types.Object) bool {
	is, ok := f.plains[o]
	if ok {
		return is
	}
	is = true
	ast.PreorderStack(f.body, nil, func(n ast.Node, stack []ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.info.ObjectOf(id) == o {
			is = is && f.plainUse(id, o, stack)
		}
		return is
	})
	f.plains[o] = is
	return is
}

// plainUse reports whether a use of a number hides no block: the number gets its value, is returned, or is an argument of a call that does not examine it.
func (f *function) plainUse(id *ast.Ident, o types.Object, stack []ast.Node) bool {
	e := ast.Expr(id)
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ParenExpr:
			e = n
			continue
		case *ast.CallExpr:
			if tv := f.info.Types[n.Fun]; tv.IsType() {
				e = n
				continue
			}
			return f.onlyLooksOf(n) || ofCUDA(f.callee(n)) || !f.examinesNumber(n) && !loopsOver(stack, o)
		case *ast.AssignStmt:
			if isIdent(n.Lhs[0], "_") {
				return true
			}
			return (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) && slices.Contains(n.Lhs, e) && !loopsOver(stack, o)
		case *ast.ValueSpec:
			return slices.Contains(n.Names, id)
		case *ast.ReturnStmt:
			return true
		}
		return false
	}
	return false
}

// examinesNumber reports whether a call that is not one of a pool may tell something of a number: a result is a bool or a number.
func (f *function) examinesNumber(call *ast.CallExpr) bool {
	if _, ok := f.index.Call(f.info, call); ok {
		return false
	}
	fn := f.callee(call)
	if fn == nil {
		return true
	}
	for r := range fn.Signature().Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Basic); ok {
			return true
		}
	}
	return false
}

// loopsOver reports whether one of the nodes is a loop that a variable is declared outside of.
func loopsOver(stack []ast.Node, o types.Object) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return !within(n, o.Pos())
		}
		return false
	})
}
