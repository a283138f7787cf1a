package blocks

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// returned describes the results of a call.
type returned struct {
	vals    []value
	outcome int  // index of the result that reports the success of the call
	link    link // what that result is about; site 0: nothing
}

// call evaluates a call.
func (f *function) call(w *world, call *ast.CallExpr) returned {
	if tv, ok := f.info.Types[call.Fun]; ok && tv.IsType() {
		return f.convert(w, call)
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := f.info.ObjectOf(id).(*types.Builtin); ok {
			f.builtin(w, b.Name(), call)
			return returned{}
		}
	}
	if c, ok := f.index.Call(f.info, call); ok {
		return f.ofPool(w, c, call)
	}
	if name := f.unsafely(call); name != "" {
		return f.recast(w, name, call)
	}
	if lit := f.inVariable(call); lit != nil {
		return f.apply(w, lit, call)
	}
	if lit := f.literalOf(call); lit != nil {
		f.start(w, lit, call.Pos())
		return returned{}
	}
	queued := f.work(w, call)
	r := f.summarized(w, call)
	if queued && r.link == (link{}) {
		return f.queued(call)
	}
	return r
}

// harmless are the builtins that do not access the memory of their arguments; the others are in touching.
var (
	harmless = []string{"len", "cap", "new", "make", "print", "println", "recover", "close", "complex", "real", "imag", "Sizeof", "Alignof", "Offsetof"}
	touching = []string{"copy", "clear", "delete"}
)

func (f *function) builtin(w *world, name string, call *ast.CallExpr) {
	for i, a := range call.Args {
		v := f.eval(w, a)
		switch {
		case slices.Contains(harmless, name):
		case f.isBatch(v):
			f.escape(w, v)
		case slices.Contains(touching, name), name == "append" && i > 0 && call.Ellipsis.IsValid(), name == "append" && i == 0 && f.fills(v):
			f.touch(w, v, a)
		default:
			f.keep(w, v)
		}
	}
	if !slices.Contains(harmless, name) {
		f.forgetPaths(w, "[")
	}
}

// fills reports whether a slice is all of a block, which has no room for append: the result of append is other memory, of the Go heap.
func (f *function) fills(v value) bool {
	return v.site > 0 && v.cut == whole && f.sites[v.site-1].pool != nil && f.sites[v.site-1].call != nil
}

// ofPool evaluates a call of a pool's function.
func (f *function) ofPool(w *world, c pools.Call, call *ast.CallExpr) returned {
	var self value
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.Method {
		self = f.eval(w, sel.X)
	}
	var args []value
	for _, a := range call.Args {
		args = append(args, f.eval(w, a))
	}
	switch c.Op {
	case pools.Alloc, pools.AllocRef:
		return f.alloc(w, c, call)
	case pools.AllocHandle:
		return f.allocHandle(w, c, call)
	case pools.AllocBatch:
		return f.allocBatch(w, c, call, args)
	case pools.Free, pools.FreeOn, pools.FreeBatch, pools.FreeHandle:
		if len(args) > 0 {
			return f.free(w, freeing{pool: c.Pool, op: c.Op, call: call, arg: call.Args[0]}, args[0])
		}
	case pools.Reset, pools.Release:
		f.reset(w, c, call)
	case pools.RefRelease:
		return f.free(w, freeing{pool: c.Pool, op: c.Op, call: call, arg: f.operands(call)[0]}, self)
	case pools.RefDetach:
		if self.site > 0 && w.state(self.site).status == live {
			w.state(self.site).status = gone
		}
	case pools.Slice:
		f.touch(w, self, call)
		if self.site > 0 {
			self.cut = inner
			return returned{vals: []value{self}}
		}
	case pools.Place:
		return returned{vals: []value{self.asNumber()}}
	case pools.RefGet:
		f.touch(w, self, call)
		return returned{vals: []value{self}}
	case pools.Find, pools.Get, pools.IndexOf:
		if len(args) == 1 {
			return f.lookUp(w, c, call, args[0])
		}
	case pools.With, pools.WithOn:
		return f.lend(w, c, call)
	case pools.CloseForce, pools.Whole, pools.Look, pools.Mark, pools.Default, pools.New:
	case pools.ToDevice, pools.ToHost, pools.Peer, pools.Zero, pools.CopyFrom, pools.CopyTo, pools.CopyPeer, pools.ZeroBlock:
		for i, v := range args {
			f.touch(w, v, call.Args[i])
		}
		f.touch(w, self, call)
		if fn := f.callee(call); len(args) == fn.Signature().Params().Len() { // not f(g()), where one argument yields several
			return f.transfer(w, c, call, self, args)
		}
	default:
		for _, v := range args {
			f.escape(w, v)
		}
	}
	return returned{}
}

// alloc makes a new block.
func (f *function) alloc(w *world, c pools.Call, call *ast.CallExpr) returned {
	s := site{pool: c.Pool, instance: f.instance(c, call), owner: c.Op == pools.AllocRef}
	if c.Pool.Form == "span" {
		for _, a := range call.Args {
			if b, ok := f.info.TypeOf(a).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				s.size = types.ExprString(a)
				break
			}
		}
	}
	return f.birth(w, f.newSite(call, s), 0, 1, call)
}

// birth makes the block that a call returns as result at. Another result reports whether there is a block.
func (f *function) birth(w *world, site, at, outcome int, call *ast.CallExpr) returned {
	if site > maxSites {
		return returned{}
	}
	before, others := *w.state(site), f.dropDeferred(w, site, f.loopAround(call))
	var holders []types.Object
	for o, v := range w.env {
		if v.site == site && f.outlives(o, call) {
			others, holders = true, append(holders, o)
		}
	}
	switch {
	case before.status != live:
	case !others && !f.ends && !before.hidden:
		f.lost(w, site)
	case len(holders) > 0:
		f.age(w, site, holders)
	}
	*w.state(site) = state{status: live}
	f.renew(w, site)
	for o, l := range w.links {
		if l.site == site {
			delete(w.links, o)
		}
	}
	vals := make([]value, max(at, outcome)+1)
	vals[at] = value{site: site}
	isBool := false
	if t, ok := f.info.TypeOf(call).(*types.Tuple); ok && outcome < t.Len() {
		b, ok := t.At(outcome).Type().Underlying().(*types.Basic)
		isBool = ok && b.Info()&types.IsBoolean != 0
	}
	return returned{vals, outcome, link{site: site, ok: isBool}}
}

// outlives reports whether a variable is declared outside the innermost loop around a call and is not the one that the call is assigned to. The block
// of the last iteration may then be in use through that variable.
func (f *function) outlives(o types.Object, call *ast.CallExpr) bool {
	loop := f.loopAround(call)
	return loop == nil || o.Pos() < loop.Pos() && !f.assignedFrom(o, call)
}
