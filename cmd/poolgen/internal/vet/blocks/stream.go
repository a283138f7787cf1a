package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// transfer is a copy or clear in the order of a stream. With Go memory that is not pinned, it waits until the stream has done the copy, and all work
// before it.
func (f *function) transfer(w *world, c pools.Call, call *ast.CallExpr, self value, args []value) returned {
	stream := call.Args[len(call.Args)-1]
	switch c.Op {
	case pools.ToDevice, pools.ToHost, pools.CopyFrom, pools.CopyTo:
		memory := 0
		if c.Op == pools.ToDevice {
			memory = 1
		}
		if f.copyWaits(args[memory]) {
			f.waited(w)
			return returned{}
		}
	}
	for _, v := range append(args, self) {
		f.busy(w, v, stream, call)
	}
	return f.queued(call)
}

// copyWaits reports whether a copy from or to memory waits for the stream: the memory may be of the Go heap.
func (f *function) copyWaits(v value) bool {
	if v.site == 0 || f.sites[v.site-1].pool == nil {
		return true
	}
	p := f.sites[v.site-1].pool
	return p.OnHost() && !p.May("pinned")
}

// queued returns the results of a call that gives a stream work. If the call fails, the stream has no work.
func (f *function) queued(call *ast.CallExpr) returned {
	out := f.outcome(call)
	if out < 0 {
		return returned{}
	}
	return returned{make([]value, out+1), out, link{work: call.Pos()}}
}

// notQueued notes that a call has failed, and has given streams no work.
func (f *function) notQueued(w *world, from, to token.Pos) {
	for i := range w.sites {
		if s := &w.sites[i]; from <= s.busy && s.busy < to {
			s.idle = true
		}
	}
}

// busy notes that a stream has work on a block.
func (f *function) busy(w *world, v value, stream ast.Expr, at ast.Node) {
	if v.site == 0 || f.sites[v.site-1].pool == nil && !slices.Contains(f.params, v.site) {
		return
	}
	s, name := w.state(v.site), types.ExprString(stream)
	if s.status == live && (s.stream != name || s.idle) { // the first work is pending even if later work fails
		s.stream, s.busy, s.idle = name, at.Pos(), false
	}
}

// waited notes that streams may have completed all their work.
func (f *function) waited(w *world) {
	for i := range w.sites {
		w.sites[i].stream, w.sites[i].busy, w.sites[i].idle = "", 0, false
	}
}

// driverWork has the functions of package cuda that give a stream work, by the index of the argument that is Go memory; -1 if there is none. The last
// argument is the stream.
var driverWork = map[string]int{"MemsetAsync": -1, "CopyDeviceAsync": -1, "CopyPeer": -1, "CopyToDeviceAsync": 1, "CopyToHostAsync": 0}

// work examines a call of a function that does not belong to a pool, and reports whether the call gives a stream work, as a launch does. Any other call
// may wait for a stream.
func (f *function) work(w *world, call *ast.CallExpr) (queued bool) {
	fn := f.callee(call)
	if f.onlyLooksOf(call) && !ofInterface(fn) {
		return false
	}
	if !ofCUDA(fn) || len(call.Args) == 0 {
		f.waited(w)
		return false
	}
	last := len(call.Args) - 1
	memory, known := f.driverWork(call)
	switch {
	case fn.Name() == "Launch":
		stream := launchStream(call.Args[0])
		return stream != nil && f.gives(w, call, stream, call.Args[1:])
	case known && memory < 0:
		return f.gives(w, call, call.Args[last], call.Args[:last])
	case known && !f.copyWaits(f.root(w, call.Args[memory])):
		f.busy(w, f.root(w, call.Args[memory]), call.Args[last], call)
		return f.gives(w, call, call.Args[last], call.Args[:last])
	}
	f.waited(w)
	return false
}

// driverWork returns the index of the argument of a call that is Go memory, and whether the call is one of driverWork.
func (f *function) driverWork(call *ast.CallExpr) (memory int, known bool) {
	fn := f.callee(call)
	if !ofCUDA(fn) || fn.Signature().Recv() != nil || len(call.Args) != fn.Signature().Params().Len() {
		return 0, false
	}
	memory, known = driverWork[fn.Name()]
	return memory, known
}

// gives notes that a call gives a stream work on the blocks whose addresses are among arguments.
func (f *function) gives(w *world, call *ast.CallExpr, stream ast.Expr, args []ast.Expr) bool {
	for _, a := range args {
		f.busy(w, f.addressOf(w, a), stream, call)
	}
	return true
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
