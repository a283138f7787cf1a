package facade

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/spec"
)

// RuntimePath is the import path of what generated code needs at run time.
const RuntimePath = "github.com/poolgen/poolgen/runtime"

// Pool is a resolved pool together with the names of its output.
type Pool struct {
	*spec.Pool
	Package     string // package clause of the output
	Prefix      string // of its unexported declarations: "vertex"
	Core        string // type of its suballocator: "fixed24Core"
	StrideConst string // constant with the distance of its blocks, of a pool that hands out one block a call: "fixed24CoreBlockSize"
	CoreMark    string // type of the suballocator's marks, if it has any: "bumpMarksCoreMark"
	Source      string // base name of the pool file
	Spilled     bool   // the ladder of another pool names this one
	BudgetLimit int64  // of its budget; 0: none
}

// CUDAPath is the import path of what generated code needs for memory that the driver supplies.
const CUDAPath = "github.com/poolgen/poolgen/cuda"

// OnDevice reports whether Go code cannot address the pool's memory.
func (p *Pool) OnDevice() bool { return p.Allocator.Memory() == spec.DeviceSpans }

// Tiled reports whether the pool hands out tiles for sparse textures.
func (p *Pool) Tiled() bool { return p.Allocator.Memory() == spec.TileMemory }

// FromDriverPool reports whether chunks come from a memory pool of the driver.
func (p *Pool) FromDriverPool() bool {
	return p.Allocator == spec.DeviceAsync || p.Allocator == spec.DevicePool
}

// Ordered reports whether blocks can be freed on streams.
func (p *Pool) Ordered() bool { return p.Streams() && p.frees() }

// AllocsOn reports whether they can be allocated on streams.
func (p *Pool) AllocsOn() bool { return p.Ordered() && p.Ordering == spec.Stream }

// numbers reports whether the pool hands out numbered resources.
func (p *Pool) numbers() bool { return p.Item.Kind == spec.ItemNumber }

// frees reports whether blocks are freed one by one.
func (p *Pool) frees() bool { return p.Suballocator != spec.Bump }

// marks reports whether blocks can be freed back to a mark.
func (p *Pool) marks() bool {
	return p.Suballocator == spec.Bump && p.Concurrency == spec.Unlocked
}

// resets reports whether all blocks can be freed at once.
func (p *Pool) resets() bool {
	return p.Suballocator == spec.Bump || p.Suballocator == spec.Ring
}

// named reports whether the pool declares an array type for its blocks, for want of an item.
func (p *Pool) named() bool { return p.Item.Kind == spec.ItemBytes && p.ItemForm() && !p.Tiled() }

// ItemType is the element type as the output writes it.
func (p *Pool) ItemType() string {
	if p.named() {
		return p.Name + "Block"
	}
	return p.Item.Type
}

// item is the element type as jennifer writes it, importing its package.
func (p *Pool) item() *jen.Statement {
	t := p.ItemType()
	if p.Item.Qualifier == "" {
		return jen.Id(t)
	}
	at := strings.Index(t, p.Item.Qualifier+".")
	return jen.Id(t[:at]).Qual(p.Item.Import, t[at+len(p.Item.Qualifier)+1:])
}

// Sized reports whether the size of an item is the same wherever the output is compiled.
func (p *Pool) Sized() bool {
	element := p.element()
	return p.Item.Size >= 0 && element != "int" && element != "uint" && element != "uintptr"
}

// element is the item type, or that of its elements if it is an array.
func (p *Pool) element() string { return p.Item.Type[strings.LastIndexByte(p.Item.Type, ']')+1:] }

// block is the type of what one allocation returns.
func (p *Pool) block() *jen.Statement {
	switch {
	case p.numbers() && p.ItemForm():
		return jen.Id(p.Name + "ID")
	case p.numbers():
		return jen.Id(p.Name + "IDs")
	case p.Tiled():
		return jen.Id(p.Name + "Tiles")
	case p.OnDevice() && p.ItemForm():
		return jen.Id(p.Name + "Ptr")
	case p.OnDevice():
		return jen.Id(p.Name + "Span")
	case p.ItemForm():
		return jen.Op("*").Add(p.item())
	default:
		return jen.Index().Add(p.item())
	}
}

// typeName is the name of the pool's type.
func (p *Pool) typeName() string { return p.Name + "Pool" }

// EachDevice reports whether the pool stands for one pool per device.
func (p *Pool) EachDevice() bool { return p.Device.Kind == spec.EachDevice }

// ShellName is the name of the type that hands out blocks: the pool's, or that of the pool of one device.
func (p *Pool) ShellName() string {
	if p.EachDevice() {
		return p.Prefix + "One"
	}
	return p.typeName()
}

// defaultVar is the name of the package's pool.
func (p *Pool) defaultVar() string { return p.Prefix + "Default" }
