package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// paged: the chunk is a reservation of addresses.
const paged = feature.Pages

// Reserve makes the addresses [base, base+size) one chunk without memory, which comes in pages of so many bytes.
//
//poolgen:if paged
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.Add(slot, base, size)
	c.space.Reserve(slot, page)
}

// Gap returns the place where a request needs least memory to come. Apart, none of it is there, and it does not lie right behind what is free.
//
//poolgen:if paged
func (c *Core) Gap(bytes, align uint64, apart bool) poolimpl.Extent {
	return c.space.Gap(bytes, align, apart)
}

// Holes lists what has no memory in a range of addresses, in their order.
//
//poolgen:if paged
func (c *Core) Holes(in poolimpl.Extent) []poolimpl.Extent { return c.space.Holes(in) }

// FreePages lists what whole pages are free, in the order of their addresses. What bins have in stock is not: Flush gives it back.
//
//poolgen:if paged
func (c *Core) FreePages() []poolimpl.Extent { return c.space.FreePages() }

// Fill makes a part of a hole, in whole pages, free memory.
//
//poolgen:if paged
func (c *Core) Fill(x poolimpl.Extent) { c.space.Fill(x) }

// Vacate makes parts of what Spare listed holes.
//
//poolgen:if paged
func (c *Core) Vacate(parts []poolimpl.Extent) { c.space.Vacate(parts) }
