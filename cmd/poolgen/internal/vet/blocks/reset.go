package blocks

import (
	"go/ast"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// reset frees all blocks of a pool, or those since a mark.
func (f *function) reset(w *world, c pools.Call, call *ast.CallExpr) {
	instance := f.instance(c, call)
	if instance == "" || f.doubts {
		return
	}
	kept := uint64(0)
	if c.Op == pools.Release {
		mark, known := f.markOf(w, call)
		if !known {
			return
		}
		kept = mark
	}
	for i := range w.sites {
		from := f.sites[i]
		if w.sites[i].status != live || !from.pool.Same(c.Pool) || from.instance != instance || kept&(1<<i) != 0 || from.call == nil {
			continue
		}
		w.sites[i] = state{status: freed, reset: true, at: call.Pos()}
	}
}

// markOf returns the blocks that were live when the mark of a Release was made.
func (f *function) markOf(w *world, call *ast.CallExpr) (uint64, bool) {
	if len(call.Args) != 1 {
		return 0, false
	}
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return 0, false
	}
	m, ok := w.marks[f.info.ObjectOf(id)]
	return m, ok
}

// mark remembers which blocks are live when a mark is assigned to a variable.
func (f *function) mark(w *world, l, r ast.Expr) {
	call, ok := ast.Unparen(r).(*ast.CallExpr)
	if !ok {
		return
	}
	c, ok := f.index.Call(f.info, call)
	id, isIdent := l.(*ast.Ident)
	if !ok || c.Op != pools.Mark || !isIdent {
		return
	}
	var liveNow uint64
	for i, s := range w.sites {
		if s.status == live {
			liveNow |= 1 << i
		}
	}
	if o := f.info.ObjectOf(id); o != nil && f.vars.local[o] {
		w.marks[o] = liveNow
	}
}
