package ring

import "github.com/poolgen/poolgen/runtime/poolimpl"

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs a search of the index at most.
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	a, n, ok := c.locate(addr)
	if !ok {
		return 0, 0, 0, false
	}
	b := a.at(n)
	return a.slot, b.off, b.bytes, b.classify(b.bytes) == poolimpl.Freed
}

// Resize reports false: a block of a ring keeps its length.
func (c *Core) Resize(_, _, _ uint64) bool { return false }
