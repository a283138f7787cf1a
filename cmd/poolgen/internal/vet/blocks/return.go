package blocks

import (
	"go/ast"
	"slices"
)

// exit runs a return with the deferred calls, and checks the blocks that remain.
func (f *function) exit(w *world, s *ast.ReturnStmt) {
	results := f.results(w, s)
	for i := len(w.defers) - 1; i >= 0; i-- {
		f.runDeferred(w, w.defers[i])
	}
	f.checkBorrowed(w)
	x := exit{params: make([]state, len(f.params)), results: make([]result, len(results))}
	for i, site := range f.params {
		if site > 0 {
			x.params[i] = *w.state(site)
		}
	}
	x.fields = f.fieldsAt(w)
	for i, v := range results {
		x.results[i] = f.resultOf(w, v)
		if v.site > 0 {
			f.touchReturned(w, v, s, i)
			f.escape(w, v)
		}
	}
	f.exits = append(f.exits, x)
	if !f.ends {
		f.leaks(w, s)
	}
}

// fieldsAt returns the fields of parameters whose blocks are free.
func (f *function) fieldsAt(w *world) map[field]string {
	all := map[field]string{}
	for i, s := range w.sites {
		if x := f.sites[i].field; x != nil && s.status == freed && !f.sites[i].moved {
			all[*x] = ""
			if p := f.sites[i].freedBy; p != nil {
				all[*x] = p.Path + "." + p.Name
			}
		}
	}
	return all
}

// results returns the values of a return statement, including named results.
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

// resultOf describes a result for the summary.
func (f *function) resultOf(w *world, v value) result {
	if v.site == 0 {
		return result{null: v.null}
	}
	s := f.sites[v.site-1]
	if i := slices.Index(f.params, v.site); i >= 0 && w.state(v.site).status != unborn {
		return result{alias: Alias{i + 1, uint8(v.cut)}}
	}
	switch st := w.state(v.site).status; {
	case st == unborn:
		return result{null: true}
	case st == live && v.cut == whole && s.pool != nil && s.call != nil && !s.owner && !s.batch && !s.handled:
		return result{pool: s.pool.Path + "." + s.pool.Name}
	}
	return result{}
}

// touchReturned reports the return of a block that a deferred call has freed, or of the address of a freed block.
func (f *function) touchReturned(w *world, v value, s *ast.ReturnStmt, i int) {
	if i < len(s.Results) && v.cut == number {
		f.touch(w, f.addressOf(w, s.Results[i]), s.Results[i])
	} else if len(s.Results) > 0 || f.borrowedResult(w, v) {
		f.touch(w, v, s)
	}
}
