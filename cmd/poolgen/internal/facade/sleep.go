package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// unlessAsleep returns from a method that would use the memory of a pool asleep.
func (p *pool) unlessAsleep(op string) []jen.Code {
	if p.Spec.Sleep == nil {
		return nil
	}
	awake := jen.Id("p").Dot("ready").Call().Dot("Awake").Call(jen.Lit(op))
	return []jen.Code{jen.If(jen.Err().Op(":=").Add(awake), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}
}

// sleepMethods are the methods of pools that give their memory back for a while.
func (p *pool) sleepMethods() []method {
	if p.Spec.Sleep == nil {
		return nil
	}
	ctx := jen.Id("ctx").Qual("context", "Context")
	return []method{
		{name: "Sleep", doc: p.sleepDoc(), params: []jen.Code{ctx, jen.Id("options").Op("...").Qual(lower.RuntimePath, "SleepOption")},
			results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("ctx"), jen.Id("options").Op("...")}},
		{name: "Wake", doc: p.wakeDoc(), params: []jen.Code{ctx}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("ctx")}},
	}
}

func (p *pool) sleepDoc() string {
	contents := "The bytes of live blocks are copied to the host."
	if p.Spec.Sleep.Contents == spec.SleepDiscard {
		contents = "The bytes of live blocks are lost, unless an option says otherwise."
	}
	return "Sleep gives the device memory of the pool back until Wake. Blocks stay live, and their addresses stay. " + contents + "\n" +
		"It waits for all work on the device, or with cuda.AfterStreams for that of some streams. Until Wake, work that uses blocks is a fault, and\n" +
		"allocations and copies of the pool fail with poolrt.ErrAsleep; frees succeed. If Sleep fails the pool is awake and has its contents, unless the error matches\n" +
		"poolrt.ErrNotReturned: then it is asleep, and some memory stays until Wake." +
		choose(p.Spec.Sleep.Budget == "", "", " With poolrt.ErrLimit, budget "+p.Spec.Sleep.Budget+"\nleaves too little memory of the host.") + p.unlessAll(func(a spec.Allocator) bool { return a == spec.DeviceVirtual }, "has no addresses apart from memory")
}

func (p *pool) wakeDoc() string {
	return "Wake gets memory for a pool asleep, at the same addresses" + choose(p.Spec.Sleep.Contents == spec.SleepKeep, ", and copies the bytes back", "") +
		". If it fails, with poolrt.ErrLimit or\npoolrt.ErrOutOfMemory where memory lacks, the pool sleeps on, and Wake can be called again. A pool that is awake stays as it is."
}
