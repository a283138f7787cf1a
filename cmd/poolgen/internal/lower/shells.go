package lower

import (
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Import paths of what generated code needs at run time: always, and for memory that the driver supplies.
const (
	RuntimePath = "github.com/poolgen/poolgen/runtime" // package poolrt: what programs use
	ImplPath    = RuntimePath + "/poolimpl"            // what only generated code calls
	CUDAPath    = "github.com/poolgen/poolgen/cuda"
)

// shell returns the template of the shell, the templates linked into it, and the template that the suballocator replaces.
func (p *Pool) shell() (inst specialize.Instance, over string) {
	shell, core := "span", "heap"
	if p.Spec.ItemForm() {
		shell, core = "item", "fixed"
	}
	inst = p.instance(shell)
	inst.Prefix = p.Names.Prefix
	inst.Names[shell+".Pool"] = p.Names.Shell
	inst.Names[shell+".Ref"] = p.Names.Ref
	if p.Can.Handle {
		inst.Names[shell+".Handle"] = p.Names.Handle
	}
	p.nameBlocks(&inst)
	return inst, template(core)
}

// memories are the templates for the forms of blocks, and the types of blocks in item form and for n items.
var memories = map[spec.Memory]struct{ template, one, many string }{
	spec.HostMemory:   {"hostmem", "", ""},
	spec.DeviceSpans:  {"devmem", "Ptr", "Span"},
	spec.TileMemory:   {"tilemem", "Tiles", "Tiles"},
	spec.NumberMemory: {"numbers", "ID", "IDs"},
}

// nameBlocks links the template for the form of blocks.
func (p *Pool) nameBlocks(inst *specialize.Instance) {
	m := memories[p.Spec.Allocator.Memory()]
	if m.one == "" {
		return // shells are written with it
	}
	inst.Replace[template("hostmem")] = template(m.template)
	inst.Names[m.template+"."+m.one] = p.Names.One
	inst.Names[m.template+"."+m.many] = p.Names.Many
	if p.Names.SpanAt == p.Names.Prefix+"SpanAt" { // a pool that is not exported: its API may have this name
		inst.Names[m.template+".SpanAt"] = p.Names.Prefix + "SpanIn"
	}
}
