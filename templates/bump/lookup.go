package bump

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // the condition of what stands here

// Lookup gives the verdict of a free of the block, and leaves the block as it is. There
// is none for one block: whatever lies within what was handed out of a chunk counts as a block. Costs O(chunks).
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	for _, slot := range c.row[:min(c.at+1, len(c.row))] {
		ch := &c.chunks[slot]
		from, used := addr-ch.base-ch.start(), c.Used(slot)
		if from < used && bytes-1 < used-from {
			return poolimpl.Freed
		}
	}
	return poolimpl.Foreign
}
