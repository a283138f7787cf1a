package fixed

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sharded // the condition of the declarations below

// The shell is written with this template, and so are those parts of the shell that only suballocators for several callers at a time are linked with. What
// these parts call is here. No pool has it. A run has one block at most: its address, or its offset, is the word of the run.

// AllocOn is Alloc for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) {
	return c.Common().Alloc(bytes, 1)
}

// AllocRun hands out a run of one block, or of none.
//
//poolgen:if feature.Sharded
func (c *Core) AllocRun(_ uint64) (slot uint32, r strict.Run) {
	slot, off, ok := c.Common().Alloc(itemBytes, 1)
	if ok {
		r = strict.Run{Word: off, Some: 1}
	}
	return slot, r
}

// AllocRunOn is AllocRun for a stream.
//
//poolgen:if feature.Sharded && feature.AllocsOn
func (c *Core) AllocRunOn(_, n uint64) (slot uint32, r strict.Run) { return c.AllocRun(n) }

// Next returns the offset of the first block of a run in its chunk, and the rest of the run. It reports false if the run is empty.
//
//poolgen:if feature.Sharded
func (c *Core) Next(r strict.Run) (rest strict.Run, off uint64, ok bool) {
	return strict.Run{}, r.Word, r.Some != 0
}

// Gather begins a run of blocks to be freed. The first block starts at addr; it has to be joined like the others.
//
//poolgen:if feature.Sharded
func (c *Core) Gather(addr uint64) strict.Run { return strict.Run{Word: addr} }

// Join adds the block that starts at addr to a run, if it belongs to the same run.
//
//poolgen:if feature.Sharded
func (c *Core) Join(r strict.Run, addr uint64) (longer strict.Run, ok bool) {
	return strict.Run{Word: r.Word, Some: 1}, r.Some == 0 && addr == r.Word
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
func (c *Core) FreeRun(r strict.Run) (slot uint32, v poolimpl.Verdict) {
	return c.Free(r.Word, itemBytes)
}

// IsOwning reports that no processor owns a word.
//
//poolgen:if feature.Owns
func (c *Core) IsOwning() bool { return false }

// Own returns no word.
//
//poolgen:if feature.Owns
func (c *Core) Own(_ uint32) (m *strict.Magazine, word *atomic.Uint64) { return nil, nil }

// AllocOwn finds no block.
//
//poolgen:if feature.Owns
func (c *Core) AllocOwn(_ *strict.Magazine, _ *atomic.Uint64) (slot uint32, off uint64, ok bool) {
	return 0, 0, false
}

// FreeOwn frees no block.
//
//poolgen:if feature.Owns
func (c *Core) FreeOwn(_ *strict.Magazine, _ *atomic.Uint64, _ uint64) (ok bool) { return false }

// AllocShared is AllocFast.
//
//poolgen:if feature.Owns
func (c *Core) AllocShared(_ uint32) (slot uint32, off uint64, ok bool) { return c.AllocFast() }
