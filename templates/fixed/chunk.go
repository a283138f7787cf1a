package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// chunk is the state of one chunk. Blocks with an entry in the list are carved; the others are fresh: they were never used.
type chunk struct {
	list   List // free blocks, except those of [Core.list]
	base   uint64
	blocks uint64
	live   uint64 // number of live blocks; in the current chunk, allocated-freed is added
	//poolgen:if !single
	slot uint32
}

// number returns the slot of the chunk.
func (ch *chunk) number() uint32 {
	if single {
		return 0
	} else {
		return ch.slot
	}
}

// hasFresh reports whether there are blocks to carve.
func (ch *chunk) hasFresh() bool { return uint64(len(ch.list.next)) < ch.blocks }

// refusal returns the verdict on a free of the block at off, which is not live.
func (ch *chunk) refusal(off uint64) poolimpl.Verdict {
	if number(off) < ch.blocks {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}

// Refill looks for blocks when the list of the current chunk is empty, and reports whether the list has blocks afterwards. Unless [single],
// a chunk with freed blocks becomes the current one. Where no chunk has freed blocks, Refill carves up to n fresh ones; the caller must
// take all of them, as they count in the peak.
func (c *Core) Refill(n uint64) bool {
	if paced {
		if c.admit(n) {
			return true
		}
	}
	if !single {
		if c.nextChunk() {
			if paced {
				c.withholdAll()
				c.admit(n)
			}
			return true
		}
	}
	ch := c.state()
	old := uint64(len(ch.list.next))
	n = min(n, ch.blocks-old)
	if n == 0 {
		return false
	}
	if old+n > uint64(cap(ch.list.next)) {
		ch.growList(old + n)
	}
	ch.list.next = ch.list.next[:old+n]
	c.list.next = ch.list.next
	c.tryFast()
	if feature.Handles {
		c.list.gens = c.ages(uint64(cap(ch.list.next)))
	}
	fresh := ch.list.next[old:]
	for i := range fresh[1:] {
		fresh[i] = index(old) + index(i) + 1
	}
	fresh[n-1], c.list.head = none, index(old)
	if !single {
		if !ch.hasFresh() {
			c.fresh = c.fresh[:len(c.fresh)-1]
		}
	}
	if feature.Counters {
		c.peak = max(c.peak, c.live()+n)
	}
	return true
}

// growList makes room for n entries in the list. The room at least doubles, up to the blocks of the chunk.
func (ch *chunk) growList(n uint64) {
	next := ch.list.next
	room := min(max(n, 2*uint64(len(next)), 64), ch.blocks)
	ch.list.next = append(make([]index, 0, room), next...)
}
