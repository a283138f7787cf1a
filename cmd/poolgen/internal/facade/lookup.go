package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// lookupFunctions are the package functions that find blocks.
func (p *pool) lookupFunctions() []function {
	addr, handle := param{"addr", p.addressType()}, jen.Id(p.Names.Handle)
	return []function{
		{"Find", []param{addr}, []jen.Code{p.block(), jen.Error()}, p.findDoc()},
		{"FreeAt", []param{addr}, []jen.Code{jen.Error()}, "frees the live block that starts at an address" + choose(p.Spec.ItemForm(), "", ", whatever its length") + ". The errors are those of " +
			p.call("Free") + "."},
		{"Usable", []param{addr}, []jen.Code{jen.Int()}, "returns the length of the live block that starts at an address, 0 if there is none; " + p.safety() + "."},
		{"Resize", []param{{"block", p.block()}, {"n", jen.Int()}}, []jen.Code{p.block(), jen.Error()}, p.resizeDoc()},
		{"Index", []param{{"block", p.block()}}, []jen.Code{jen.Uint32()}, p.indexDoc()},
		{"AtIndex", []param{{"i", jen.Uint32()}}, []jen.Code{p.block()}, p.atIndexDoc()},
		{"AllocHandle", nil, []jen.Code{handle, p.block(), jen.Error()},
			"is " + p.call("Alloc") + " with a handle of the block."},
		{"Get", []param{{"h", handle}}, []jen.Code{p.block(), jen.Bool()}, p.getDoc()},
		{"FreeHandle", []param{{"h", handle}}, []jen.Code{jen.Error()}, p.freeHandleDoc()},
	}
}

func (p *pool) resizeDoc() string {
	return "returns a block with a length of n: the same one if there is room where it is, otherwise a new one with the items\n" +
		"of the old one, which is freed. Items beyond the old length are as " + p.call("Alloc") + " leaves them. If it fails, it returns the block as it was.\n" +
		"The errors are those of " + p.call("Alloc") + " and " + p.call("Free") + "."
}

func (p *pool) indexDoc() string {
	return "returns the index of a block, from 1 on. The index of " + choose(p.OnHost(), "a nil block", "the zero block") + ", and of what is no block of the pool, is 0. A block\n" +
		"has its index for as long as it is live. It takes no lock, and does not check whether the block is live; " + p.safety() + "."
}

func (p *pool) atIndexDoc() string {
	return "returns the block with an index. For 0, and an index that no block can have, it returns " + choose(p.OnHost(), "nil", "0") + ". It takes no lock, and\n" +
		"does not check whether the block is live; " + p.safety() + "."
}

func (p *pool) getDoc() string {
	return "returns the block of a handle, and false if that block was freed. It takes no lock; " + p.safety() + ".\nThe block must not be freed while the caller uses it."
}

func (p *pool) freeHandleDoc() string {
	return "frees the block of a handle, in constant time; " + p.safety() + ". A handle whose block was freed is refused\n" +
		"with poolrt.ErrDoubleFree, also after the block is in use again, and one that the pool has not handed out with poolrt.ErrForeign."
}

// addressType is the type of an address of the pool.
func (p *pool) addressType() *jen.Statement {
	switch {
	case p.OnDevice():
		return jen.Qual(lower.CUDAPath, "DevicePtr")
	case p.OnHost():
		return jen.Uintptr()
	}
	return jen.Uint64()
}

func (p *pool) findDoc() string {
	return "returns the live block that starts at an address" + choose(p.Spec.ItemForm(), "", ", with the length that was asked for") + ".\n" +
		"If there is none, the error matches poolrt.ErrInvalidFree: poolrt.ErrDoubleFree if the block is known to be free" + choose(p.Can.FreeAsync, " or pending", "") +
		", otherwise\npoolrt.ErrForeign. It takes the pool's lock; " + p.safety() + "."
}

// foundBody returns the body of a method that takes an address, in a pool that stands for one pool per device.
func (p *pool) foundBody(method string) []jen.Code {
	call := func(shell *jen.Statement) *jen.Statement { return shell.Dot(method).Call(jen.Id("addr")) }
	return []jen.Code{
		jen.If(jen.Id("p").Dot("root").Op("!=").Nil()).Block(jen.Return(call(jen.Id("p").Dot("one")))),
		jen.If(jen.Id("q").Op(":=").Id("p").Dot("each").Dot("Owner").Call(jen.Uint64().Call(jen.Id("addr"))), jen.Id("q").Op("!=").Nil()).
			Block(jen.Return(call(jen.Id("q").Dot("one")))),
		jen.Return(call(jen.Id("p").Dot("here").Call())),
	}
}

// spanAt declares the function that makes a block of a device from its address and its length.
func (p *pool) spanAt(f *jen.File) {
	if !p.Can.Find || !p.OnDevice() || p.Spec.ItemForm() {
		return
	}
	comment(f, p.Names.SpanAt+" returns the block of n items at an address, for packages that have got both from elsewhere. It checks nothing: Free refuses\n"+
		"what is not a live block of that length, and Find returns the block that starts at an address.")
	f.Func().Id(p.Names.SpanAt).Params(jen.Id("addr").Add(p.addressType()), jen.Id("n").Int()).Id(p.Names.Many).Block(
		jen.Return(jen.Id(p.Names.Many).Values(jen.Dict{
			jen.Id("ptr"): jen.Id(p.Spec.Name + "Ptr").Call(jen.Id("addr")), jen.Id("n"): jen.Id("n"),
		})),
	)
}
