package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sharded // the condition of the declarations below

// Run is a group of blocks that are handed out, or freed, together, where a batch takes no lock. It is one block at most: this suballocator
// is not for several callers at a time.
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

// AllocRunOn is AllocRun for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocRunOn(_, n uint64) (slot uint32, r Run) { return c.AllocRun(n) }

// AllocOn is Alloc for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

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

// FreeRun frees all blocks of a run, or none if one of them is not live.
//
//poolgen:if feature.Sharded
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) { return c.Free(r.addr, itemBytes) }
