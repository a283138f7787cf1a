package bump

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns poolimpl.Freed for a range of bytes that lies within the blocks of a chunk, and poolimpl.Foreign for any other. Single blocks are not
// distinguished. Costs O(chunks).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	for _, slot := range c.row[:min(c.at+1, len(c.row))] {
		ch := &c.chunks[slot]
		from, used := addr-ch.base-c.startOf(ch), c.Used(slot)
		if from < used && bytes-1 < used-from {
			return poolimpl.Freed
		}
	}
	return poolimpl.Foreign
}
