package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // the condition of what stands here

// Lookup gives the verdict of a free of the block, and leaves the block as it is. Costs what a free does.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	_, ch, off := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	if i := number(off); i < uint64(len(ch.list.next)) && ch.list.next[i] == used {
		return poolimpl.Freed
	}
	return ch.refusal(off)
}
