package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Batches hand out and take back blocks by runs where they take no lock. A run is one block: several callers at a time are not for this suballocator.

const _ = feature.Sharded // the condition of what stands here

// Run is some blocks that are handed out, or taken back, together.
type Run struct {
	addr, off uint64
	some      bool
}

// AllocRun hands out up to n blocks; none if no block is free.
//
//poolgen:if feature.Sharded
func (c *Core) AllocRun(_ uint64) (slot uint32, r Run) {
	slot, r.off, r.some = c.Alloc(itemBytes, 1)
	return slot, r
}

// Next returns one block of a run, its place in the chunk, and the rest of the run. It fails when there is none left.
//
//poolgen:if feature.Sharded
func (r Run) Next() (rest Run, off uint64, ok bool) { return Run{}, r.off, r.some }

// Gather begins a run of blocks to be freed, the first of which starts at addr.
//
//poolgen:if feature.Sharded
func (c *Core) Gather(addr uint64) Run { return Run{addr: addr} }

// Join adds the block that starts at addr to a run, if it can.
//
//poolgen:if feature.Sharded
func (r Run) Join(addr uint64) (longer Run, ok bool) {
	return Run{addr: r.addr, some: true}, !r.some && addr == r.addr
}

// FreeRun takes all blocks of a run back, or, if one of them is not live, none.
//
//poolgen:if feature.Sharded
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) { return c.Free(r.addr, itemBytes) }
