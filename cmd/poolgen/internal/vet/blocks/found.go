package blocks

import (
	"go/ast"
	"go/types"
)

// maxFound bounds how many expressions of a function can find a block.
const maxFound = 20

// find returns the block that an expression takes from a field, a slice, a map or a channel. Other code is responsible for the block, which is never
// reported as a leak; but after this function has freed the block, a use is a fault. Functions that free nothing need not find blocks.
func (f *function) find(w *world, at ast.Expr, t types.Type) value {
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 { // v, ok := m[k]
		t = tuple.At(0).Type()
	}
	if !f.frees || t == nil || !f.blockLike(t) {
		return value{}
	}
	n := f.born[at]
	if n == 0 {
		if f.finds == maxFound || len(f.sites) == maxSites {
			return value{}
		}
		f.finds++
		f.sites = append(f.sites, site{found: true, owner: f.index.Owner(t)})
		n = len(f.sites)
		f.born[at] = n
	}
	f.renew(w, n)
	*w.state(n) = state{status: kept}
	if f.index.Handle(t) {
		return value{site: n}.asNumber()
	}
	return value{site: n}
}

// renew forgets which variables and fields hold the block that a site has returned before.
func (f *function) renew(w *world, site int) {
	for o, v := range w.env {
		if v.site == site {
			delete(w.env, o)
		}
	}
	for key, v := range w.paths {
		if v.site == site {
			delete(w.paths, key)
		}
	}
}

// ranged gives the variables of a range statement their values for a turn.
func (f *function) ranged(w *world, r *ast.RangeStmt) {
	x := f.root(w, r.X)
	if _, ok := ast.Unparen(r.X).(*ast.Ident); ok && r.Value != nil {
		f.touch(w, x, r.X)
	}
	for _, e := range []ast.Expr{r.Key, r.Value} {
		switch {
		case e == nil:
		case f.isBatch(x) && e == r.Value:
			f.set(w, e, value{site: x.site, cut: element})
		default:
			f.set(w, e, f.find(w, e, f.info.TypeOf(e)))
		}
	}
	if f.isChan(r.X) {
		f.synced(w)
	}
}

func (f *function) isChan(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}
