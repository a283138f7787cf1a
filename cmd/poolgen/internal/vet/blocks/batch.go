package blocks

import (
	"go/ast"
	"go/types"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// A batch is one site for all blocks of a slice. The slice is the value of the site; an element of it is the value with the cut element. If the
// function frees or hands on single elements anywhere, it is not known which blocks are left, and the batch is never reported as a leak.

func (f *function) isBatch(v value) bool {
	return v.site > 0 && f.sites[v.site-1].batch && v.cut != element
}

// allocBatch fills a slice with new blocks.
func (f *function) allocBatch(w *world, c pools.Call, call *ast.CallExpr, args []value) returned {
	id := sliceVariable(call.Args)
	if id == nil || !f.vars.local[f.info.ObjectOf(id)] || f.shares(f.info.ObjectOf(id), call) {
		for _, v := range args {
			f.escape(w, v)
		}
		return returned{}
	}
	if old := w.env[f.info.ObjectOf(id)]; f.isBatch(old) && w.state(old.site).status == live && f.born[call] != old.site && hasBounds(call.Args[0]) {
		f.escape(w, old) // two batches in one slice
		return returned{}
	}
	f.forgetPaths(w, "[")
	site := f.newSite(call, site{pool: c.Pool, instance: f.instance(c, call), batch: true})
	r := f.birth(w, site, 0, 1, call)
	if len(r.vals) > 0 {
		f.set(w, id, r.vals[0])
		r.vals[0] = value{} // the number of blocks
	}
	return r
}

// sliceVariable returns the variable in the first argument of a call: batch, batch[:] or batch[:n].
func sliceVariable(args []ast.Expr) *ast.Ident {
	if len(args) == 0 {
		return nil
	}
	e := ast.Unparen(args[0])
	if s, ok := e.(*ast.SliceExpr); ok {
		e = ast.Unparen(s.X)
	}
	id, _ := e.(*ast.Ident)
	return id
}

// hasBounds reports whether an expression is a part of a slice.
func hasBounds(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SliceExpr)
	return ok && (s.Low != nil || s.High != nil)
}

// shares reports whether a slice shares its elements with another variable, which code uses after the call that fills the slice.
func (f *function) shares(o types.Object, call *ast.CallExpr) (shared bool) {
	for n := range ast.Preorder(f.body) {
		s, ok := n.(*ast.AssignStmt)
		if !ok || s.Pos() > call.Pos() || len(s.Lhs) != len(s.Rhs) {
			continue
		}
		for i, l := range s.Lhs {
			to, from := f.variableOf(l), f.variableOf(sliced(s.Rhs[i]))
			switch {
			case from == nil || to == nil || from == to:
			case from == o:
				shared = shared || f.usedAfter(to, call)
			case to == o:
				shared = shared || f.usedAfter(from, call)
			}
		}
	}
	return shared
}

// sliced returns what a slice expression is a part of; others are returned as they are.
func sliced(e ast.Expr) ast.Expr {
	if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		return sliced(s.X)
	}
	return e
}

func (f *function) variableOf(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := f.info.ObjectOf(id).(*types.Var)
	if v == nil {
		return nil
	}
	return v
}

// usedAfter reports whether the function mentions a variable behind a call.
func (f *function) usedAfter(o types.Object, call *ast.CallExpr) bool {
	for n := range ast.Preorder(f.body) {
		if id, ok := n.(*ast.Ident); ok && id.Pos() > call.End() && f.info.ObjectOf(id) == o {
			return true
		}
	}
	return false
}

// freeElement frees one block of a batch.
func (f *function) freeElement(s *state, by freeing, v value, silent bool) {
	if s.status == freed && !silent {
		f.doubleFree(by, v.site, s)
	}
	s.status = gone
	f.singles[v.site] = true
}

// withoutSingles removes the leaks of batches whose elements the function frees or hands on one by one.
func (f *function) withoutSingles(found []Finding) (rest []Finding) {
	for _, x := range found {
		single := false
		for site, is := range f.singles {
			single = single || is && f.sites[site-1].call != nil && f.sites[site-1].call.Pos() == x.Pos
		}
		if x.Code != spec.CodeLeak || !single {
			rest = append(rest, x)
		}
	}
	return rest
}
