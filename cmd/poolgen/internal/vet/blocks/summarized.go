package blocks

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// summarized evaluates a call of a function that does not belong to a pool.
func (f *function) summarized(w *world, call *ast.CallExpr) returned {
	if _, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); !ok {
		f.eval(w, call.Fun)
	} else if fn := f.callee(call); fn == nil {
		f.eval(w, call.Fun)
	}
	operands := f.operands(call)
	vals := make([]value, len(operands))
	for i, a := range operands { // before the call, which may change fields
		vals[i] = f.eval(w, a)
	}
	s := f.summary(call)
	if !f.onlyLooksOf(call) {
		f.handOver(w, call)
	}
	if s != nil {
		f.freeFields(w, s, call)
	}
	if !f.still(call) {
		f.synced(w)
	}
	var failed link // what the error of the call is about
	aliased := make([]value, 0)
	for i, a := range operands {
		v := vals[i]
		if v.cut == number && !f.onlyLooksOf(call) {
			f.touch(w, f.addressOf(w, a), a)
		}
		if v.site == 0 || v.cut == number && ofCUDA(f.callee(call)) {
			continue
		}
		if s != nil {
			aliased = s.aliases(aliased, i, v)
			if f.queue(w, s, call, i, v) {
				failed.work = call.Pos()
			}
		}
		if l := f.passOn(w, call, s, i, v); l.site > 0 {
			failed.site, failed.free = l.site, l.free
		}
	}
	if s == nil {
		return returned{}
	}
	if len(aliased) > 0 {
		return returned{vals: aliased}
	}
	for i, name := range s.Fresh {
		if p := f.pool(name); p != nil {
			return f.birth(w, f.newSite(call, site{pool: p}), i, f.outcome(call), call)
		}
	}
	if failed != (link{}) {
		if out := f.outcome(call); out >= 0 {
			return returned{make([]value, out+1), out, failed}
		}
	}
	return returned{}
}

// passOn passes a block to a function as operand i of a call. If the call frees the block, the result is what its error is about.
func (f *function) passOn(w *world, call *ast.CallExpr, s *Summary, i int, v value) link {
	a, known := f.operands(call)[i], f.onlyLooksOf(call)
	switch f.effectOn(call, i) {
	case Looks:
		if known && v.cut == number && !tells(f.callee(call)) {
			f.escape(w, v)
		}
		if !known || !f.index.Block(f.info.TypeOf(a)) && !prints(call) { // other functions see only a number
			f.touch(w, v, a)
		}
		if !known && f.examinesAll(call, s, i) {
			f.escape(w, v)
		}
	case Frees:
		return f.free(w, freeing{pool: f.freedPool(s, i), call: call, arg: a}, v).link
	default:
		f.touch(w, v, a)
		if !f.staysOwned(v, a) {
			f.escape(w, v)
		}
	}
	return link{}
}

// staysOwned reports whether an argument is the block of a Ref, and not the Ref itself, and the function releases a Ref: the unknown function that gets the
// block does not free it.
func (f *function) staysOwned(v value, arg ast.Expr) bool {
	t := f.info.TypeOf(arg)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if f.index.Owner(u.Elem()) {
			return false
		}
	case *types.Tuple, *types.Interface, *types.Signature: // may hold the Ref
		return false
	}
	return f.sites[v.site-1].owner && f.releases && v.cut != number && !f.index.Owner(t)
}

// onlyLooksOf reports whether a call calls a function of the standard library that retains nothing and waits for nothing.
func (f *function) onlyLooksOf(call *ast.CallExpr) bool {
	fn := f.callee(call)
	return fn != nil && fn.Pkg() != nil && onlyLooks(fn)
}

// ofCUDA reports whether a function belongs to package cuda, which retains no address.
func ofCUDA(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == pools.CUDA
}

// handOver stops following the blocks of allocations whose error is passed to a function, which may expect the failure: in a test any error, elsewhere an
// error together with the block.
func (f *function) handOver(w *world, call *ast.CallExpr) {
	passed := map[int]bool{}
	for _, a := range call.Args {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok {
			passed[w.env[f.info.ObjectOf(id)].site] = true
		}
	}
	for _, a := range call.Args {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok && (f.test || passed[w.links[f.info.ObjectOf(id)].site]) {
			f.doubt(w, id)
		}
	}
}

// examinesAll reports whether all results of an allocation are the arguments of a call, f(p.Alloc()), of which none returns the block: the function may
// expect the failure.
func (f *function) examinesAll(call *ast.CallExpr, s *Summary, i int) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, several := f.info.TypeOf(call.Args[0]).(*types.Tuple)
	return several && !slices.ContainsFunc(s.Alias, func(a Alias) bool { return a.Param == i+1 })
}

// prints reports whether a call prints the address in a pointer, and not the memory there.
func prints(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		lit, ok := a.(*ast.BasicLit)
		return ok && strings.Contains(lit.Value, "%p")
	})
}

// outcome returns the index of the last result if that is an error or a bool; else -1.
func (f *function) outcome(call *ast.CallExpr) int {
	t := f.info.TypeOf(call)
	at := 0
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return -1
		}
		at = tuple.Len() - 1
		t = tuple.At(at).Type()
	}
	if t == nil {
		return -1
	}
	if types.Identical(t, types.Universe.Lookup("error").Type()) || types.Identical(t, types.Typ[types.Bool]) {
		return at
	}
	return -1
}

// effectOn returns the effect of a call on one of its operands.
func (f *function) effectOn(call *ast.CallExpr, i int) Effect {
	if _, known := f.driverWork(call); known || f.onlyLooksOf(call) {
		return Looks
	}
	s := f.summary(call)
	if s == nil || len(s.Params) == 0 {
		return Keeps
	}
	fn := f.callee(call)
	if fn.Signature().Variadic() && i >= len(s.Params)-1 && !call.Ellipsis.IsValid() || i >= len(s.Params) {
		return Keeps
	}
	return s.Params[i]
}

func (f *function) freedPool(s *Summary, i int) *pools.Pool {
	if s == nil || i >= len(s.Pools) {
		return nil
	}
	return f.pool(s.Pools[i])
}

// aliases adds the results that are made from an argument to those of a call.
func (s *Summary) aliases(vals []value, i int, v value) []value {
	for at, a := range s.Alias {
		if a.Param != i+1 {
			continue
		}
		for len(vals) <= at {
			vals = append(vals, value{})
		}
		if c := cut(a.Cut); c != whole && v.cut != number {
			v.cut = c
		}
		vals[at] = v
	}
	return vals
}

// queue notes that a call gives a stream work on an argument, and reports whether it does.
func (f *function) queue(w *world, s *Summary, call *ast.CallExpr, i int, v value) bool {
	if i >= len(s.Busy) || s.Busy[i] == 0 {
		return false
	}
	args := f.operands(call)
	if s.Busy[i] > len(args) {
		return false
	}
	f.busy(w, v, args[s.Busy[i]-1], call)
	return true
}

// freeFields frees the blocks in those fields of the arguments that the called function frees.
func (f *function) freeFields(w *world, s *Summary, call *ast.CallExpr) {
	args := f.operands(call)
	for _, x := range s.Fields {
		if x.Param >= len(args) {
			continue
		}
		key := under(f.pathOf(args[x.Param]), fieldKey(x.Name))
		if v := w.paths[key]; v.site > 0 {
			f.free(w, freeing{pool: f.pool(x.Pool), call: call, arg: args[x.Param]}, v)
		}
	}
}
