package compile

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

const templatesPath = templates.Path + "/"

// instance says which templates make up the pool, and what their parameters are.
func (p *pool) instance() specialize.Instance {
	shell, defaultCore := "span", "heap"
	if p.ItemForm() {
		shell, defaultCore = "item", "fixed"
	}
	core := p.core()
	inst := specialize.Instance{
		Root:    templatesPath + shell,
		Replace: map[string]string{},
		Prefix:  p.Prefix,
		Types:   map[string]string{},
		Imports: p.imports(),
		Names: map[string]string{
			shell + ".Pool": p.ShellName(),
			shell + ".Ref":  p.Name + "Ref",
		},
		Bind: map[string]string{
			"feature.Locked":     fmt.Sprint(p.Concurrency != spec.Unlocked),
			"feature.Sharded":    fmt.Sprint(p.Shared()),
			"feature.Counters":   fmt.Sprint(p.Stats == spec.StatsCounters),
			"feature.Trims":      fmt.Sprint(p.Trim != nil),
			"feature.ZeroAlways": fmt.Sprint(p.Zero == spec.ZeroAlways && !p.OnDevice()),
			"feature.ZeroDevice": fmt.Sprint(p.Zero == spec.ZeroAlways && p.OnDevice()),
			"feature.Streams":    fmt.Sprint(p.Ordered()),
			"feature.AllocsOn":   fmt.Sprint(p.AllocsOn()),
			"feature.Shareable":  fmt.Sprint(p.Shareable),
			"feature.Pages":      fmt.Sprint(p.Paged()),
			shell + ".spilled":   fmt.Sprint(p.Spilled),
			shell + ".config":    p.config(),
		},
	}
	if core != defaultCore {
		inst.Replace[templatesPath+defaultCore] = templatesPath + core
	}
	if behind := coreOf[p.Suballocator]; (core == "shards" || core == "slabs") && behind != "classes" {
		inst.Replace[templatesPath+"classes"] = templatesPath + behind
	}
	if core == "slabs" {
		inst.Bind["slabs.bins"] = list(p.slabBins())
	}
	p.bindMemory(&inst)
	if shell == "span" {
		inst.Bind["span.frees"] = fmt.Sprint(p.Suballocator != spec.Bump)
	}
	for name, value := range bindings[p.Suballocator](p) {
		inst.Bind[name] = value
	}
	if p.Suballocator == spec.Fixed && !p.Shared() {
		inst.Types["fixed.index"] = p.index()
	}
	if p.Suballocator == spec.Bump {
		inst.Names["bump.Mark"] = p.Name + "Mark"
	}
	return inst
}

// bindMemory chooses what a block is to the user.
func (p *pool) bindMemory(inst *specialize.Instance) {
	switch {
	case p.OnDevice():
		inst.Replace[templatesPath+"hostmem"] = templatesPath + "devmem"
		inst.Types["devmem.Item"] = p.itemExpr()
		inst.Names["devmem.Ptr"] = p.Name + "Ptr"
		inst.Names["devmem.Span"] = p.Name + "Span"
		return
	case p.Tiled():
		inst.Replace[templatesPath+"hostmem"] = templatesPath + "tilemem"
		inst.Bind["tilemem.blockTiles"] = decimal(max(p.BlockSize/spec.TileBytes, 1))
		inst.Names["tilemem.Tiles"] = p.Name + "Tiles"
		return
	case p.Item.Kind != spec.ItemNumber:
		inst.Types["hostmem.Item"] = p.itemExpr()
		return
	}
	inst.Replace[templatesPath+"hostmem"] = templatesPath + "numbers"
	inst.Names["numbers.ID"] = p.Name + "ID"
	inst.Names["numbers.IDs"] = p.Name + "IDs"
}

// bindings gives the parameters of each suballocator.
var bindings = map[spec.Suballocator]func(*pool) map[string]string{
	spec.Fixed:          (*pool).fixed,
	spec.Heap:           (*pool).heap,
	spec.Binned:         func(p *pool) map[string]string { return p.withBins("binned") },
	spec.Classes:        (*pool).classes,
	spec.Ring:           (*pool).ring,
	spec.Bump:           (*pool).bump,
	spec.NoSuballocator: func(p *pool) map[string]string { return nil },
}

func (p *pool) fixed() map[string]string {
	if p.Shared() {
		word := "48"
		if p.Ordered() {
			word = "24"
		}
		return map[string]string{"strict.blockSize": p.stride(), "strict.itemBytes": p.itemSize(), "strict.perWord": word}
	}
	return map[string]string{
		"fixed.blockSize": p.stride(),
		"fixed.itemBytes": p.itemSize(),
		"fixed.single":    fmt.Sprint(p.single()),
	}
}

