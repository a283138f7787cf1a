package facade

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// types declares the type of the pool's blocks if the pool file names no Go type, and the type of its marks.
func (p *pool) types(f *jen.File) {
	if p.Item.Declared {
		comment(f, fmt.Sprintf("%sBlock is one block of the pool %s: %d bytes.", p.Spec.Name, p.Spec.Name, p.Spec.BlockSize))
		f.Type().Id(p.Names.Block).Index(jen.Id(decimal(p.Spec.BlockSize))).Byte()
	}
	if p.Can.Mark {
		comment(f, p.Names.Mark+" is a place to go back to. It is valid until blocks handed out before it are freed; the zero "+p.Names.Mark+" never is.")
		f.Type().Id(p.Names.Mark).Id(p.Core.Mark)
	}
}

// constructor declares NewFooPool.
func (p *pool) constructor(f *jen.File) {
	name := "New" + p.Names.Pool
	may := "name it and change its limit and the like"
	if what := p.chosen(); what != "" {
		may = "name it, change its limit and the like, and choose its " + what
	}
	comment(f, name+" returns a new pool, separate from the package's. Options may "+may+".\nThe caller closes the pool; "+p.safety()+".\n"+p.openErrors()+p.primeDoc())
	f.Func().Id(name).Params(jen.Id("options").Op("...").Qual(lower.RuntimePath, "Option")).
		Params(jen.Op("*").Id(p.Names.Pool), jen.Error()).Block(
		jen.Id("p").Op(":=").New(jen.Id(p.Names.Pool)),
		jen.If(
			jen.Err().Op(":=").Add(p.opened(jen.Id("p"), jen.Id("p"))),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("p"), jen.Nil()),
	)
}

// trackDoc and untrackDoc describe the methods that add numbers to a pool and remove them.
const (
	trackDoc = "makes the numbers first to first+n-1 available. They count against the pool's limit: a range that\n" +
		"it has no room for is refused with poolrt.ErrLimit, and one that is empty or overlaps numbers of the pool with poolrt.ErrBadSize."
	untrackDoc = "takes away a range that was given to Track. It is refused with poolrt.ErrLive while one of its numbers is in use,\nand with poolrt.ErrForeign if it was not tracked as one range."
)

// openErrors describes the errors of options.
func (p *pool) openErrors() string {
	s := "A limit above " + p.mostText() + " is refused with poolrt.ErrBadSize"
	if p.Spec.MaxLimit == spec.NoLimit {
		s = "A negative limit is refused with poolrt.ErrBadSize"
	}
	refused := choose(p.Spec.NeedsDriver(), "", "OnDevice")
	if len(p.Spec.Others) > 0 {
		refused += choose(refused == "", "", " and ") + "an allocator other than " + p.memoryText()
	}
	return s + choose(refused == "", ".", ", and "+refused+" with poolrt.ErrUnsupported.")
}

// mostText names the largest limit that a program may set.
func (p *pool) mostText() string {
	if p.Spec.MaxLimit == p.Spec.Limit {
		return "that of the pool file"
	}
	return "max_limit of the pool file, " + p.amount(p.Spec.MaxLimit) + ","
}

// limitDoc describes SetLimit.
func (p *pool) limitDoc() string {
	s := "SetLimit changes the limit" + choose(p.Numbers(), "", " to so many bytes") + ". A lower one returns empty chunks where needed; below what chunks with live blocks hold it is refused\n" +
		"with poolrt.ErrLive and changes nothing. A higher one wakes those who wait for memory"
	if p.Spec.MaxLimit == spec.NoLimit {
		return s + "."
	}
	return s + "; above " + p.mostText() + " it is refused\nwith poolrt.ErrBadSize."
}

// primeDoc says what a new pool reserves; "" if that is nothing.
func (p *pool) primeDoc() (doc string) {
	if p.Spec.Prime > 0 {
		doc = "\nThe pool reserves " + spec.FormatSize(p.Spec.Prime) + " at the start, which may fail as an allocation does."
	}
	if s := p.Spec.Sleep; s != nil && s.Prime {
		doc += "\nIt obtains the memory of the host to sleep, which may fail with poolrt.ErrLimit or poolrt.ErrOutOfMemory."
	}
	return doc
}

