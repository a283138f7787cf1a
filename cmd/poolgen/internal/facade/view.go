package facade

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// viewType declares the type of the regions that kernels allocate from.
func (p *pool) viewType(f *jen.File) {
	switch p.Spec.DeviceView {
	case spec.NoView:
		return
	case spec.FixedView:
		p.fixedViewType(f)
	default:
		p.bumpViewType(f)
	}
	if p.Names.ItemBytes != "" {
		comment(f, p.Names.ItemBytes+" is the size of an item, whose type a variable hides where it is needed.")
		f.Const().Id(p.Names.ItemBytes).Op("=").Add(p.measure("Sizeof"))
	}
}

func (p *pool) bumpViewType(f *jen.File) {
	comment(f, fmt.Sprintf("%[1]sView is a region of the pool that kernels allocate from, by %[2]s_%[1]s_alloc of the pool's C header: give them its Addr. It is a block of the\n"+
		"pool, which hands out no other part of it, and ends as blocks do. Copies of it are the same view; the zero %[1]sView is none.", p.Spec.Name, p.pkg.Plan.Package))
	f.Type().Id(p.Names.View).Struct(jen.Qual(lower.CUDAPath, "View"))
}

// viewItemBytes is the size of an item, in a function with the parameters of View.
func (p *pool) viewItemBytes() *jen.Statement {
	if p.Names.ItemBytes != "" {
		return jen.Id(p.Names.ItemBytes)
	}
	return p.measure("Sizeof")
}

const viewDoc = "returns a region with room for n %s, from which kernels that come after this point of the stream may allocate. Each of their\n" +
	"allocations starts at a multiple of %d bytes. It may wait for the stream, which must not be capturing. If the device\n" +
	"fails, so that a block cannot be made a view, that block stays taken until the next Reset."

func (p *pool) viewDoc() string {
	if p.Spec.DeviceView == spec.FixedView {
		return p.fixedViewDoc()
	}
	unit := "items"
	if p.Spec.Item.Kind == spec.ItemBytes {
		unit = "bytes"
	}
	return fmt.Sprintf(viewDoc, unit, p.Granule)
}

// viewParams are the parameters of View.
func viewParams() []param {
	return []param{{"n", jen.Int()}, {"s", jen.Qual(lower.CUDAPath, "Stream")}}
}

// viewFunctions are the package functions of pools with views.
func (p *pool) viewFunctions() []function {
	return []function{
		{"View", viewParams(), p.viewResults(), p.viewDoc()},
		{"FreeView", freeViewParams(p), []jen.Code{jen.Error()}, freeViewDoc(p)},
	}
}

func (p *pool) viewResults() []jen.Code { return []jen.Code{jen.Id(p.Names.View), jen.Error()} }

// viewMethods are the methods of pools with views.
func (p *pool) viewMethods() []method {
	if !p.Can.View {
		return nil
	}
	m := method{name: "View", doc: "View " + p.viewDoc(), results: p.viewResults()}
	for _, a := range viewParams() {
		m.params = append(m.params, jen.Id(a.name).Add(a.typ))
	}
	if p.Spec.DeviceView == spec.FixedView {
		return p.fixedViewMethods(m)
	}
	m.body = func(p *pool) []jen.Code {
		return []jen.Code{
			jen.List(jen.Id("v"), jen.Err()).Op(":=").Qual(lower.CUDAPath, "NewView").Call(jen.Id("n"), p.viewItemBytes(), size(p.Granule), jen.Id("s"), p.viewAlloc()),
			jen.Return(jen.Id(p.Names.View).Values(jen.Id("v")), jen.Err()),
		}
	}
	return []method{m}
}
