package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// each declares the type of a pool that stands for one pool per device. Its methods call the pool of a device, which has the same type, and
// that calls the shell.
func (p *pool) each(f *jen.File) {
	if !p.Can.EachDevice {
		return
	}
	comment(f, p.Names.Pool+" is one pool for each device behind one API. Methods act on the pool of the device whose context is current on the calling\n"+
		"thread, else device 0. "+p.elsewhereDoc()+"Poll, Leaks, Snapshot, Close and CloseForce act on all, and On chooses one.\n"+
		"The limits"+choose(p.Spec.Prime > 0, ", what is reserved at the start", "")+" and options hold for each device by itself, a budget for all together.\n"+
		"Its zero value is ready to use; it must not be copied after first use."+p.typeDoc())
	f.Type().Id(p.Names.Pool).Struct(
		jen.Id("each").Qual(lower.CUDAPath, "Each").Types(jen.Id(p.Names.Pool)).Comment("the pools of the devices"),
		jen.Id("root").Op("*").Id(p.Names.Pool).Comment("in the pool of a device: the one that stands for all"),
		jen.Id("one").Id(p.Names.Shell).Comment("in the pool of a device: what hands out its blocks"),
	)
	self := jen.Id("p").Op("*").Id(p.Names.Pool)
	pool := jen.Op("*").Id(p.Names.Pool)
	fromRoot := jen.If(jen.Id("p").Dot("root").Op("!=").Nil())

	comment(f, "On returns the pool of a device, by its number from 0. Calls of the pool of a device that does not exist fail with poolrt.ErrUnsupported,\n"+
		"unless the pool falls back to the host.")
	f.Func().Params(self).Id("On").Params(jen.Id("device").Int()).Add(pool).Block(append(p.importedOn(),
		fromRoot.Clone().Block(jen.Id("p").Op("=").Id("p").Dot("root")),
		jen.Return(jen.Id("p").Dot("each").Dot("On").Call(jen.Id("device"), jen.Id("p"), p.maker())),
	)...)
	comment(f, "make makes the pool of one more device.")
	f.Func().Params(self.Clone()).Id("make").Params().Params(pool, jen.Op("*").Qual(lower.ImplPath, "Engine")).Block(
		jen.Id("q").Op(":=").Op("&").Id(p.Names.Pool).Values(jen.Id("root").Op(":").Id("p")),
		jen.Return(jen.Id("q"), jen.Id("q").Dot("one").Dot("ready").Call()),
	)
	comment(f, "here returns the shell of the current device.")
	f.Func().Params(self).Id("here").Params().Op("*").Id(p.Names.Shell).Block(
		fromRoot.Clone().Block(jen.Return(jen.Op("&").Id("p").Dot("one"))),
		jen.Return(jen.Op("&").Id("p").Dot("each").Dot("Here").Call(jen.Id("p"), p.maker()).Dot("one")),
	)
	if p.Can.Free || p.Can.Share {
		comment(f, "owner returns the shell that a block is of, or one that refuses it.")
		f.Func().Params(self).Id("owner").Params(jen.Id("block").Add(p.block())).Op("*").Id(p.Names.Shell).Block(
			fromRoot.Clone().Block(jen.Return(jen.Op("&").Id("p").Dot("one"))),
			jen.If(jen.Id("q").Op(":=").Id("p").Dot("each").Dot("Owner").Call(p.address(jen.Id("block"))), jen.Id("q").Op("!=").Nil()).
				Block(jen.Return(jen.Op("&").Id("q").Dot("one"))),
			jen.Return(jen.Id("p").Dot("here").Call()),
		)
	}
	if p.Can.OnStream {
		comment(f, "of returns the shell of the stream's device.")
		f.Func().Params(self).Id("of").Params(jen.Id("s").Qual(lower.CUDAPath, "Stream")).Op("*").Id(p.Names.Shell).Block(
			fromRoot.Clone().Block(jen.Return(jen.Op("&").Id("p").Dot("one"))),
			jen.Return(jen.Op("&").Id("p").Dot("On").Call(jen.Int().Call(jen.Id("s").Dot("Device").Call())).Dot("one")),
		)
	}
	p.handOver(f)
}