// opened returns the call that opens a pool, given a reference to it, with options.
func (p *pool) opened(pool, reference *jen.Statement) *jen.Statement {
	if p.Can.EachDevice {
		return pool.Clone().Dot("each").Dot("Open").Call(jen.Id("options"), reference, p.maker())
	}
	return pool.Dot("ready").Call().Dot("Open").Call(jen.Id("options").Op("..."))
}

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
	if p.Can.Handle { // other goroutines may read the generations meanwhile
		forget = jen.Id("p").Dot("core").Dot("Close")
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
		{name: "Classes", when: func(p *pool) bool { return p.Can.Classes }, doc: p.classesDoc(), results: []jen.Code{jen.Index().Add(rt("ClassStats"))}},
		{name: "Leaks", doc: p.leaksDoc(),
			results: []jen.Code{jen.Index().Add(rt("Leak"))}},
		{name: "Snapshot", doc: p.snapshotDoc(), results: []jen.Code{jen.Op("*").Add(rt("Snapshot"))}},
		{name: "Trim", when: func(p *pool) bool { return !p.Spec.FromDriverPool() }, doc: "Trim returns empty chunks to the allocator until the pool holds no more than keep bytes or none is empty, and\nreports how many bytes it returned. Chunks with a live block stay.",
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

func (p *pool) statsDoc() string {
	switch {
	case !p.Spec.Shared():
		return "Stats returns the pool's counters, exact and taken together. Cost: one pass over the chunks."
	case len(p.Slabs) > 0:
		return "Stats returns the pool's counters, exact if nobody uses it meanwhile; PeakBytes is an estimate. Cost: one pass over the\nchunks, and over the blocks of slabs that have changed since the last calls."
	default:
		return "Stats returns the pool's counters, exact if nobody uses it meanwhile; PeakBytes is an estimate. Cost: one pass over the chunks."
	}
}

// classesDoc describes Classes: what it visits depends on where the blocks of a class lie.
func (p *pool) classesDoc() string {
	s := "Classes returns the blocks and the memory of each size class, by size, and after these the rest of the pool, with size 0" +
		choose(p.Spec.Shared(), ". It is\nexact if nobody uses the pool meanwhile. Cost: ", ".\nCost: ")
	inSlabs := p.Spec.Suballocator != spec.Classes || len(p.Slabs) > 0
	inHeap := p.Spec.Suballocator == spec.Classes || p.Can.FreeAsync
	return s + "one pass over " + choose(inSlabs && inHeap, "the slabs and the blocks", choose(inSlabs, "the slabs", "the blocks")) + "."
}

// pollDoc describes Poll: what is due in a pool depends on its streams and its trim policy.
func (p *pool) pollDoc() string {
	idle := p.Spec.Trim != nil && p.Spec.Trim.Idle > 0
	switch returns := "returns chunks that have been empty for " + p.idleText() + " to the allocator"; {
	case p.Can.FreeAsync && idle:
		return "Poll reclaims the blocks whose streams have passed their frees, and " + returns + ".\nThe result is the number of frees reclaimed."
	case p.Can.FreeAsync:
		return "Poll reclaims the blocks whose streams have passed their frees. The result is the number of frees reclaimed."
	case idle:
		return "Poll " + returns + ". The result is 0, as the pool has no streams."
	}
	return "Poll has nothing to do in this pool, which has no streams and no trim policy with idle. The result is 0."
}

// idleText is how long a chunk has to be empty before the pool returns it.
func (p *pool) idleText() string {
	if p.Spec.Trim == nil {
		return ""
	}
	return p.Spec.Trim.Idle.String()
}

func (p *pool) snapshotDoc() string {
	s := "Snapshot lists what the pool holds, block by block, with 40 bytes for each."
	if p.Spec.Concurrency == spec.Unlocked {
		return s + " Other goroutines can only get the pool's last statistics."
	}
	return s + " The pool is locked for a few thousand of them at a time."
}

func (p *pool) effectiveDoc() string {
	s := "Effective returns the allocator in force and, where it is not the one asked for, why."
	if p.Spec.NeedsDriver() {
		s += "\nIt binds an unused pool to its device first. Where no allocator works it returns \"\" and why."
	}
	return s
}

// dropBody returns the body of Reset in a pool that also frees blocks one by one.
func (p *pool) dropBody() []jen.Code {
	return []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call().Dot("FreeAll").Call(jen.Id("p").Dot("core").Dot("Reset")))}
}

// dropDoc describes Reset in a pool that also frees blocks one by one.
func (p *pool) dropDoc() string {
	s := "Reset frees every block at once, live ones included, and keeps the chunks for the next ones. Cost: one pass over the chunks" +
		choose(len(p.Slabs) > 0, "\nand slabs", "") + ", however many blocks are live." +
		"\nBlocks handed out before must no longer be used: a free of one is refused as a second free is, until its place is handed out again."
	if when := p.meanwhileDoc(); when != "" {
		s += "\n" + strings.TrimSpace(when)
	}
	if p.Can.FreeAsync {
		s += "\nIt waits for streams that have not passed their frees. No work may be pending on live blocks."
	}
	if p.Lends {
		s += "\nWhile other pools hold blocks that they have borrowed, it is refused with poolrt.ErrLive."
	}
	return s
}

func (p *pool) resetDoc() string {
	if p.Can.Free {
		return "Reset starts again at the beginning of the first " + choose(p.Spec.Suballocator.Info().Arenas, "arena", "chunk") + ". While blocks are live it is refused with poolrt.ErrLive."
	}
	return "Reset frees every block at once and keeps the chunks for the next ones.\nBlocks handed out before must no longer be used." + p.meanwhileDoc()
}

// meanwhileDoc describes allocations during a Reset that ignores live blocks.
func (p *pool) meanwhileDoc() string {
	switch {
	case p.Spec.Concurrency == spec.Unlocked:
		return ""
	case p.Spec.Zero == spec.ZeroAlways:
		return " No allocation may be under way meanwhile: it might clear a block that is handed out next."
	}
	return " The same may apply to blocks whose allocation was under way meanwhile."
}

func (p *pool) closeDoc() string {
	if p.Can.Free {
		return "Close returns all memory and ends the pool. While blocks are live it is refused with poolrt.ErrLive and their number,\nand the pool goes on. Closing again is no error; every other call is refused with poolrt.ErrClosed from then on." + p.drainDoc()
	}
	return "Close returns all memory and ends the pool, even if blocks are handed out. Closing again is no error; every other call\nis refused with poolrt.ErrClosed from then on."
}

// drainDoc describes what Close does about frees on streams.
func (p *pool) drainDoc() string {
	if !p.Can.FreeAsync {
		return ""
	}
	return "\nIt waits for streams that have not passed their frees."
}

// leaksDoc says which blocks the method Leaks lists.
func (p *pool) leaksDoc() string {
	doc := "Leaks lists live blocks by the calls that allocated them. "
	if p.Spec.Profile {
		return doc + "Programs built with the tag pooldebug know all of these, others a\nsample."
	}
	return doc + "Programs built with the tag pooldebug know all of these, with\npooltrace a sample, and others none."
}
