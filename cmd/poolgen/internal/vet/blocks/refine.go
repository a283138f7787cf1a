package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// refine returns the worlds in which a condition has the given value: none if that is impossible.
func (f *function) refine(w *world, cond ast.Expr, truth bool) []*world {
	if is, ok := f.decided(w, cond); ok {
		if is == truth {
			return []*world{w}
		}
		return nil
	}
	switch e := cond.(type) {
	case *ast.ParenExpr:
		return f.refine(w, e.X, truth)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return f.refine(w, e.X, !truth)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return f.both(w, e, truth)
		case token.EQL, token.NEQ:
			if x := f.comparedWithNil(e); x != nil {
				return f.nilness(w, e, x, (e.Op == token.EQL) == truth, truth)
			}
		}
	case *ast.Ident:
		if l, ok := w.links[f.info.ObjectOf(e)]; ok && l.ok {
			f.noteOutcome(w, f.info.ObjectOf(e), truth)
			return f.decide(w, cond, truth)
		}
	case *ast.CallExpr:
		if o := f.examined(e); o != nil && truth {
			if _, ok := w.links[o]; ok {
				f.noteOutcome(w, o, false)
			}
			return []*world{w}
		} else if o != nil {
			if f.test { // the code expects the failure
				f.doubt(w, e)
			}
			return []*world{w}
		}
	}
	f.eval(w, cond)
	f.doubt(w, cond)
	return f.decide(w, cond, truth)
}

// both refines a conjunction or disjunction.
func (f *function) both(w *world, e *ast.BinaryExpr, truth bool) (all []*world) {
	short := e.Op == token.LOR // the value of the left side that decides the result alone
	if truth == short {
		all = f.refine(w.clone(), e.X, short)
	}
	for _, x := range f.refine(w, e.X, !short) {
		all = append(all, f.refine(x, e.Y, truth)...)
	}
	return all
}

// comparedWithNil returns what a comparison compares with nil; nil for others.
func (f *function) comparedWithNil(e *ast.BinaryExpr) ast.Expr {
	switch {
	case f.isNil(e.Y):
		return ast.Unparen(e.X)
	case f.isNil(e.X):
		return ast.Unparen(e.Y)
	}
	return nil
}

func (f *function) isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = f.info.ObjectOf(id).(*types.Nil)
	return ok
}

// nilness refines a comparison of x with nil.
func (f *function) nilness(w *world, cond, x ast.Expr, isNil, truth bool) []*world {
	id, ok := x.(*ast.Ident)
	if !ok {
		f.eval(w, x)
		f.doubt(w, x)
		if !isNil {
			f.notQueued(w, x.Pos(), x.End())
		}
		return f.decide(w, cond, truth)
	}
	o := f.info.ObjectOf(id)
	if l, ok := w.links[o]; ok && !l.ok {
		f.noteOutcome(w, o, isNil)
		return f.decide(w, cond, truth)
	}
	v := w.env[o]
	switch {
	case v.null && !isNil:
		return nil
	case v.site == 0:
		return f.decide(w, cond, truth)
	}
	s := w.state(v.site)
	switch {
	case s.status == unborn && !isNil:
		return nil
	case (s.status == live || s.status == kept) && isNil:
		s.status = unborn // it was never there
	case s.status == freed && isNil:
		return nil
	}
	return []*world{w}
}

// noteOutcome notes the success or failure of the call whose outcome a variable holds.
func (f *function) noteOutcome(w *world, o types.Object, success bool) {
	l := w.links[o]
	delete(w.links, o)
	w.broken = w.broken || l.free && !success
	if l.work.IsValid() && !success {
		f.notQueued(w, l.work, l.work+1)
	}
	if l.site == 0 {
		return
	}
	s := w.state(l.site)
	switch {
	case success && l.with:
		w.env[o] = value{null: true}
	case success:
	case l.with: // With did not call the function
		s.status = gone
	case l.free && s.status == freed:
		s.status = refused
	case !l.free && s.status != freed:
		s.status = unborn
	}
}

// examined returns the error that is passed to errors.Is or errors.As: if they return true, the error is not nil.
func (f *function) examined(call *ast.CallExpr) types.Object {
	fn := f.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "errors" || fn.Name() != "Is" && fn.Name() != "As" || len(call.Args) != 2 || f.isNil(call.Args[1]) {
		return nil
	}
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return nil
	}
	return f.info.ObjectOf(id)
}

// doubt stops following the blocks of allocations and frees whose outcome an expression uses in an unknown way. An error of a free that is joined
// with others is not examined.
func (f *function) doubt(w *world, e ast.Expr) {
	joined := map[ast.Expr]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && f.joins(call) {
			for _, a := range call.Args {
				joined[a] = true
			}
		}
		if id, ok := n.(*ast.Ident); ok {
			if l, ok := w.links[f.info.ObjectOf(id)]; ok && l.site > 0 && !(l.free && joined[id]) {
				f.giveUp(w, l.site)
			}
		}
		return true
	})
}

// unexpected stops following the blocks of allocations whose outcome is part of a condition under which a test fails: the test may expect the failure.
func (f *function) unexpected(w *world, cond ast.Expr) {
	for n := range ast.Preorder(cond) {
		if id, ok := n.(*ast.Ident); ok {
			if l := w.links[f.info.ObjectOf(id)]; l.site > 0 && !l.free {
				f.giveUp(w, l.site)
			}
		}
	}
}

// joins reports whether a call makes an error of others.
func (f *function) joins(call *ast.CallExpr) bool {
	fn := f.callee(call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "errors" && fn.Name() == "Join"
}

// decide assumes a value for an unknown condition, which then holds wherever the condition occurs again.
func (f *function) decide(w *world, cond ast.Expr, truth bool) []*world {
	text, negated := atom(cond)
	if f.atoms[text] < 2 {
		return []*world{w}
	}
	want := truth != negated
	if had, ok := w.conds[text]; ok && had != want {
		return nil
	}
	w.conds[text] = want
	return []*world{w}
}

// atom returns the text of a condition, without negations.
func atom(cond ast.Expr) (text string, negated bool) {
	if e, ok := cond.(*ast.BinaryExpr); ok && e.Op == token.NEQ {
		return types.ExprString(&ast.BinaryExpr{X: e.X, Op: token.EQL, Y: e.Y}), true
	}
	return types.ExprString(cond), false
}

// forget drops the decisions about conditions that mention a variable.
func (f *function) forget(w *world, o types.Object) {
	for text := range w.conds {
		if mentions(text, o.Name()) {
			delete(w.conds, text)
		}
	}
}

// mentions reports whether a name is a word of a text.
func mentions(text, name string) bool {
	for i := 0; i+len(name) <= len(text); i++ {
		if text[i:i+len(name)] == name && (i == 0 || !wordByte(text[i-1])) && (i+len(name) == len(text) || !wordByte(text[i+len(name)])) {
			return true
		}
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
