package facade

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// method is a whole-pool method that calls the engine.
type method struct {
	name    string
	doc     string
	params  []jen.Code
	results []jen.Code
	call    []jen.Code             // arguments of the engine's method of the same name
	when    func(*pool) bool       // nil: always
	body    func(*pool) []jen.Code // nil: return p.ready().Name(call...)
}

// lifecycle declares the whole-pool methods.
func (p *pool) lifecycle(f *jen.File) {
	for _, m := range p.methods() {
		if m.when != nil && !m.when(p) {
			continue
		}
		body := []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call().Dot(m.name).Call(m.call...))}
		if m.body != nil {
			body = m.body(p)
		}
		comment(f, m.doc)
		f.Func().Params(jen.Id("p").Op("*").Id(p.Names.Shell)).Id(m.name).
			Params(m.params...).Params(m.results...).Block(body...)
	}
}

func (p *pool) methods() []method {
	rt := func(name string) *jen.Statement { return jen.Qual(lower.RuntimePath, name) }
	forget := jen.Code(jen.Func().Params().Block(jen.Id("p").Dot("core").Op("=").Id(p.Core.Type).Values()))
	reset := jen.Code(jen.Func().Params().Block(jen.Id("p").Dot("core").Dot("Reset").Call()))
	if p.Core.Imported { // it keeps the parameters
		core := jen.Id("p").Dot("core")
		if p.Spec.ItemForm() {
			core = core.Dot("Common").Call()
		}
		forget = core.Dot("Close")
	}
	if p.Spec.Shared() { // the core does this itself
		forget = jen.Nil()
		if p.Can.Free {
			reset = jen.Nil()
		}
	}
	id := func(names ...string) *jen.Statement {
		var l []jen.Code
		for _, n := range names {
			l = append(l, jen.Id(n))
		}
		return jen.List(l...)
	}
	list := []method{
		{name: "Track", when: func(p *pool) bool { return p.Numbers() },
			doc:    "Track " + trackDoc,
			params: []jen.Code{id("first", "n").Uint64()}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("first"), jen.Id("n")}},
		{name: "Untrack", when: func(p *pool) bool { return p.Numbers() },
			doc:    "Untrack " + untrackDoc,
			params: []jen.Code{id("first", "n").Uint64()}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("first"), jen.Id("n")}},
		{name: "Reset", when: func(p *pool) bool { return p.Can.Reset && !p.Can.Drop }, doc: p.resetDoc(), results: []jen.Code{jen.Error()}, call: []jen.Code{reset}},
		{name: "Reset", when: func(p *pool) bool { return p.Can.Drop }, doc: p.dropDoc(), results: []jen.Code{jen.Error()}, body: (*pool).dropBody},
		{name: "Mark", when: func(p *pool) bool { return p.Can.Mark },
			doc:     "Mark remembers what is handed out so far, for Release.",
			results: []jen.Code{jen.Id(p.Names.Mark)},
			body:    (*pool).markBody},
		{name: "Release", when: func(p *pool) bool { return p.Can.Mark },
			doc:    "Release frees every block handed out since the mark was made. A mark from before a Reset, or of a place that was\nreleased already, is refused with poolrt.ErrForeign.",
			params: []jen.Code{jen.Id("m").Id(p.Names.Mark)}, results: []jen.Code{jen.Error()},
			call: []jen.Code{jen.Func().Params().Bool().Block(whenDebug("NoteRelease"), jen.Return(jen.Id("p").Dot("core").Dot("Release").Call(jen.Id(p.Core.Mark).Call(jen.Id("m")))))}},
		{name: "Stats", doc: p.statsDoc(),
			results: []jen.Code{rt("Stats")}},
		{name: "ResetPeaks", when: func(p *pool) bool { return !p.Spec.FromDriverPool() }, doc: "ResetPeaks sets PeakBytes and PeakReserved of Stats to what is live and reserved now.", results: []jen.Code{jen.Error()}},
		{name: "Classes", when: func(p *pool) bool { return p.Can.Classes }, doc: p.classesDoc(), results: []jen.Code{jen.Index().Add(rt("ClassStats"))}},
		{name: "Leaks", doc: p.leaksDoc(),
			results: []jen.Code{jen.Index().Add(rt("Leak"))}},
		{name: "Snapshot", doc: p.snapshotDoc(), results: []jen.Code{jen.Op("*").Add(rt("Snapshot"))}},
		{name: "Trim", when: func(p *pool) bool { return !p.Spec.FromDriverPool() }, doc: "Trim returns empty chunks to the allocator as long as the pool holds at least keep bytes afterwards, and reports how\nmany bytes it returned. Chunks with a live block stay.",
			params: []jen.Code{jen.Id("keep").Int64()}, results: []jen.Code{jen.Id("released").Int64(), jen.Err().Error()}, call: []jen.Code{jen.Id("keep")}},
		{name: "Poll", doc: p.pollDoc(),
			results: []jen.Code{jen.Int()}},
		{name: "SetLimit", doc: p.limitDoc(),
			params: []jen.Code{jen.Id("bytes").Int64()}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("bytes")}},
		{name: "Prime", when: func(p *pool) bool { return !p.Numbers() && !p.Spec.Suballocator.Info().Direct },
			doc: "Prime reserves memory until the pool holds so many bytes, all or nothing, within the limit" + choose(p.Budget != nil, " and the budget", "") + ". It waits for no block" +
				choose(p.Can.FreeAsync, " and no stream", "") + ".\nThe error matches poolrt.ErrLimit or poolrt.ErrOutOfMemory.",
			params: []jen.Code{jen.Id("bytes").Int64()}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("bytes")}},
		{name: "Requested", doc: p.requestedDoc(), results: []jen.Code{jen.String()}},
		{name: "Effective", doc: p.effectiveDoc(),
			results: []jen.Code{jen.List(jen.Id("allocator"), jen.Id("reason")).String()}},
		{name: "Close", doc: p.closeDoc(), results: []jen.Code{jen.Error()}, call: []jen.Code{forget}},
		{name: "CloseForce", doc: "CloseForce ends the pool even if blocks are live, which must not be touched afterwards. Closing again is no error.",
			results: []jen.Code{jen.Error()}, call: []jen.Code{forget}},
	}
	return slices.Concat(list, p.budgetMethods(), p.sleepMethods(), p.captureMethods(), p.registeredMethods(), p.shareMethods(), p.viewMethods(), p.driverMethods(), p.deviceMethods())
}

// markBody returns the body of Mark.
func (p *pool) markBody() []jen.Code {
	return []jen.Code{
		jen.Id("m").Op(":=").Id(p.Names.Mark).Call(jen.Id("p").Dot("core").Dot("Mark").Call()),
		whenDebug("NoteMark"),
		jen.Return(jen.Id("m")),
	}
}

// whenDebug returns the statement that notes a mark in the engine of a debug build.
func whenDebug(method string) jen.Code {
	return jen.If(jen.Qual(lower.RuntimePath, "Debug")).Block(jen.Id("p").Dot("ready").Call().Dot(method).Call(jen.Id("m")))
}

// dropBody returns the body of Reset in a pool that also frees blocks one by one.
func (p *pool) dropBody() []jen.Code {
	return []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call().Dot("FreeAll").Call(jen.Id("p").Dot("core").Dot("Reset")))}
}
