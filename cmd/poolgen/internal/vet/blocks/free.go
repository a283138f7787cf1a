package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// freeing is a call that frees a block.
type freeing struct {
	pool *pools.Pool // pool whose free it is; nil if unknown
	op   pools.Op    // Free, FreeOn, FreeBatch, FreeHandle or RefRelease; None for another function that frees the block
	call *ast.CallExpr
	arg  ast.Expr // the block
}

// free frees a block, and reports what is wrong with the free.
func (f *function) free(w *world, by freeing, v value) returned {
	failed := returned{}
	if out := f.outcome(by.call); out >= 0 {
		failed = returned{make([]value, out+1), out, link{site: v.site, free: true}}
	}
	if v.site == 0 {
		return failed
	}
	if v.cut == number && f.index.Handle(f.info.TypeOf(by.arg)) {
		v.cut = whole
	}
	s := w.state(v.site)
	from := &f.sites[v.site-1]
	if v.cut == shortened && !from.batch && by.pool != nil && by.pool.Form == "item" {
		v.cut = whole // a slice that became a pointer to an array, whose length Go has checked
	}
	f.origins.arrives(by, from.pool)
	silent := f.doubts || f.test && f.examines(by.call)
	switch {
	case s.status == gone && s.taken.IsValid() && !silent:
		f.report(Finding{Code: spec.CodeDoubleFree, Pos: by.call.Pos(), End: by.call.End(), Related: related(s.taken, "freed here as well"),
			Message: f.describe(v.site) + " is freed twice"})
		s.taken = 0
		return returned{}
	case s.status == gone || s.status == refused || s.status == unborn:
		s.status = gone
		return returned{}
	case from.owner && by.op != pools.RefRelease:
		s.status = gone
		return returned{}
	case from.pool != nil && by.pool != nil && !from.pool.Same(by.pool):
		if !silent {
			f.origins.wrong = append(f.origins.wrong, misplaced{by, v.site})
		}
		s.status = gone
		return returned{}
	case v.cut == element:
		f.freeElement(s, by, v, silent)
		return returned{}
	case v.cut != whole && !silent && !from.batch && !from.found && v.cut != cast && v.cut != number:
		f.partial(by, v)
		s.status = gone
		return returned{}
	case v.cut != whole:
		s.status = gone
		return returned{}
	case s.status == freed:
		if !silent && !s.reset && !(from.owner && f.ignored(by.call)) {
			f.doubleFree(by, v.site, s)
		}
		s.status = gone
		return returned{}
	case from.borrowed:
		f.report(Finding{Code: spec.CodeDoubleFree, Pos: by.call.Pos(), End: by.call.End(),
			Message: f.describe(v.site) + " is freed by With when this function returns"})
		s.status = gone
		return returned{}
	case s.stream != "" && !s.idle && by.op != pools.FreeOn && by.op != pools.RefRelease && by.pool != nil:
		f.tooEarly(by, v.site, s)
	}
	if s.worker.IsValid() && !silent {
		f.report(Finding{Code: spec.CodeUseAfterFree, Pos: by.call.Pos(), End: by.call.End(), Related: related(s.worker, "the goroutine is started here"),
			Message: f.describe(v.site) + " is freed while a goroutine may still be using it"})
	}
	if from.call == nil && from.freedBy == nil {
		from.freedBy = by.pool
	}
	*s = state{status: freed, at: by.call.Pos()}
	return failed
}

// doubleFree reports the second free of a block.
func (f *function) doubleFree(by freeing, site int, s *state) {
	f.report(Finding{Code: spec.CodeDoubleFree, Pos: by.call.Pos(), End: by.call.End(), Related: related(s.at, "first freed here"),
		Message: f.describe(site) + " is freed twice"})
}

