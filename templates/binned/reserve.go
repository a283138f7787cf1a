package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// paged: chunks are ranges of reserved addresses, see [Core.Reserve].
const paged = feature.Pages

// Reserve makes the addresses [base, base+size) a chunk. Memory comes and goes by pages of so many bytes, the same in all chunks; at first
// there is none.
//
//poolgen:if paged
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.Add(slot, base, size)
	c.space.Reserve(slot, page)
}

// Gap returns the place where memory should come for a request, by a rule.
//
//poolgen:if paged
func (c *Core) Gap(bytes, align uint64, by poolimpl.GapRule) poolimpl.Extent {
	return c.space.Gap(bytes, align, by)
}

// Holes lists the parts of a range of addresses that have no memory, in order.
//
//poolgen:if paged
func (c *Core) Holes(in poolimpl.Extent) []poolimpl.Extent { return c.space.Holes(in) }

// FreePages lists the whole pages that are free, in the order of their addresses. What the bins keep is not free: Flush gives it back.
//
//poolgen:if paged
func (c *Core) FreePages() []poolimpl.Extent { return c.space.FreePages() }

// Fill makes a part of a hole, in whole pages, free memory.
//
//poolgen:if paged
func (c *Core) Fill(x poolimpl.Extent) { c.space.Fill(x) }

// Vacate makes holes of parts of what [Core.FreePages] listed.
//
//poolgen:if paged
func (c *Core) Vacate(parts []poolimpl.Extent) { c.space.Vacate(parts) }

// Bar keeps memory away from a part of a hole, in whole pages, until Unbar.
//
//poolgen:if paged && feature.Streams
func (c *Core) Bar(x poolimpl.Extent) { c.space.Bar(x) }

// Unbar ends [Core.Bar] for the same part.
//
//poolgen:if paged && feature.Streams
func (c *Core) Unbar(x poolimpl.Extent) { c.space.Unbar(x) }
