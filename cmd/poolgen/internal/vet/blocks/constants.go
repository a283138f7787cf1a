package blocks

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// holds notes that a variable holds a constant: a flag such as freed = true decides the conditions that examine it. Only variables that occur in
// conditions count, because each value makes a path of its own.
func (f *function) holds(w *world, l ast.Expr, c constant.Value) {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok || c == nil {
		return
	}
	o := f.info.ObjectOf(id)
	if o == nil || !f.vars.local[o] {
		return
	}
	for text := range f.atoms {
		if mentions(text, o.Name()) {
			w.consts[o] = c
			return
		}
	}
}

// constantOf returns the value of an expression if it is a constant, or a variable that holds one; nil for others.
func (f *function) constantOf(w *world, e ast.Expr) constant.Value {
	e = ast.Unparen(e)
	if tv, ok := f.info.Types[e]; ok && tv.Value != nil {
		return tv.Value
	}
	if id, ok := e.(*ast.Ident); ok {
		return w.consts[f.info.ObjectOf(id)]
	}
	return nil
}

// decided returns the value of a condition that constants determine.
func (f *function) decided(w *world, cond ast.Expr) (value, ok bool) {
	if c := f.constantOf(w, cond); c != nil && c.Kind() == constant.Bool {
		return constant.BoolVal(c), true
	}
	e, isBinary := cond.(*ast.BinaryExpr)
	if !isBinary || e.Op != token.EQL && e.Op != token.NEQ {
		return false, false
	}
	x, y := f.constantOf(w, e.X), f.constantOf(w, e.Y)
	if x == nil || y == nil || x.Kind() != y.Kind() {
		return false, false
	}
	return constant.Compare(x, e.Op, y), true
}

// zero returns the constant that a variable without a value begins with; nil if its type has none.
func zero(t types.Type) constant.Value {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false)
	case b.Info()&types.IsInteger != 0:
		return constant.MakeInt64(0)
	case b.Info()&types.IsString != 0:
		return constant.MakeString("")
	}
	return nil
}
