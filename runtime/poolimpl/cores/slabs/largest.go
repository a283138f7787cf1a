package slabs

import (
	"cmp"
	"slices"
)

// largest returns the bytes of the largest free range that there would be if all slabs with a free block were dissolved. c.mu is held.
func (c *Core) largest() (most uint64) {
	all := c.allPartial()
	slices.SortFunc(all, func(a, b *slab) int { return cmp.Compare(a.addr, b.addr) })
	var run, end uint64 // free bytes in front of end
	var slot uint32
	for _, s := range all {
		before, room, behind := c.back.Around(s.addr)
		if s.slot != slot || s.addr != end {
			run = before
		}
		for i := range uint64(s.blocks) {
			if !s.block(i).isTaken() {
				run += uint64(s.size)
				continue
			}
			most = max(most, run)
			run = 0
		}
		run += room - s.room + behind
		most = max(most, run)
		slot, end = s.slot, s.addr+room+behind
	}
	return most
}
