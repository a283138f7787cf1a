package blocks

import (
	"go/ast"
	"go/types"
)

// convert evaluates T(x). The address of a block as a number stands for the block without giving access to the memory; what a conversion through
// unsafe.Pointer yields may be a part of the block or all of it.
func (f *function) convert(w *world, call *ast.CallExpr) returned {
	if len(call.Args) != 1 {
		return returned{}
	}
	to := f.info.TypeOf(call.Fun)
	arg := ast.Unparen(call.Args[0])
	if b, ok := to.Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr {
		if inner, ok := arg.(*ast.CallExpr); ok && len(inner.Args) == 1 && f.isUnsafePointer(inner.Fun) {
			return returned{vals: []value{f.eval(w, inner.Args[0]).asNumber()}}
		}
	}
	v := f.eval(w, arg)
	switch b := to.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return returned{vals: []value{v}}
	case *types.Basic:
		if !f.isUnsafePointer(call.Fun) {
			if !f.index.Block(to) {
				f.touch(w, v, call)
				if v.cut == number || b.Info()&types.IsInteger != 0 {
					return returned{vals: []value{v.asNumber()}}
				}
				return returned{}
			}
			return returned{vals: []value{v}}
		}
	}
	if f.isUnsafePointer(call.Fun) && v.cut != number {
		return returned{vals: []value{v.recast()}}
	}
	f.escape(w, v)
	return returned{}
}

// unsafely returns the name of the function of package unsafe that a call calls; "" for other calls.
func (f *function) unsafely(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if b, ok := f.info.Uses[sel.Sel].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// recast evaluates a function of package unsafe. What it makes of a block lies in the block.
func (f *function) recast(w *world, name string, call *ast.CallExpr) returned {
	var vals []value
	for _, a := range call.Args {
		vals = append(vals, f.eval(w, a).recast())
	}
	switch name {
	case "Add", "Slice", "SliceData":
		return returned{vals: vals[:1]}
	}
	return returned{}
}

func (f *function) isUnsafePointer(e ast.Expr) bool {
	b, ok := f.info.TypeOf(e).(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}
