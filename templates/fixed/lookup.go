package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // the condition of the declarations below

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs what a free does.
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
