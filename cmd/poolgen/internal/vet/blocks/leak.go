package blocks

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// leaks reports the blocks that nothing frees after a return.
func (f *function) leaks(w *world, s *ast.ReturnStmt) {
	if w.broken {
		return
	}
	for i := range w.sites {
		from := f.sites[i]
		if w.sites[i].status != live || w.sites[i].hidden || from.call == nil || from.pool == nil || !from.pool.Frees() || f.isOlder(i+1) {
			continue
		}
		at, why := f.placeOfLoss(w, from.call, s.Pos(), "the function returns here with the block neither freed nor handed on")
		f.leak(i+1, at, why)
	}
}

// lost reports a block to which the next iteration of a loop loses the only reference.
func (f *function) lost(w *world, site int) {
	from := f.sites[site-1]
	if from.pool.Frees() {
		at, why := f.placeOfLoss(w, from.call, token.NoPos, "")
		f.leak(site, at, why)
	}
}

func (f *function) leak(site int, at token.Pos, why string) {
	from := f.sites[site-1]
	if f.unfreed(from) {
		return
	}
	message := f.describe(site) + " is not freed on every path"
	if !at.IsValid() {
		message = f.describe(site) + " is lost when the loop comes to this allocation again"
	}
	for i := range f.found { // one report for each allocation, with the first place
		if f.found[i].Code == spec.CodeLeak && f.found[i].Pos == from.call.Pos() {
			if r := f.found[i].Related; len(r) > 0 && at.IsValid() && at < r[0].Pos {
				f.found[i].Related = related(at, why)
			}
			return
		}
	}
	f.report(Finding{Code: spec.CodeLeak, Pos: from.call.Pos(), End: from.call.End(), Message: message, Related: related(at, why)})
}

// unfreed reports whether blocks of the pool need not be freed: the function closes the pool by force, the package resets it, a graph may own the
// block, or the function has made the pool and abandons it.
func (f *function) unfreed(s site) bool {
	if f.forced[poolName(s.pool)] || f.isReset(s) || s.pool.OwnedByGraphs() && strings.HasSuffix(f.callee(s.call).Name(), "On") {
		return true
	}
	sel, ok := ast.Unparen(s.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	return ok && f.made[f.info.ObjectOf(id)] && !f.closed[f.info.ObjectOf(id)]
}
