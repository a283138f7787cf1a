package compile

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
)

// config is the description of the pool for the runtime's engine, as the source of a composite literal. The fields stand in the
// order of runtime.Config.
func (p *pool) config() string {
	numbers := p.Item.Kind == spec.ItemNumber
	var fields []jen.Code
	set := func(when bool, field string, value jen.Code) {
		if when {
			fields = append(fields, jen.Id(field).Op(":").Add(value))
		}
	}
	set(true, "Name", jen.Lit(p.Package+"."+p.Name))
	set(true, "Allocator", jen.Lit(string(p.Allocator)))
	set(true, "Suballocator", jen.Lit(string(p.Suballocator)))
	set(fits[p.Suballocator], "Fit", jen.Lit(string(p.Fit)))
	set(true, "Ordering", jen.Lit(string(p.Ordering)))
	set(!numbers && !p.Allocator.NeedsDriver(), "Source", p.source())
	set(p.Allocator.NeedsDriver(), "Binder", p.binder())
	set(p.Item.Kind == spec.ItemUser, "Item", jen.Id(fmt.Sprintf("func() reflect.Type { return reflect.TypeFor[%s]() }", p.itemExpr())))
	set(true, "ItemSize", p.itemBytes())
	set(p.Concurrency != spec.Unlocked, "Locked", jen.True())
	set(true, "ChunkSize", p.chunkSize())
	set(p.maxChunk() != nil, "MaxChunk", p.maxChunk())
	set(!numbers, "Granularity", facade.Size(p.Granularity))
	set(!numbers, "Alignment", facade.Size(max(p.Alignment, p.Granule())))
	set(true, "Limit", facade.Size(p.Limit))
	set(p.SoftLimit > 0, "SoftLimit", facade.Size(p.SoftLimit))
	set(p.Prime > 0, "Prime", facade.Size(p.Prime))
	set(p.Budget != "", "Budget", jen.Id(prefix(p.Budget)+"Budget"))
	set(p.Growth == spec.GrowthDouble, "Double", jen.True())
	set(oversize[p.Suballocator], "Oversize", jen.True())
	set(p.single(), "OnePiece", jen.True())
	set(p.Suballocator == spec.NoSuballocator, "Exact", jen.True())
	set(p.Stats != spec.StatsCounters, "Unmetered", jen.True())
	set(p.Suballocator == spec.Bump, "Uncounted", jen.True())
	set(p.EachDevice(), "Siblings", jen.True())
	set(p.Magazine > 0, "Kept", jen.True())
	set(p.Zero != spec.ZeroNever, "Zeroes", jen.True())
	set(p.Zero == spec.ZeroFirst && p.Allocator != spec.Host, "ZeroChunks", jen.True())
	set(len(p.OnExhausted) > 0, "Ladder", p.ladder())
	set(waits(p.OnExhausted), "WaitTimeout", duration(p.WaitTimeout))
	set(p.Trim != nil, "Trim", p.trim())
	return expression(jen.Id("runtime.Config").Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...))
}

// expression renders Go code, not formatted: that comes with the file that it will be in.
func expression(value jen.Code) string {
	f := jen.NewFile("p")
	f.NoFormat = true
	f.ImportName(facade.RuntimePath, "runtime")
	f.Var().Id("_").Op("=").Add(value)
	text := f.GoString()
	_, text, _ = strings.Cut(text, "var _ = ")
	return strings.TrimSpace(text)
}

// trim is the policy of giving empty chunks back.
func (p *pool) trim() jen.Code {
	if p.Trim == nil {
		return nil
	}
	policy := []jen.Code{jen.Id("Keep").Op(":").Add(facade.Size(p.Trim.Keep))}
	if p.Trim.Idle > 0 {
		policy = append(policy, jen.Id("Idle").Op(":").Add(duration(p.Trim.Idle)))
	}
	if p.Trim.When == spec.TrimOnGrowth {
		policy = append(policy, jen.Id("Growth").Op(":").True())
	}
	return jen.Op("&").Id("runtime.TrimPolicy").Values(policy...)
}

// itemBytes is the size of what requests count.
func (p *pool) itemBytes() jen.Code {
	if p.Tiled() {
		return facade.Size(spec.TileBytes)
	}
	n, err := strconv.ParseInt(p.itemSize(), 10, 64)
	if err != nil {
		return jen.Id(fmt.Sprintf("int64(unsafe.Sizeof(*(*%s)(nil)))", p.itemExpr()))
	}
	return facade.Size(n)
}

// fits lists the suballocators that have a heap, which has a fit.
var fits = map[spec.Suballocator]bool{spec.Heap: true, spec.Binned: true, spec.Classes: true}

// oversize lists the suballocators that give a request above the chunk size a chunk of its own.
var oversize = map[spec.Suballocator]bool{spec.Heap: true, spec.Binned: true, spec.Classes: true, spec.NoSuballocator: true}

// source is where chunks come from.
func (p *pool) source() jen.Code {
	if p.Allocator == spec.Custom {
		return jen.Id("runtime.CustomSource").Call(jen.Id(p.AllocFunc), jen.Id(p.FreeFunc))
	}
	return jen.Id("runtime.Host").Call()
}

// chunkSize is the chunk size; where a block of a user's type may be larger than the default, the larger of the two.
func (p *pool) chunkSize() jen.Code {
	switch {
	case p.Item.Kind == spec.ItemNumber:
		return jen.Id("runtime.NoLimit")
	case p.chunkKnown():
		return facade.Size(p.ChunkSize)
	}
	g := p.Granularity
	return jen.Id("max").Call(facade.Size(p.ChunkSize),
		jen.Id(fmt.Sprintf("(int64(%s)+%d)&^%d", p.StrideConst, g-1, g-1)))
}

// ladder is the list of rungs.
func (p *pool) ladder() jen.Code {
	kinds := map[spec.RungKind]string{
		spec.RungPoll: "RungPoll", spec.RungTrim: "RungTrim", spec.RungWait: "RungWait",
		spec.RungPool: "RungPool", spec.RungDriver: "RungDriver", spec.RungError: "RungError",
	}
	var rungs []jen.Code
	for _, r := range p.OnExhausted {
		rung := []jen.Code{jen.Id("Kind").Op(":").Id("runtime." + kinds[r.Kind])}
		if r.Kind == spec.RungPool {
			// An expression that does not look like a name of an imported package.
			other := jen.Parens(jen.Op("&").Id(prefix(r.Pool) + "Default"))
			rung = append(rung, jen.Id("Pool").Op(":").Op("&").Id("runtime.Spill").Values(
				jen.Id("Alloc").Op(":").Add(other).Dot("spillAlloc"),
				jen.Id("Free").Op(":").Add(other).Dot("spillFree"),
			))
		}
		rungs = append(rungs, jen.Values(rung...))
	}
	return jen.Index().Id("runtime.Rung").Values(rungs...)
}

func waits(ladder []spec.Rung) bool {
	for _, r := range ladder {
		if r.Kind == spec.RungWait {
			return true
		}
	}
	return false
}

// duration renders a duration in the largest unit that is whole.
func duration(d time.Duration) *jen.Statement {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}} {
		if d%u.unit == 0 && d > 0 {
			return jen.Id(fmt.Sprintf("%d * time.%s", d/u.unit, u.name))
		}
	}
	return jen.Id(decimal(int64(d)))
}
