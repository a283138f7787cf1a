package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sharded // the condition of the declarations below

// The shell is written with this template, and so are those parts of the shell that only suballocators for several callers at a time are linked with. What
// these parts call is here. No pool has it.

// Run is a group of blocks that are handed out, or freed, together: one at most.
type Run struct {
	addr, off uint64
	some      bool
}

// Alloc hands out a block.
//
//poolgen:if feature.Sharded
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	return c.Common().Alloc(bytes, align)
}

// AllocOn is Alloc for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

// AllocRun hands out a run of one block, or of none.
//
//poolgen:if feature.Sharded
func (c *Core) AllocRun(_ uint64) (slot uint32, r Run) {
	slot, r.off, r.some = c.Alloc(itemBytes, 1)
	return slot, r
}

// AllocRunOn is AllocRun for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocRunOn(_, n uint64) (slot uint32, r Run) { return c.AllocRun(n) }

// Next returns the offset of the first block of a run in its chunk, and the rest of the run. It reports false if the run is empty.
//
//poolgen:if feature.Sharded
func (r Run) Next() (rest Run, off uint64, ok bool) { return Run{}, r.off, r.some }

// Gather begins a run of blocks to be freed. The first block starts at addr; it has to be joined like the others.
//
//poolgen:if feature.Sharded
func (c *Core) Gather(addr uint64) Run { return Run{addr: addr} }

// Join adds the block that starts at addr to a run, if it belongs to the same run.
//
//poolgen:if feature.Sharded
func (r Run) Join(addr uint64) (longer Run, ok bool) {
	return Run{addr: r.addr, some: true}, !r.some && addr == r.addr
}

// Free frees a block.
//
//poolgen:if feature.Sharded
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	return c.Common().Free(addr, bytes)
}

// FreeRun frees the block of a run.
//
//poolgen:if feature.Sharded
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) { return c.Free(r.addr, itemBytes) }

// Defer makes a live block pending.
//
//poolgen:if feature.Sharded && feature.Streams
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict { return c.Common().Defer(addr, bytes) }

// Reuse makes a pending block live again.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	return c.Common().Reuse(addr, bytes)
}
