package fixed

import "github.com/poolgen/poolgen/templates/feature"

// Lend returns the list of the current chunk to a caller that takes or gives many blocks at once. It must come back, by
// [Core.Took] or [Core.Gave], before anything else happens.
func (c *Core) Lend() (slot uint32, base uint64, list List) {
	if !single {
		slot = c.slot
	}
	return slot, c.now.base, c.now.list
}

// Took puts the list back after n blocks were taken off it.
func (c *Core) Took(rest List, n uint64) {
	c.now.list.head = rest.head
	c.taken += n
}

// Spare returns how many of n blocks may be put on the list: one that may empty the chunk needs [Core.Free].
func (c *Core) Spare(n int) int {
	if feature.Trims {
		n = int(min(uint64(n), c.taken-c.gone-1))
	}
	return n
}

// Gave puts the list back after n blocks were put on it.
func (c *Core) Gave(longer List, n uint64) {
	c.now.list.head = longer.head
	c.gone += n
}
