package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable || feature.Streams // the conditions of the declarations below

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs what a free does.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	ch := c.chunkAt(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	off := addr - ch.base
	if i := number(off); i < uint64(len(ch.list.next)) && ch.list.next[i] == used {
		return poolimpl.Freed
	}
	return ch.refusal(off)
}

// chunkAt returns the only chunk that can contain an address, nil if there is none.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) chunkAt(addr uint64) *chunk {
	if single {
		return c.current
	} else {
		return c.chunkOf(addr)
	}
}
