package blocks

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// transfer is a copy or clear in the order of a stream. With Go memory that is not pinned, it waits until the stream has done the copy, and all work
// before it.
func (f *function) transfer(w *world, c pools.Call, call *ast.CallExpr, self value, args []value) {
	stream := call.Args[len(call.Args)-1]
	switch c.Op {
	case pools.ToDevice, pools.ToHost, pools.CopyFrom, pools.CopyTo:
		memory := 0
		if c.Op == pools.ToDevice {
			memory = 1
		}
		if v := args[memory]; v.site == 0 || f.sites[v.site-1].pool == nil || f.sites[v.site-1].pool.OnHost() && f.sites[v.site-1].pool.Allocator != "pinned" {
			f.waited(w)
			return
		}
	}
	for _, v := range append(args, self) {
		f.busy(w, v, stream, call)
	}
}

// busy notes that a stream has work on a block.
func (f *function) busy(w *world, v value, stream ast.Expr, at ast.Node) {
	if v.site == 0 || f.sites[v.site-1].pool == nil && !slices.Contains(f.params, v.site) {
		return
	}
	if s := w.state(v.site); s.status == live {
		s.stream, s.busy = types.ExprString(stream), at.Pos()
	}
}

// waited notes that streams may have completed all their work.
func (f *function) waited(w *world) {
	for i := range w.sites {
		w.sites[i].stream, w.sites[i].busy = "", 0
	}
}

// work examines a call of a function that does not belong to a pool: a launch gives a stream work, and any other call may wait for a stream.
func (f *function) work(w *world, call *ast.CallExpr) {
	fn := f.callee(call)
	if fn != nil && fn.Pkg() != nil && onlyLooks(fn) && !ofInterface(fn) {
		return
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != pools.CUDA || fn.Name() != "Launch" || len(call.Args) == 0 {
		f.waited(w)
		return
	}
	stream := launchStream(call.Args[0])
	if stream == nil {
		return
	}
	for _, a := range call.Args[1:] {
		f.busy(w, f.addressOf(w, a), stream, call)
	}
}

// launchStream returns the stream in the literal of a launch.
func launchStream(e ast.Expr) ast.Expr {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Stream" {
				return kv.Value
			}
		}
	}
	return nil
}

// addressOf returns the block whose address an argument is: b, b.Addr(), or a conversion of that to a number.
func (f *function) addressOf(w *world, e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return w.env[f.info.ObjectOf(e)]
	case *ast.CallExpr:
		if c, ok := f.index.Call(f.info, e); ok && c.Op == pools.Place {
			if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
				return f.addressOf(w, sel.X)
			}
		}
		if tv, ok := f.info.Types[e.Fun]; ok && tv.IsType() && len(e.Args) == 1 {
			return f.addressOf(w, e.Args[0])
		}
	}
	return value{}
}
