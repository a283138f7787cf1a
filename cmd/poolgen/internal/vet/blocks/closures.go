package blocks

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// role says when a function literal runs.
type role uint8

const (
	stored   role = iota // at any time
	deferred             // at the exit: the function defers it
	started              // concurrently: a go statement or WaitGroup.Go starts it
	cleanup              // after the test: testing's Cleanup runs it
	scoped               // now: With calls it
	named                // whenever the function calls the variable that holds it, and at no other time
)

// effect is what a function literal does with the block in a variable that it captures.
type effect struct {
	Effect
	pool *pools.Pool // pool whose free is called; nil if unknown
}

// effects returns the effects of a literal on the blocks that it captures. The literal is walked as if these were parameters.
func (wk *walker) effects(lit *ast.FuncLit) map[types.Object]effect {
	if e, ok := wk.literals[lit]; ok {
		return e
	}
	all := map[types.Object]effect{}
	wk.literals[lit] = all
	f := wk.function(lit, lit.Type, lit.Body)
	own := len(f.params)
	f.adopt(lit)
	f.walk()
	if len(f.exits) == 0 || f.overflow {
		return all
	}
	for i, o := range f.subjects[own:] {
		site := f.params[own+i]
		all[o] = effect{f.effect(own+i, site), f.sites[site-1].freedBy}
	}
	return all
}

// adopt makes the variables that a literal captures, and nothing changes, subjects of its walk.
func (f *function) adopt(lit *ast.FuncLit) {
	for n := range ast.Preorder(lit.Body) {
		id, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		o, ok := f.info.Uses[id].(*types.Var)
		if !ok || o.IsField() || within(lit, o.Pos()) || o.Parent() == nil || o.Parent() == o.Pkg().Scope() || f.vars.changed[o] || f.vars.local[o] {
			continue
		}
		if f.blockLike(o.Type()) && len(f.sites) < maxSites {
			f.vars.local[o] = true
			f.sites = append(f.sites, site{})
			f.subjects, f.params = append(f.subjects, o), append(f.params, len(f.sites))
		}
	}
}

// role returns when a literal runs, from the nodes around it.
func (u *usage) role(lit *ast.FuncLit) role {
	call, ok := u.stack[len(u.stack)-1].(*ast.CallExpr)
	if !ok {
		return stored
	}
	if call.Fun == ast.Expr(lit) {
		switch u.stack[len(u.stack)-2].(type) {
		case *ast.GoStmt:
			return started
		case *ast.DeferStmt:
			if len(call.Args) == 0 && len(u.lits) == 0 {
				return deferred
			}
		}
		return stored
	}
	if c, ok := u.index.Call(u.info, call); ok && c.Op.Lends() {
		return scoped
	}
	return roleOf(u.callee(call))
}

// roleOf returns when a function of the standard library runs the function that it is passed.
func roleOf(fn *types.Func) role {
	switch {
	case fn == nil || fn.Pkg() == nil:
	case fn.Pkg().Path() == "sync" && fn.Name() == "Go":
		return started
	case fn.Pkg().Path() == "testing" && fn.Name() == "Cleanup":
		return cleanup
	}
	return stored
}

// start applies a literal that another goroutine runs from now on, or that a test runs at its end.
func (f *function) start(w *world, lit *ast.FuncLit, at token.Pos) {
	effects := f.effects(lit)
	for _, c := range f.vars.captures[lit] {
		v := w.env[c.obj]
		if v.site == 0 {
			continue
		}
		s := w.state(v.site)
		owned := (s.status == live || s.status == kept) && !f.vars.changed[c.obj] && v.cut == whole
		e := effects[c.obj] // none if the goroutine never ends
		switch {
		case f.isBatch(v):
			f.escape(w, v)
		case e.Effect == Frees && owned:
			s.status, s.taken = gone, at
		case e.Effect == Looks:
			if f.vars.roles[lit] == started {
				s.worker = at
			}
		case s.taken == 0:
			f.escape(w, v)
		}
	}
}

// literalOf returns the literal that a call runs as an argument, in another goroutine or at the end of the test; nil for other calls.
func (f *function) literalOf(call *ast.CallExpr) *ast.FuncLit {
	if len(call.Args) != 1 || roleOf(f.callee(call)) == stored {
		return nil
	}
	lit, _ := ast.Unparen(call.Args[0]).(*ast.FuncLit)
	return lit
}

// inVariable returns the literal in the variable that a call calls; nil for other calls.
func (f *function) inVariable(call *ast.CallExpr) *ast.FuncLit {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return nil
	}
	return f.vars.named[f.info.ObjectOf(id)]
}

// apply runs a call of a literal in a variable.
func (f *function) apply(w *world, lit *ast.FuncLit, call *ast.CallExpr) (failed returned) {
	for _, a := range call.Args {
		f.escape(w, f.eval(w, a))
	}
	f.synced(w)
	defer func() {
		for _, id := range f.vars.writes[lit] {
			f.set(w, id, value{})
		}
	}()
	effects, done := f.effects(lit), map[types.Object]bool{}
	for _, c := range f.vars.captures[lit] {
		v := w.env[c.obj]
		if v.site == 0 || done[c.obj] {
			continue
		}
		done[c.obj] = true
		switch e := effects[c.obj]; {
		case f.isBatch(v):
			f.escape(w, v)
		case e.Effect == Frees:
			failed = f.free(w, freeing{pool: e.pool, call: call, arg: call.Fun}, v)
		case e.Effect == Looks:
			f.touch(w, v, call)
		default:
			f.escape(w, v)
		}
	}
	return failed
}
