package blocks

import (
	"go/ast"
	"go/token"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// lend runs a call of With. What the literal puts into variables from outside is unknown afterwards, but for the borrowed block itself, which With has
// freed when it returns.
func (f *function) lend(w *world, c pools.Call, call *ast.CallExpr) returned {
	clear(w.paths)
	f.synced(w)
	if len(call.Args) == 0 {
		return returned{}
	}
	lit, ok := ast.Unparen(call.Args[len(call.Args)-1]).(*ast.FuncLit)
	if !ok {
		return returned{}
	}
	for _, id := range f.vars.writes[lit] {
		f.set(w, id, value{})
	}
	f.keptInPackage(c, call, lit)
	places := f.retained(lit)
	if len(places) == 0 || len(f.sites) >= maxSites {
		return returned{}
	}
	n := f.born[call]
	if n == 0 {
		f.sites = append(f.sites, site{pool: c.Pool, ofWith: true})
		n = len(f.sites)
		f.born[call] = n
	}
	f.renew(w, n)
	*w.state(n) = state{status: freed, at: call.Pos()}
	for _, l := range places {
		if id, ok := l.(*ast.Ident); ok && f.vars.local[f.info.ObjectOf(id)] {
			w.env[f.info.ObjectOf(id)] = value{site: n}
		} else if !ok {
			f.save(w, l, value{site: n})
		}
	}
	return returned{make([]value, 1), 0, link{site: n, with: true}}
}

// retained returns the variables and fields outside of a literal that certainly hold its block when it returns without an error.
func (f *function) retained(lit *ast.FuncLit) (places []ast.Expr) {
	for _, s := range lit.Body.List {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return places
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				if s.Tok == token.ASSIGN && len(s.Lhs) == len(s.Rhs) && f.partOfParam(lit, s.Rhs[i]) && f.outside(lit, l) {
					places = append(places, ast.Unparen(l))
				}
			}
		default:
			if succeeds(s) {
				return places
			}
		}
	}
	return places
}

// succeeds reports whether a statement may end a literal without an error.
func succeeds(s ast.Stmt) bool {
	for n := range ast.Preorder(s) {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 && isIdent(r.Results[0], "nil") {
			return true
		}
	}
	return false
}

// partOfParam reports whether an expression is the parameter of a literal, or a slice of it.
func (f *function) partOfParam(lit *ast.FuncLit, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		return f.partOfParam(lit, e.X)
	case *ast.Ident:
		o := f.info.ObjectOf(e)
		return o != nil && within(lit.Type, o.Pos())
	}
	return false
}

// outside reports whether a variable, or the variable that a field belongs to, is declared outside of a literal.
func (f *function) outside(lit *ast.FuncLit, l ast.Expr) bool {
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		o := f.info.ObjectOf(l)
		return o != nil && l.Name != "_" && !within(lit, o.Pos())
	case *ast.SelectorExpr:
		return f.pathOf(l) != "" && f.outside(lit, l.X)
	}
	return false
}

// checkBorrowed reports the work on the block of With that goes on when the function that With calls returns.
func (f *function) checkBorrowed(w *world) {
	for i := range w.sites {
		s := &w.sites[i]
		if !f.sites[i].borrowed || s.status != live {
			continue
		}
		if s.stream != "" && !s.idle && !f.sites[i].ordered {
			f.report(Finding{Code: spec.CodeFreeBusy, Pos: s.busy, End: s.busy,
				Message: f.describe(i+1) + " is freed by With while a stream may still be using it: wait for the stream first"})
		}
		if s.worker.IsValid() {
			f.report(Finding{Code: spec.CodeUseAfterFree, Pos: s.worker, End: s.worker,
				Message: f.describe(i+1) + " is used by a goroutine that With does not wait for"})
		}
	}
}
