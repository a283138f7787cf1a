package blocks

import (
	"go/ast"
	"go/types"
)

// In a loop, a variable from outside the loop may hold the block of an earlier turn when the allocation returns the next one. The older block is then
// a site of its own, as long as only one such block is in use.

// age moves the block of an earlier turn to the site of older blocks of an allocation, with the variables that hold the block.
func (f *function) age(w *world, site int, holders []types.Object) {
	older := f.older[site]
	if older == 0 {
		if len(f.sites) >= maxSites {
			return
		}
		f.sites = append(f.sites, f.sites[site-1])
		older = len(f.sites)
		f.older[site] = older
	}
	f.renew(w, older)
	*w.state(older) = *w.state(site)
	for _, o := range holders {
		v := w.env[o]
		v.site = older
		w.env[o] = v
	}
}

// replaced reports the older block of an allocation in a loop if the only variable that holds the block gets another one. If the function passes the
// variable on anywhere, it may free the block under a condition that is the same as this one, which the walk does not see.
func (f *function) replaced(w *world, o types.Object, by value) {
	v := w.env[o]
	if v.site == 0 || v.site == by.site || !f.isOlder(v.site) || w.state(v.site).status != live || w.state(v.site).hidden || f.passed(o) {
		return
	}
	for other, x := range w.env {
		if other != o && x.site == v.site {
			return
		}
	}
	f.lost(w, v.site)
	w.state(v.site).status = gone
}

func (f *function) isOlder(site int) bool {
	for _, n := range f.older {
		if n == site {
			return true
		}
	}
	return false
}

// passed reports whether the function passes a variable to a call that may free or keep the block, or stores the variable.
func (f *function) passed(o types.Object) (passed bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for i, a := range f.operands(n) {
				passed = passed || f.mentionsVariable(a, o) && f.effectOn(n, i) != Looks
			}
		case *ast.CompositeLit, *ast.SendStmt, *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			passed = passed || f.mentionsVariable(n, o)
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				id, ok := ast.Unparen(r).(*ast.Ident)
				passed = passed || ok && f.info.ObjectOf(id) == o
			}
		}
		return !passed
	})
	return passed
}

func (f *function) mentionsVariable(n ast.Node, o types.Object) bool {
	for x := range ast.Preorder(n) {
		if id, ok := x.(*ast.Ident); ok && f.info.ObjectOf(id) == o {
			return true
		}
	}
	return false
}