// maker declares the function that makes the pool of a device.
func (p *pool) maker() jen.Code {
	return jen.Parens(jen.Op("*").Id(p.Names.Pool)).Dot("make")
}

// elsewhereDoc names the methods that find their device another way.
func (p *pool) elsewhereDoc() string {
	s := ""
	if p.Can.OnStream {
		s += "Allocations on a stream act on that of the stream's device. "
	}
	if p.Can.View {
		s += "View acts on that of the stream's device. "
	}
	if p.Can.Free {
		s += "Frees reach the pool that the block is of.\n"
	}
	return s
}

// address converts a block to its address as a number.
func (p *pool) address(block *jen.Statement) jen.Code {
	switch {
	case p.Tiled():
		return block.Dot("number")
	case p.OnDevice():
		return jen.Uint64().Call(block.Dot("Addr").Call())
	case !p.Spec.ItemForm():
		block = jen.Qual("unsafe", "SliceData").Call(block)
	}
	return jen.Uint64().Call(jen.Uintptr().Call(jen.Qual("unsafe", "Pointer").Call(block)))
}

// handOver declares the methods of the shell again, for the pool.
func (p *pool) handOver(f *jen.File) {
	to := func(name string, params, results []jen.Code, doc string, body ...jen.Code) {
		comment(f, doc)
		f.Func().Params(jen.Id("p").Op("*").Id(p.Names.Pool)).Id(name).Params(params...).Params(results...).Block(body...)
	}
	whole := map[string]bool{}
	for _, m := range p.methods() {
		whole[m.name] = true
	}
	for _, fn := range p.table() {
		if whole[fn.method] {
			continue
		}
		params, _ := fn.signature()
		doc := fn.method + " " + p.onMethods(fn.doc)
		if fn.takes("addr") {
			to(fn.method, params, fn.results, doc, p.foundBody(fn.method)...)
			continue
		}
		to(fn.method, params, fn.results, doc, jen.Return(p.through(fn)))
	}
	for _, m := range p.methods() {
		if m.when != nil && !m.when(p) {
			continue
		}
		to(m.name, m.params, m.results, m.doc+wholeDoc[m.name], p.wholePool(m)...)
	}
	if p.Can.Share {
		to("Open", []jen.Code{jen.Id("s").Qual(lower.CUDAPath, "Shared")}, []jen.Code{p.block(), jen.Error()},
			"Open finds a block that another process has shared, in a pool that was imported from there. Freeing it closes it.",
			jen.Return(jen.Id("p").Dot("here").Call().Dot("Open").Call(jen.Id("s"))))
	}
}

// through returns the call of a shell's method on the right shell: that of the block or of the stream that is given, else that of the current device.
func (p *pool) through(fn function) jen.Code {
	self := jen.Id("p")
	switch {
	case fn.method == "FreeBatch":
		return jen.Qual(lower.CUDAPath, "FreeRuns").Call(jen.Id("blocks"), jen.Id("p").Dot("owner"), jen.Parens(jen.Op("*").Id(p.Names.Shell)).Dot("FreeBatch"))
	case fn.method == "FreeBatchOn":
		free := jen.Func().Params(jen.Id("q").Op("*").Id(p.Names.Shell), jen.Id("blocks").Index().Add(p.block())).Error().
			Block(jen.Return(jen.Id("q").Dot("FreeBatchOn").Call(jen.Id("blocks"), jen.Id("s"))))
		return jen.Qual(lower.CUDAPath, "FreeRuns").Call(jen.Id("blocks"), jen.Id("p").Dot("owner"), free)
	case fn.takes("block"):
		self.Dot("owner").Call(jen.Id("block"))
	case fn.takes("s"):
		self.Dot("of").Call(jen.Id("s"))
	default:
		self.Dot("here").Call()
	}
	_, args := fn.signature()
	return self.Dot(fn.method).Call(args...)
}