// partial reports the free of a part of a block.
func (f *function) partial(by freeing, v value) {
	what := "something inside " + f.describe(v.site)
	if v.cut == shortened {
		what = "part of " + f.describe(v.site)
	}
	found := Finding{Code: spec.CodeFreePart, Pos: by.arg.Pos(), End: by.arg.End(), Message: what + " is freed: the pool refuses that"}
	if s, ok := ast.Unparen(by.arg).(*ast.SliceExpr); ok {
		if id, ok := ast.Unparen(s.X).(*ast.Ident); ok && f.vars.single[f.info.ObjectOf(id)] == nil && f.wholeVar(id, v.site) && f.keepsUses(s) {
			found.Fixes = []analysis.SuggestedFix{{Message: "free all of it",
				TextEdits: []analysis.TextEdit{{Pos: by.arg.Pos(), End: by.arg.End(), NewText: []byte(id.Name)}}}}
		}
	}
	f.report(found)
}

// keepsUses reports whether code still compiles without the bounds of a slice expression: they must not have the only use of a local variable or of
// an import.
func (f *function) keepsUses(s *ast.SliceExpr) bool {
	for n := range ast.Preorder(s) {
		id, ok := n.(*ast.Ident)
		if !ok || id.Pos() < s.X.End() {
			continue
		}
		switch o := f.info.Uses[id].(type) {
		case *types.PkgName:
			return false
		case *types.Var:
			if !o.IsField() && o.Parent() != o.Pkg().Scope() && !slices.Contains(f.paramVars(), o) {
				return false
			}
		}
	}
	return true
}

// wholeVar reports whether a variable is only ever assigned the whole block.
func (f *function) wholeVar(id *ast.Ident, at int) bool {
	call := f.sites[at-1].call
	return call != nil && f.assignedFrom(f.info.ObjectOf(id), call)
}

// tooEarly reports a plain free of a block on which a stream may still be working.
func (f *function) tooEarly(by freeing, at int, s *state) {
	p := by.pool
	want, advice := spec.NameOf("Free", p.Name, "Async"), ""
	switch p.Ordering {
	case "stream", "driver":
		want = spec.NameOf("Free", p.Name, "On")
		fallthrough
	case "deferred":
		advice = "free it with " + want
	default:
		advice = "wait for the stream first, or give the pool ordering: stream"
	}
	found := Finding{Code: spec.CodeFreeBusy, Pos: by.call.Pos(), End: by.call.End(), Related: related(s.busy, "the stream is given work here"),
		Message: f.describe(at) + " is freed while a stream may still be using it: " + advice}
	if id, ok := ast.Unparen(by.call.Fun).(*ast.Ident); ok && p.Streams() && token.IsIdentifier(s.stream) && id.Name == spec.NameOf("Free", p.Name, "") && len(by.call.Args) == 1 {
		found.Fixes = []analysis.SuggestedFix{{Message: "free it on the stream", TextEdits: []analysis.TextEdit{
			{Pos: id.Pos(), End: id.End(), NewText: []byte(want)},
			{Pos: by.arg.End(), End: by.arg.End(), NewText: []byte(", " + s.stream)},
		}}}
	}
	f.report(found)
}

// instance identifies the pool that a function acts on among those of its type; "" if it is not known.
func (f *function) instance(c pools.Call, call *ast.CallExpr) string {
	if !c.Method {
		return "default"
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return f.instanceOf(sel.X, 3)
}

func (f *function) instanceOf(e ast.Expr, depth int) string {
	if depth == 0 {
		return ""
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if c, ok := f.index.Call(f.info, e); ok && c.Op == pools.Default {
			return "default"
		}
	case *ast.Ident:
		o := f.info.ObjectOf(e)
		if init := f.vars.single[o]; init != nil {
			if s := f.instanceOf(init, depth-1); s != "" {
				return s
			}
		}
		if o != nil {
			return types.ExprString(e) + "@" + f.fset.Position(o.Pos()).String()
		}
	case *ast.SelectorExpr:
		if base := f.instanceOf(e.X, depth); base != "" {
			return base + "." + e.Sel.Name
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.instanceOf(e.X, depth)
		}
	}
	return ""
}
