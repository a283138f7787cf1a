package blocks

import (
	"go/ast"

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
	if id == nil || !f.vars.local[f.info.ObjectOf(id)] {
		for _, v := range args {
			f.escape(w, v)
		}
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
