package blocks

import (
	"go/ast"
	"go/token"
)

// stmt runs a node of the graph: a statement, a declaration of variables, or an expression.
func (f *function) stmt(w *world, n ast.Node) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		f.eval(w, n.X)
	case ast.Expr:
		f.eval(w, n)
	case *ast.AssignStmt:
		f.assign(w, n)
	case *ast.ValueSpec:
		f.declare(w, n)
	case *ast.IncDecStmt:
		f.eval(w, n.X)
		f.change(w, n.X)
	case *ast.SendStmt:
		f.eval(w, n.Chan)
		v := f.eval(w, n.Value)
		f.touch(w, v, n.Value)
		f.keep(w, v)
		f.synced(w)
	case *ast.GoStmt:
		f.goes(w, n.Call)
	case *ast.DeferStmt:
		f.defers(w, n.Call)
	case *ast.ReturnStmt:
		f.exit(w, n)
	}
}

// assign runs an assignment: all of the right side first.
func (f *function) assign(w *world, s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE { // x += y
		f.hide(w, f.eval(w, s.Rhs[0]))
		f.eval(w, s.Lhs[0])
		f.change(w, s.Lhs[0])
		return
	}
	f.store(w, s.Lhs, s.Rhs)
}

func (f *function) declare(w *world, s *ast.ValueSpec) {
	lhs := make([]ast.Expr, len(s.Names))
	for i, n := range s.Names {
		lhs[i] = n
		if len(s.Values) == 0 {
			f.set(w, n, value{null: true})
			if o := f.info.Defs[n]; o != nil {
				f.holds(w, n, zero(o.Type()))
			}
		}
	}
	if len(s.Values) > 0 {
		f.store(w, lhs, s.Values)
	}
}

func (f *function) store(w *world, lhs, rhs []ast.Expr) {
	var vals []value
	var r returned
	for _, e := range rhs {
		f.doubt(w, e)
	}
	if call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr); ok && len(rhs) == 1 {
		r = f.call(w, call)
		vals = r.vals
	} else {
		for _, e := range rhs {
			vals = append(vals, f.eval(w, e))
		}
	}
	for i, l := range lhs {
		var v value
		if i < len(vals) {
			v = vals[i]
		}
		if i == r.outcome && r.link != (link{}) && len(vals) > 0 {
			f.tie(w, l, r.link)
			continue
		}
		f.set(w, l, v)
		if len(lhs) == len(rhs) {
			f.saveLiteral(w, l, rhs[i])
			f.holds(w, l, f.info.Types[rhs[i]].Value)
		}
	}
	if len(lhs) == 1 && len(rhs) == 1 {
		f.mark(w, lhs[0], rhs[0])
	}
}

// tie notes that a variable reports the success of a call. If it is not a variable of this function, the outcome is unknown.
func (f *function) tie(w *world, l ast.Expr, k link) {
	f.set(w, l, value{})
	id, ok := l.(*ast.Ident)
	switch {
	case ok && id.Name == "_":
	case ok && f.vars.local[f.info.ObjectOf(id)]:
		w.links[f.info.ObjectOf(id)] = k
	case k.site > 0:
		f.giveUp(w, k.site)
	}
}

// set assigns a value.
func (f *function) set(w *world, l ast.Expr, v value) {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok {
		f.place(w, l)
		f.change(w, l)
		f.keep(w, v)
		f.save(w, l, v)
		return
	}
	if id.Name == "_" {
		if f.test && v.site > 0 { // a test that examines only the error
			f.giveUp(w, v.site)
		}
		return
	}
	o := f.info.ObjectOf(id)
	if o == nil {
		return
	}
	f.replaced(w, o, v)
	f.change(w, id)
	if at, ok := f.vars.captured[o]; !f.vars.local[o] || ok && at < l.Pos() {
		f.escape(w, v)
		return
	}
	if v.cut == number && !f.plain(o) {
		f.hide(w, v)
	}
	if v.site > 0 && f.sites[v.site-1].pool != nil {
		note(f.origins.held, o, f.sites[v.site-1].pool)
	}
	if v == (value{}) {
		delete(w.env, o)
	} else {
		w.env[o] = v
	}
}

// place evaluates the left side of an assignment, which uses the memory it lies in.
func (f *function) place(w *world, l ast.Expr) {
	switch l := ast.Unparen(l).(type) {
	case *ast.SelectorExpr:
		if f.info.Selections[l] != nil {
			f.touch(w, f.eval(w, l.X), l)
		}
	case *ast.IndexExpr:
		f.escape(w, f.eval(w, l.Index))
		v := f.eval(w, l.X)
		f.touch(w, v, l)
		if f.isBatch(v) {
			f.giveUp(w, v.site)
		}
	default:
		f.eval(w, l)
	}
}

// change forgets what is known about a variable that gets another value.
func (f *function) change(w *world, l ast.Expr) {
	f.overwrite(w, l)
	for {
		switch e := ast.Unparen(l).(type) {
		case *ast.Ident:
			o := f.info.ObjectOf(e)
			if o == nil {
				return
			}
			f.forget(w, o)
			if e == l {
				delete(w.links, o)
				delete(w.marks, o)
				delete(w.consts, o)
			}
			return
		case *ast.SelectorExpr:
			l = e.X
		case *ast.IndexExpr:
			l = e.X
		case *ast.StarExpr:
			l = e.X
		default:
			return
		}
	}
}
