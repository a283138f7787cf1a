package blocks

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
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
		f.escape(w, f.eval(w, n.Value))
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
		f.eval(w, s.Rhs[0])
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
		if i == r.outcome && (r.link.site > 0 || r.link.free) && len(vals) > 0 {
			f.tie(w, l, r.link)
			continue
		}
		f.set(w, l, v)
	}
	if len(lhs) == 1 && len(rhs) == 1 {
		f.mark(w, lhs[0], rhs[0])
	}
}

// tie makes a variable the one that tells whether a call succeeded. If it is not a variable of this function, nobody can tell.
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
		f.escape(w, v)
		return
	}
	if id.Name == "_" {
		if f.test && v.site > 0 { // a test that looks at the error alone
			f.giveUp(w, v.site)
		}
		return
	}
	o := f.info.ObjectOf(id)
	if o == nil {
		return
	}
	f.change(w, id)
	if at, ok := f.vars.captured[o]; !f.vars.local[o] || ok && at < l.Pos() {
		f.escape(w, v)
		return
	}
	if v == (value{}) {
		delete(w.env, o)
	} else {
		w.env[o] = v
	}
}

// place evaluates what is assigned to, which uses the memory it lies in.
func (f *function) place(w *world, l ast.Expr) {
	switch l := ast.Unparen(l).(type) {
	case *ast.SelectorExpr:
		if f.info.Selections[l] != nil {
			f.touch(w, f.eval(w, l.X), l)
		}
	default:
		f.eval(w, l)
	}
}

// change forgets what was known about a variable that gets another value.
func (f *function) change(w *world, l ast.Expr) {
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

// unknown gives a variable a value that nothing is known about.
func (f *function) unknown(w *world, l ast.Expr) {
	if l != nil {
		f.set(w, l, value{})
	}
}

// goes starts a goroutine: it has what it is given.
func (f *function) goes(w *world, call *ast.CallExpr) {
	f.eval(w, call.Fun)
	for _, a := range call.Args {
		f.escape(w, f.eval(w, a))
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		f.escape(w, f.eval(w, sel.X))
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

// deferredArg returns the block that a deferred call frees; all others that it is given it may do anything with.
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
		} else if f.effect1(call, i) != Looks {
			f.escape(w, v)
		}
	}
	return freed
}

// exit runs a return with the calls that are deferred, and looks at what is left.
func (f *function) exit(w *world, s *ast.ReturnStmt) {
	results := f.results(w, s)
	for i := len(w.defers) - 1; i >= 0; i-- {
		f.runDeferred(w, w.defers[i])
	}
	x := exit{params: make([]state, len(f.params)), results: make([]result, len(results))}
	for i, v := range results {
		x.results[i] = f.resultOf(w, v)
		if v.site > 0 {
			f.touchReturned(w, v, s)
			f.escape(w, v)
		}
	}
	for i, site := range f.params {
		if site > 0 {
			x.params[i] = *w.state(site)
		}
	}
	f.exits = append(f.exits, x)
	if !f.ends {
		f.leaks(w, s)
	}
}

// results are the values that a return gives, also by name.
func (f *function) results(w *world, s *ast.ReturnStmt) (vals []value) {
	var names []*ast.Ident
	n := 0
	if f.typ.Results != nil {
		n = f.typ.Results.NumFields()
		for _, field := range f.typ.Results.List {
			names = append(names, field.Names...)
		}
	}
	switch {
	case len(s.Results) == 1 && n > 1:
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
			vals = f.call(w, call).vals
		}
	case len(s.Results) > 0:
		for _, e := range s.Results {
			vals = append(vals, f.eval(w, e))
		}
	default:
		for _, name := range names {
			vals = append(vals, w.env[f.info.ObjectOf(name)])
		}
	}
	for len(vals) < n {
		vals = append(vals, value{})
	}
	if len(s.Results) > 0 && len(names) == n {
		for i, name := range names {
			o := f.info.ObjectOf(name)
			if o == nil || name.Name == "_" {
				continue
			}
			if i < len(s.Results) && !isIdent(s.Results[i], name.Name) {
				delete(w.links, o)
			}
			if f.vars.local[o] {
				w.env[o] = vals[i]
			}
		}
	}
	return vals[:n:n]
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

// resultOf says what a result is to the caller.
func (f *function) resultOf(w *world, v value) result {
	if v.site == 0 {
		return result{null: v.null}
	}
	s := f.sites[v.site-1]
	switch st := w.state(v.site).status; {
	case st == unborn:
		return result{null: true}
	case st == live && v.cut == whole && s.pool != nil && s.call != nil && !s.owner:
		return result{pool: s.pool.Path + "." + s.pool.Name}
	}
	return result{}
}

// operands are the receiver of a method that is called, and the arguments.
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
		switch c.Op {
		case pools.Free, pools.FreeOn:
			return bit(c.Method)
		case pools.RefRelease:
			return 0
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
