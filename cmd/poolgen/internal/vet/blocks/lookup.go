package blocks

import (
	"go/ast"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// An index and a handle are numbers that stand for a block: to store one is to store the block. A handle also frees the block.

// allocHandle makes a new block with a handle. The handle is not followed out of the function: whoever gets the handle may free the block.
func (f *function) allocHandle(w *world, c pools.Call, call *ast.CallExpr) returned {
	r := f.birth(w, f.newSite(call, site{pool: c.Pool, instance: f.instance(c, call), handled: true}), 1, 2, call)
	if len(r.vals) > 0 {
		r.vals[0] = r.vals[1].asNumber()
	}
	return r
}

// lookUp evaluates a call that gets from a block to its index, or back to a block.
func (f *function) lookUp(w *world, c pools.Call, call *ast.CallExpr, arg value) returned {
	switch {
	case c.Op == pools.IndexOf:
		return returned{vals: []value{arg.asNumber()}}
	case c.Op == pools.Get && arg.site > 0:
		return f.get(w, arg)
	}
	f.escape(w, arg)
	v := f.find(w, call, f.info.TypeOf(call))
	if v.site > 0 {
		f.sites[v.site-1].pool = c.Pool
	}
	return returned{vals: []value{v}}
}

// get returns the block of a handle. A handle whose block was freed is refused: that is no fault.
func (f *function) get(w *world, handle value) returned {
	if w.state(handle.site).status == freed {
		return returned{}
	}
	handle.cut = whole
	return returned{[]value{handle, {}}, 1, link{site: handle.site, ok: true}}
}
