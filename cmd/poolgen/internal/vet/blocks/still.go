package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// A call is still if it changes no field or element that holds a block, and waits for no other goroutine: what was known before still holds after it.

// still reports whether a call is still.
func (f *function) still(call *ast.CallExpr) bool {
	fn := f.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if onlyLooks(fn) {
		return !ofInterface(fn) && fn.Pkg().Path() != "slices" && fn.Pkg().Path() != "sort"
	}
	s := f.summary(call)
	return s != nil && s.Still
}

func ofInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// stillBody reports whether the body of the function makes only still calls, and has nothing else that its callers could notice.
func (f *function) stillBody() (still bool) {
	still = true
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.DeferStmt:
			still = false
		case *ast.UnaryExpr:
			still = still && n.Op != token.ARROW
		case *ast.RangeStmt:
			still = still && !f.isChan(n.X)
		case *ast.AssignStmt:
			still = still && !slices.ContainsFunc(n.Lhs, f.mayHoldBlock)
		case *ast.CallExpr:
			still = still && f.stillPart(n)
		}
		return still
	})
	return still
}

// mayHoldBlock reports whether an expression on the left of an assignment is a place, other than a variable of the function, that can hold a block.
func (f *function) mayHoldBlock(l ast.Expr) bool {
	if id, ok := ast.Unparen(l).(*ast.Ident); ok && (id.Name == "_" || f.vars.local[f.info.ObjectOf(id)]) {
		return false
	}
	t := f.info.TypeOf(l)
	return t == nil || !pools.Plain(t) || f.index.Block(t)
}

// stillPart reports whether a call in a body leaves all fields and elements as they are.
func (f *function) stillPart(call *ast.CallExpr) bool {
	if tv, ok := f.info.Types[call.Fun]; ok && tv.IsType() {
		return true
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := f.info.ObjectOf(id).(*types.Builtin); ok {
			return slices.Contains(harmless, b.Name()) && b.Name() != "close" || b.Name() == "panic"
		}
	}
	if c, ok := f.index.Call(f.info, call); ok {
		return c.Op != pools.AllocBatch && !c.Op.Lends()
	}
	return f.still(call)
}