func (p *pool) bump() map[string]string {
	return map[string]string{
		"bump.granule":  decimal(p.Granule()),
		"bump.marks":    fmt.Sprint(p.Concurrency == spec.Unlocked),
		"bump.stripped": fmt.Sprint(p.Shared()),
	}
}

func (p *pool) ring() map[string]string {
	arena := decimal(roundUp(p.ArenaSize, p.Granule()))
	if p.Item.Kind == spec.ItemNumber {
		arena = "1<<63 - 1" // a range of numbers is one arena
	}
	return map[string]string{"ring.granule": decimal(p.Granule()), "ring.arenaSize": arena}
}

func (p *pool) heap() map[string]string {
	fits := map[spec.Fit]string{spec.FitGood: "fitGood", spec.FitFirst: "fitFirst", spec.FitBest: "fitBest"}
	fit := fits[p.Fit]
	if fit == "" {
		fit = fits[spec.FitGood]
	}
	return map[string]string{
		"heap.granule":  decimal(p.Granule()),
		"heap.fit":      fit,
		"heap.minSplit": decimal(max(p.MinSplit, p.Granule())),
	}
}

// withBins gives the parameters of a suballocator with bins in front of a heap.
func (p *pool) withBins(name string) map[string]string {
	b := p.heap()
	b[name+".bins"] = list(p.Bins)
	return b
}

// list is an array of sizes.
func list(sizes []int64) string {
	each := make([]string, len(sizes))
	for i, n := range sizes {
		each[i] = decimal(n)
	}
	return "[...]uint64{" + strings.Join(each, ", ") + "}"
}

// largestSlabBin is the largest size that is worth a slab of several blocks for each processor.
const largestSlabBin = 64 << 10

// slabBins lists the bins of a shared pool that need no lock: none if the pool has to know at each free what it leaves behind, or bounds what is
// cached.
func (p *pool) slabBins() (small []int64) {
	switch {
	case !p.Shared(), p.Suballocator != spec.Binned && p.Suballocator != spec.Classes, p.Item.Kind == spec.ItemNumber,
		p.Trim != nil, p.Ordered(), p.Shareable, p.Paged(),
		p.Suballocator == spec.Classes && (p.Cache.PerBin < math.MaxUint32 || p.Cache.Bytes != spec.NoLimit):
		return nil
	}
	for _, n := range p.Bins {
		n = roundUp(n, p.Granule())
		if n <= largestSlabBin && (len(small) == 0 || n > small[len(small)-1]) {
			small = append(small, n)
		}
	}
	return small
}

func (p *pool) classes() map[string]string {
	b := p.withBins("classes")
	b["classes.cachePerBin"], b["classes.cacheBytes"] = "1<<32 - 1", "1<<64 - 1"
	if p.Cache.PerBin < math.MaxUint32 {
		b["classes.cachePerBin"] = decimal(p.Cache.PerBin)
	}
	if p.Cache.Bytes != spec.NoLimit {
		b["classes.cacheBytes"] = decimal(p.Cache.Bytes)
	}
	return b
}

// ours are the qualifiers that templates and parameters use for the standard library: an item's package of the same name is
// imported under another.
var ours = map[string]bool{"reflect": true, "time": true, "cuda": true, "unsafe": true, "runtime": true, "max": true, "nil": true, "uint64": true, "int64": true}

// itemExpr is the element type as the core file writes it.
func (p *pool) itemExpr() string {
	q := p.Item.Qualifier
	if !ours[q] {
		return p.ItemType()
	}
	return strings.Replace(p.ItemType(), q+".", "item"+q+".", 1)
}

// imports maps the qualifiers of the parameters to import paths.
func (p *pool) imports() map[string]string {
	m := map[string]string{"runtime": "github.com/poolgen/poolgen/runtime"}
	q := p.Item.Qualifier
	if q != "" {
		if ours[q] {
			q = "item" + q
		}
		m[q] = p.Item.Import
	}
	if p.Item.Kind == spec.ItemUser {
		m["reflect"] = "reflect"
	}
	if p.Allocator.NeedsDriver() {
		m["cuda"] = facade.CUDAPath
	}
	if waits(p.OnExhausted) && p.WaitTimeout > 0 || p.Trim != nil && p.Trim.Idle > 0 {
		m["time"] = "time"
	}
	return m
}
