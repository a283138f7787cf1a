package pools

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/poolgen/poolgen/spec"
)

// Index has the pools that code of a package can reach.
type Index struct {
	calls map[string]Call  // by package path, type and name
	pools map[string]*Pool // by package path and type of the pool
}

// Call is a call of a function that belongs to a pool.
type Call struct {
	Op     Op
	Pool   *Pool
	Method bool // a method of the pool, a block or an owner; else a function of the package
}

// Empty reports whether no pool can be reached.
func (x *Index) Empty() bool { return len(x.pools) == 0 }

// Path is the import path of the runtime that all generated code imports, CUDA that of the CUDA package.
const (
	Path = "github.com/poolgen/poolgen/runtime"
	CUDA = "github.com/poolgen/poolgen/cuda"
)

func (x *Index) add(p *Pool) {
	x.pools[p.Path+"."+p.Name+"Pool"] = p
	x.calls[p.Path+"."+spec.NameOf("Default", p.Name, "Pool")] = Call{Default, p, false}
	x.calls[p.Path+"."+spec.NameOf("New", p.Name, "Pool")] = Call{New, p, false}
	for _, c := range spec.Calls {
		if op := poolMethods[c.Method()]; op != None && (c.Lookup == "" || p.LooksUp(c.Lookup)) {
			x.calls[p.Path+"."+c.Of(p.Name)] = Call{op, p, false}
		}
	}
	for name, op := range poolMethods {
		x.calls[p.Path+"."+p.Name+"Pool."+name] = Call{op, p, true}
	}
	for _, form := range []string{"Ptr", "Span", "Tiles", "ID", "IDs"} {
		for name, op := range blockMethods {
			x.calls[p.Path+"."+p.Name+form+"."+name] = Call{op, p, true}
		}
	}
	for name, op := range refMethods {
		x.calls[p.Path+"."+p.Name+"Ref."+name] = Call{op, p, true}
	}
}

// Call returns what a call does if it calls a function of a pool. Calls through variables, interfaces and method expressions are not known.
func (x *Index) Call(info *types.Info, call *ast.CallExpr) (Call, bool) {
	f := Callee(info, call)
	if f == nil || f.Pkg() == nil {
		return Call{}, false
	}
	c, ok := x.calls[key(f)]
	return c, ok
}

// Callee returns the function that a call certainly calls, or nil if that is not known.
func Callee(info *types.Info, call *ast.CallExpr) *types.Func {
	f, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok {
		return nil
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s != nil && s.Kind() != types.MethodVal {
			return nil
		}
	}
	return f.Origin()
}

func key(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Pkg().Path() + "." + f.Name()
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return f.Pkg().Path() + "." + n.Obj().Name() + "." + f.Name()
	}
	return ""
}

// Pool returns the pool whose type t is; nil if t is not the type of a pool, such as a pointer to one.
func (x *Index) Pool(t types.Type) *Pool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	return x.pools[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
}

// Known returns the pool that a package declares under a name; nil if there is none.
func (x *Index) Known(path, name string) *Pool { return x.pools[path+"."+name+"Pool"] }

// Block reports whether t is a type that a pool declares for its blocks, their owners or their handles.
func (x *Index) Block(t types.Type) bool {
	return x.Handle(t) || slices.ContainsFunc([]string{"Ptr", "Span", "Tiles", "ID", "IDs", "Ref"}, func(form string) bool { return x.of(t, form) != nil })
}

// Handle reports whether t is the type of the handles of a pool's blocks.
func (x *Index) Handle(t types.Type) bool {
	p := x.of(t, "Handle")
	return p != nil && p.LooksUp("handle")
}

// Owner reports whether t is the type of the owners of a pool's blocks.
func (x *Index) Owner(t types.Type) bool { return x.of(t, "Ref") != nil }

// of returns the pool Foo of a type Foo + form; nil for other types.
func (x *Index) of(t types.Type, form string) *Pool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	base, ok := strings.CutSuffix(n.Obj().Name(), form)
	if !ok {
		return nil
	}
	return x.Known(n.Obj().Pkg().Path(), base)
}

// All returns the pools that a package declares, in the order of their names.
func (x *Index) All(path string) (all []*Pool) {
	for _, p := range x.pools {
		if p.Path == path {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Pool) int { return strings.Compare(a.Name, b.Name) })
	return all
}
