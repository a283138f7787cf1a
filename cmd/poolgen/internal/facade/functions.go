package facade

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// defaultPool declares the package's own pool.
func (p *pool) defaultPool(f *jen.File) {
	comment(f, p.Names.Default+" is the package's pool.")
	f.Var().Id(p.Names.Default).Id(p.Names.Pool)
	if !p.Spec.PackageFunctions {
		return
	}
	name := spec.NameOf("Default", p.Spec.Name, "Pool")
	comment(f, name+" returns the pool that the package functions act on. It reserves its first chunk on first use.")
	f.Func().Id(name).Params().Op("*").Id(p.Names.Pool).Block(jen.Return(jen.Op("&").Id(p.Names.Default)))

	name = spec.NameOf("ConfigureDefault", p.Spec.Name, "Pool")
	comment(f, name+" sets options of the package's pool before its first use. After that, and after an earlier call that succeeded, it is refused with\npoolrt.ErrLive.")
	f.Func().Id(name).Params(jen.Id("options").Op("...").Qual(lower.RuntimePath, "Option")).Error().Block(
		jen.Return(p.opened(jen.Id(p.Names.Default), jen.Op("&").Id(p.Names.Default))),
	)
}

// function is a package function, which calls a method of the default pool. spec.Calls has its name, and says which pools have it.
type function struct {
	method  string
	params  []param
	results []jen.Code
	doc     string
}

// param is a parameter that is passed on unchanged.
type param struct {
	name string
	typ  *jen.Statement
}

// signature returns the parameters of a declaration, and the arguments of the call that passes them on.
func (fn *function) signature() (params, args []jen.Code) {
	for _, a := range fn.params {
		params = append(params, jen.Id(a.name).Add(a.typ))
		args = append(args, jen.Id(a.name))
	}
	return params, args
}

// call returns the name of the package function that calls a method.
func (p *pool) call(method string) string { return spec.CallOf(method).Of(p.Spec.Name) }

// takes reports whether a parameter has that name.
func (fn *function) takes(name string) bool {
	return slices.ContainsFunc(fn.params, func(a param) bool { return a.name == name })
}

// functions declares AllocFoo, FreeFoo and the other package functions.
func (p *pool) functions(f *jen.File) {
	for _, fn := range p.table() {
		params, args := fn.signature()
		name := p.call(fn.method)
		comment(f, name+" "+fn.doc)
		f.Func().Id(name).Params(params...).Params(fn.results...).Block(
			jen.Return(jen.Id(p.Names.Default).Dot(fn.method).Call(args...)),
		)
	}
}

// table lists the package functions of the pool.
func (p *pool) table() []function {
	block := p.block()
	batch := jen.Index().Add(block)
	n := param{"n", jen.Int()}
	if p.Tiled() {
		n.name = "tiles"
	}
	ctx := param{"ctx", jen.Qual("context", "Context")}
	b := param{"block", block}
	scoped := param{"f", jen.Func().Params(block).Error()}
	count := func(rest ...param) []param { // span form: how many items comes first
		if p.Spec.ItemForm() {
			return rest
		}
		return append([]param{n}, rest...)
	}
	stream := param{"s", jen.Qual(lower.CUDAPath, "Stream")}
	alloc, allocOn, free := p.call("Alloc"), p.call("AllocOn"), p.call("Free")
	all := append([]function{
		{"Track", []param{{"first", jen.Uint64()}, {"n", jen.Uint64()}}, []jen.Code{jen.Error()}, trackDoc},
		{"Untrack", []param{{"first", jen.Uint64()}, {"n", jen.Uint64()}}, []jen.Code{jen.Error()}, untrackDoc},
		{"Alloc", count(), []jen.Code{block, jen.Error()}, p.allocDoc()},
		{"TryAlloc", count(), []jen.Code{block, jen.Bool()}, p.tryDoc()},
		{"AllocAligned", []param{n, {"align", jen.Int()}}, []jen.Code{block, jen.Error()},
			"is " + alloc + p.alignedDoc()},
		{"AllocContext", append([]param{ctx}, count()...), []jen.Code{block, jen.Error()},
			"is " + alloc + p.contextDoc()},
		{"Free", []param{b}, []jen.Code{jen.Error()}, p.freeDoc() + p.noWorkPending("Free")},
		{"AllocOn", count(stream), []jen.Code{block, jen.Error()},
			"is " + alloc + " for a block whose first use is on the stream. The block may be one that was freed on the stream,\neven while work of the stream on that block is pending."},
		{"AllocAlignedOn", []param{n, {"align", jen.Int()}, stream}, []jen.Code{block, jen.Error()},
			"is " + allocOn + p.alignedDoc()},
		{"AllocContextOn", append([]param{ctx}, count(stream)...), []jen.Code{block, jen.Error()},
			"is " + allocOn + ", but waits until ctx ends for a free to make room and for streams to pass the frees on them.\nIf ctx ends first, the error matches both ctx.Err() and poolrt.ErrLimit."},
		{"FreeOn", []param{b, stream}, []jen.Code{jen.Error()},
			"frees a block that work on the stream may still be using. The stream can reuse it at\nonce, and others once the stream has passed this point, or after waiting for it. The errors are those of " + free + "."},
		{"FreeAsync", []param{b, stream}, []jen.Code{jen.Error()},
			"frees a block, which can be handed out again once the stream has passed this point. The errors are those of " + free + "."},
		{"AllocBatch", []param{{"dst", batch}}, []jen.Code{jen.Int(), jen.Error()},
			"fills dst with blocks and returns their number. If it cannot, it returns 0 and an error, and clears dst.\nThe errors are those of " + alloc + "." + p.batchDoc()},
		{"FreeBatch", []param{{"blocks", batch}}, []jen.Code{jen.Error()},
			"frees those blocks that are live blocks of the pool, and joins the errors of the others, which\nmatch poolrt.ErrInvalidFree."},
		{"AllocBatchOn", []param{{"dst", batch}, stream}, []jen.Code{jen.Int(), jen.Error()},
			"fills dst with blocks whose first use is on the stream, and returns their number. If it cannot, it\nreturns 0 and an error, clears dst, and frees on the stream what it had found. The errors are those of " + allocOn + "."},
		{"FreeBatchOn", []param{{"blocks", batch}, stream}, []jen.Code{jen.Error()},
			"frees blocks as " + p.call("FreeOn") + " does: those that are live blocks of the pool. It joins the errors of the\nothers, which match poolrt.ErrInvalidFree."},
		{"With", count(scoped), []jen.Code{jen.Error()},
			"calls f with a block that is freed when f returns or panics. A nil f is refused with poolrt.ErrNoFunc." + p.noWorkPending("With")},
		{"WithOn", count(stream, scoped), []jen.Code{jen.Error()},
			"calls f with a block of " + allocOn + ", which is freed on the stream when f returns or panics: work that f\nhas queued on the stream may still be using it. A nil f is refused with poolrt.ErrNoFunc."},
		{"AllocRefOn", count(stream), []jen.Code{jen.Id(p.Names.Ref), jen.Error()},
			"is " + allocOn + " with an owner for the block that frees it on the stream."},
		{"AllocRef", count(), []jen.Code{jen.Id(p.Names.Ref), jen.Error()},
			"is " + alloc + " with an owner for the block." + p.noWorkPending("Release")},
	}, slices.Concat(p.lookupFunctions(), p.shareFunctions(), p.viewFunctions(), p.copies())...)
	return slices.DeleteFunc(all, func(fn function) bool { return !spec.CallOf(fn.method).In(p.Spec) })
}
