package facade

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// fixedViewType declares the type of the regions in which kernels allocate and free items.
func (p *pool) fixedViewType(f *jen.File) {
	comment(f, fmt.Sprintf("%[1]sView is a region of items that kernels allocate and free, by %[2]s_%[1]s_alloc and %[2]s_%[1]s_free of the pool's C header: give them its Addr.\n"+
		"It is a block of the pool, which hands out no other part of it, and ends as blocks do. Copies of it are the same view; the zero %[1]sView is none.", p.Spec.Name, p.pkg.Plan.Package))
	fields := []jen.Code{jen.Qual(lower.CUDAPath, "FixedView")}
	if p.Spec.FreesViews() {
		fields = append(fields, jen.Id("block").Add(p.block()))
	}
	f.Type().Id(p.Names.View).Struct(fields...)
}

func (p *pool) fixedViewDoc() string {
	taken := "that block is free again."
	if !p.Spec.FreesViews() {
		taken = "that block stays taken until the next Reset."
	}
	return "returns a region of n items, rounded up to a multiple of 32, which kernels that come after this point of the stream may allocate and free. It\n" +
		"waits for the stream, which must not be capturing. If the device fails, so that a block cannot be made a view, " + taken
}

// freeViewParams are the parameters of FreeView.
func freeViewParams(p *pool) []param { return []param{{"v", jen.Id(p.Names.View)}} }

// freeViewDoc describes FreeView.
func freeViewDoc(p *pool) string {
	return "ends a view: no kernel may be using it, or come to use it. What its items hold is lost. The errors are those of " + p.call("Free") + ".\n" +
		"With the tag pooldebug it also reports what kernels did wrong in the view, which ends nevertheless." + choose(p.Spec.Sleep == nil, "", " A pool asleep cannot tell.")
}

// fixedViewMethods completes the method View, whose block is kept in the view where blocks are freed one by one, and adds FreeView.
func (p *pool) fixedViewMethods(view method) []method {
	made := jen.Id("v").Op(",").Err().Op(":=").Qual(lower.CUDAPath, "NewFixedView").Call(jen.Id("n"), p.viewItemBytes(), size(p.Spec.ViewAlignment()), size(p.Granule), jen.Id("s"), p.viewAlloc())
	view.body = func(p *pool) []jen.Code {
		if !p.Spec.FreesViews() {
			return []jen.Code{made, jen.Return(jen.Id(p.Names.View).Values(jen.Id("v")), jen.Err())}
		}
		return []jen.Code{
			jen.Var().Id("block").Add(p.block()),
			made,
			jen.If(jen.Err().Op("!=").Nil().Op("&&").Id("block").Op("!=").Parens(p.block().Values())).Block(
				jen.Return(jen.Id(p.Names.View).Values(), jen.Qual("errors", "Join").Call(jen.Err(), jen.Id("p").Dot("Free").Call(jen.Id("block")))),
			),
			jen.Return(jen.Id(p.Names.View).Values(jen.Id("v"), jen.Id("block")), jen.Err()),
		}
	}
	if !p.Spec.FreesViews() {
		return []method{view}
	}
	return []method{view, {
		name: "FreeView", doc: "FreeView " + freeViewDoc(p), params: []jen.Code{jen.Id("v").Id(p.Names.View)}, results: []jen.Code{jen.Error()},
		body: func(*pool) []jen.Code {
			free, inspect := jen.Id("p").Dot("Free").Call(jen.Id("v").Dot("block")), jen.Id("v").Dot("Inspect").Call()
			join := func(wrong jen.Code) jen.Code { return jen.Return(jen.Qual("errors", "Join").Call(wrong, free)) }
			if p.Spec.Sleep == nil {
				return []jen.Code{join(inspect)}
			}
			awake := jen.Id("p").Dot("ready").Call().Dot("Awake").Call(jen.Lit("free"))
			return []jen.Code{
				jen.Var().Id("wrong").Error(),
				jen.If(jen.Qual(lower.RuntimePath, "Debug").Op("&&").Add(awake).Op("==").Nil()).Block(jen.Id("wrong").Op("=").Add(inspect)),
				join(jen.Id("wrong")),
			}
		},
	}}
}

// viewAlloc is the function by which a view gets its block.
func (p *pool) viewAlloc() jen.Code {
	body := []jen.Code{
		jen.List(jen.Id("block"), jen.Err()).Op(":=").Id("p").Dot("Alloc").Call(jen.Id("n")),
		jen.Return(jen.Id("block").Dot("Addr").Call(), jen.Err()),
	}
	if p.Spec.FreesViews() {
		body = []jen.Code{
			jen.Var().Err().Error(),
			jen.List(jen.Id("block"), jen.Err()).Op("=").Id("p").Dot("Alloc").Call(jen.Id("n")),
			jen.Return(jen.Id("block").Dot("Addr").Call(), jen.Err()),
		}
	}
	return jen.Func().Params(jen.Id("n").Int()).Params(jen.Qual(lower.CUDAPath, "DevicePtr"), jen.Error()).Block(body...)
}