// wholeDoc returns the addition to the doc comment of a method that acts on all devices.
var wholeDoc = map[string]string{
	"Poll":       "\nThis applies to the pools of all devices.",
	"Leaks":      "\nThis applies to the pools of all devices.",
	"Snapshot":   "\nThis applies to the pools of all devices.",
	"Close":      "\nThis applies to the pools of all devices together: a live block of any of them keeps all from being closed.",
	"CloseForce": "\nThis applies to the pools of all devices.",
}

// arguments are the arguments of whole-pool methods that have any.
var arguments = map[string][]jen.Code{
	"Release": {jen.Id("m")}, "Trim": {jen.Id("keep")}, "SetLimit": {jen.Id("bytes")}, "Prime": {jen.Id("bytes")}, "OnReclaim": {jen.Id("free")},
	"Sleep": {jen.Id("ctx"), jen.Id("options").Op("...")}, "Wake": {jen.Id("ctx")},
	"DriverAttr": {jen.Id("a")}, "SetDriverAttr": {jen.Id("a"), jen.Id("value")},
}

// wholePool returns the body of a whole-pool method.
func (p *pool) wholePool(m method) []jen.Code {
	one := jen.Id("p").Dot("one").Dot(m.name)
	isRoot := jen.If(jen.Id("p").Dot("root").Op("!=").Nil())
	closed := jen.Func().Params(jen.Id("q").Op("*").Id(p.Names.Pool)).Error().Block(jen.Return(jen.Id("q").Dot("one").Dot(m.name).Call()))
	switch m.name {
	case "Poll":
		return []jen.Code{isRoot.Block(jen.Return(one.Call())), jen.Return(jen.Id("p").Dot("each").Dot("Poll").Call())}
	case "Close", "CloseForce":
		return []jen.Code{isRoot.Block(jen.Return(one.Call())),
			jen.Return(jen.Id("p").Dot("each").Dot("Close").Call(jen.Lit(m.name == "CloseForce"), closed))}
	case "Leaks", "Snapshot":
		return []jen.Code{isRoot.Block(jen.Return(one.Call())), jen.Return(jen.Id("p").Dot("each").Dot(m.name).Call())}
	case "View":
		args := []jen.Code{jen.Id("n"), jen.Id("s")}
		return []jen.Code{isRoot.Block(jen.Return(one.Call(args...))),
			jen.Return(jen.Id("p").Dot("On").Call(jen.Int().Call(jen.Id("s").Dot("Device").Call())).Dot("one").Dot("View").Call(args...))}
	case "FreeView":
		return []jen.Code{jen.Return(jen.Id("p").Dot("owner").Call(jen.Id("v").Dot("block")).Dot("FreeView").Call(jen.Id("v")))}
	case "CopyToDevice", "CopyToHost", "CopyPeer", "Zero":
		return p.copyOfEach(m)
	}
	return []jen.Code{jen.Return(jen.Id("p").Dot("here").Call().Dot(m.name).Call(arguments[m.name]...))}
}

// copyOfEach returns the body of a copy. It is about blocks, not about a pool, unless that pool may be asleep.
func (p *pool) copyOfEach(m method) []jen.Code {
	if p.Spec.Sleep == nil {
		return m.body(p)
	}
	block, args := jen.Id("block"), []jen.Code{jen.Id("block"), jen.Id("s")}
	for _, t := range p.transfers() {
		if t.name == m.name {
			block, args = jen.Id(t.block), []jen.Code{jen.Id(t.params[0].name), jen.Id(t.params[1].name), jen.Id("s")}
		}
	}
	return []jen.Code{jen.Return(jen.Id("p").Dot("owner").Call(block).Dot(m.name).Call(args...))}
}
