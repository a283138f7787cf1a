package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// eval evaluates an expression for its effects on blocks and returns the block that is its value, if any.
func (f *function) eval(w *world, e ast.Expr) value {
	switch e := e.(type) {
	case *ast.Ident:
		if f.isNil(e) {
			return value{null: true}
		}
		return w.env[f.info.ObjectOf(e)]
	case *ast.ParenExpr:
		return f.eval(w, e.X)
	case *ast.StarExpr:
		f.touch(w, f.eval(w, e.X), e)
	case *ast.SelectorExpr:
		return f.selector(w, e)
	case *ast.IndexExpr:
		return f.element(w, e)
	case *ast.SliceExpr:
		return f.slice(w, e)
	case *ast.UnaryExpr:
		return f.unary(w, e)
	case *ast.BinaryExpr:
		return f.binary(w, e)
	case *ast.CallExpr:
		if r := f.call(w, e); len(r.vals) > 0 {
			return r.vals[0]
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if _, field := kv.Key.(*ast.Ident); !field {
					f.keep(w, f.eval(w, kv.Key))
				}
				x = kv.Value
			}
			f.keep(w, f.eval(w, x))
		}
	case *ast.FuncLit:
		f.capture(w, e)
	case *ast.TypeAssertExpr:
		f.escape(w, f.eval(w, e.X))
	}
	return value{}
}

// selector evaluates x.f. A method value holds its receiver.
func (f *function) selector(w *world, e *ast.SelectorExpr) value {
	s := f.info.Selections[e]
	if s == nil {
		return value{} // of a package
	}
	v := f.eval(w, e.X)
	if s.Kind() != types.FieldVal {
		f.escape(w, v)
		return value{}
	}
	f.touch(w, v, e)
	if v.site > 0 {
		return value{}
	}
	return f.load(w, e)
}

// element evaluates x[i].
func (f *function) element(w *world, e *ast.IndexExpr) value {
	v := f.eval(w, e.X)
	f.escape(w, f.eval(w, e.Index))
	switch {
	case f.isBatch(v):
		v.cut = element
		return v
	case v.site > 0:
		f.touch(w, v, e)
		return value{}
	}
	return f.load(w, e)
}

// binary evaluates x op y. A number that is computed from the address of a block stands for the block.
func (f *function) binary(w *world, e *ast.BinaryExpr) value {
	x, y := f.eval(w, e.X), f.eval(w, e.Y)
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.compared(w, x, e.X)
		f.compared(w, y, e.Y)
		return value{}
	}
	if x.cut == number {
		f.hide(w, y)
		return x
	}
	if y.cut == number {
		return y
	}
	return value{}
}

// unary evaluates unary expressions such as &x.
func (f *function) unary(w *world, e *ast.UnaryExpr) value {
	if e.Op == token.ARROW {
		f.eval(w, e.X)
		f.synced(w)
		return f.find(w, e, f.info.TypeOf(e))
	}
	if e.Op != token.AND {
		if v := f.eval(w, e.X); v.cut == number {
			return v
		}
		return value{}
	}
	if star, ok := ast.Unparen(e.X).(*ast.StarExpr); ok {
		return f.eval(w, star.X) // &*v is v
	}
	v := f.root(w, e.X)
	f.eval(w, e.X)
	if v.site > 0 {
		v.cut = inner
	}
	return v
}

// root returns the block that an expression like v.f[i].g lies in.
func (f *function) root(w *world, e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if s := f.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			return f.root(w, e.X)
		}
	case *ast.IndexExpr:
		return f.root(w, e.X)
	case *ast.StarExpr:
		return f.root(w, e.X)
	case *ast.SliceExpr:
		return f.root(w, e.X)
	case *ast.Ident:
		return w.env[f.info.ObjectOf(e)]
	}
	return value{}
}

// slice evaluates x[i:j:k].
func (f *function) slice(w *world, e *ast.SliceExpr) value {
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			f.eval(w, bound)
		}
	}
	v := f.eval(w, e.X)
	if v.site == 0 {
		if v = f.root(w, e.X); v.site > 0 {
			v.cut = inner
		}
		return v
	}
	if _, ok := f.info.TypeOf(e.X).Underlying().(*types.Slice); !ok && !f.isBatch(v) {
		f.touch(w, v, e)
		if p := f.sites[v.site-1].pool; p != nil && p.Form == "span" {
			v.cut = inner // of an array that the block was converted to; in other pools, the array is the block
		}
	}
	switch {
	case v.cut == inner:
	case e.Low != nil && !f.isConst(e.Low, "0"):
		v.cut = inner
	case e.High == nil && e.Max == nil:
	case e.High != nil && f.isFull(e.High, e.X, v):
		v.cut = whole
	default:
		v.cut = shortened
	}
	return v
}

// isFull reports whether a bound is the length of the block at its allocation.
func (f *function) isFull(bound, of ast.Expr, v value) bool {
	text := types.ExprString(bound)
	x := types.ExprString(of)
	return text == "cap("+x+")" || text == "len("+x+")" && v.cut == whole || text == f.sites[v.site-1].size
}

func (f *function) isConst(e ast.Expr, want string) bool {
	tv, ok := f.info.Types[e]
	return ok && tv.Value != nil && tv.Value.ExactString() == want
}

// capture evaluates a function literal, which may run at any time from now on.
func (f *function) capture(w *world, lit *ast.FuncLit) {
	if f.vars.roles[lit] == named {
		return
	}
	for _, c := range f.vars.captures[lit] {
		if v := w.env[c.obj]; !c.looks || f.isBatch(v) {
			f.escape(w, v)
			f.singles[v.site] = f.singles[v.site] || f.isBatch(v)
		}
		if l, ok := w.links[c.obj]; ok && l.site > 0 && !c.looks {
			f.giveUp(w, l.site)
		}
	}
}
