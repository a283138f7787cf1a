package compile

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

const templatesPath = templates.Path + "/"

// shell says which templates make up the pool itself, over a suballocator that was specialised before.
func (p *pool) shell(core *specialize.Result) specialize.Instance {
	shell, defaultCore := "span", "heap"
	if p.ItemForm() {
		shell, defaultCore = "item", "fixed"
	}
	inst := specialize.Instance{
		Root:    templatesPath + shell,
		Replace: map[string]string{},
		Given:   map[string]*specialize.Result{templatesPath + defaultCore: core},
		Prefix:  p.Prefix,
		Types:   map[string]string{},
		Imports: p.imports(),
		Names: map[string]string{
			shell + ".Pool": p.ShellName(),
			shell + ".Ref":  p.Name + "Ref",
		},
		Bind: map[string]string{
			shell + ".spilled": fmt.Sprint(p.Spilled),
			shell + ".config":  p.config(),
		},
	}
	for _, f := range p.features() {
		inst.Bind[f.name] = f.value
	}
	if shell == "span" {
		inst.Bind["span.frees"] = fmt.Sprint(p.Suballocator != spec.Bump)
		inst.Bind["span.granule"] = decimal(max(p.Alignment, 16))
	}
	p.bindMemory(&inst)
	return inst
}

// features are the parameters that shells and suballocators share.
func (p *pool) features() []param {
	return []param{
		flag("feature.Locked", p.Concurrency != spec.Unlocked, "", "Unlocked"),
		flag("feature.Sharded", p.Shared(), "", ""),
		flag("feature.Magazines", p.Magazine > 0, "", ""),
		flag("feature.Counters", p.Stats == spec.StatsCounters, "", "Uncounted"),
		flag("feature.Trims", p.TrimsOnFree(), "Trimmed", ""),
		flag("feature.ZeroAlways", p.Zero == spec.ZeroAlways && !p.OnDevice(), "", ""),
		flag("feature.ZeroDevice", p.Zero == spec.ZeroAlways && p.OnDevice(), "", ""),
		flag("feature.Streams", p.Ordered(), "Streamed", ""),
		flag("feature.AllocsOn", p.AllocsOn(), "", ""),
		flag("feature.Shareable", p.Shareable, "Shareable", ""),
		flag("feature.Pages", p.Paged(), "Paged", ""),
	}
}

// bindMemory chooses what a block is to the user.
func (p *pool) bindMemory(inst *specialize.Instance) {
	switch {
	case p.OnDevice():
		inst.Replace[templatesPath+"hostmem"] = templatesPath + "devmem"
		inst.Types["devmem.Item"] = p.itemExpr()
		inst.Bind["devmem.Apart"] = "runtime.Spread"
		if p.Paged() || p.Shareable {
			inst.Bind["devmem.Apart"] = "1"
		}
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
