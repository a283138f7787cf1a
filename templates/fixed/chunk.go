package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// chunk is the state of one chunk. As many of its blocks as the list has entries are carved, which means live or on the list; the others
// are fresh.
type chunk struct {
	list   List
	base   uint64
	blocks uint64
	//poolgen:if !single
	live uint64 // while the chunk is not the current one
}

// hasFresh reports whether there are blocks to carve.
func (ch *chunk) hasFresh() bool { return uint64(len(ch.list.next)) < ch.blocks }

// hasFreed reports whether the list has blocks.
func (ch *chunk) hasFreed() bool { return uint64(ch.list.head) < uint64(len(ch.list.next)) }

// refusal says why the block at off, which is not live, cannot be freed.
func (ch *chunk) refusal(off uint64) poolimpl.Verdict {
	if number(off) < ch.blocks {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}

// Refill puts blocks on the list of the current chunk, which is empty, and reports whether there are any. Freed blocks of
// another chunk go first: that chunk becomes the current one. Only where no chunk has any, fresh blocks are carved, n at
// most; the caller takes all of these at once, for they count as live in the peak from now on.
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
	ch := &c.current
	old := uint64(len(ch.list.next))
	n = min(n, ch.blocks-old)
	if n == 0 {
		return false
	}
	if old+n > uint64(cap(ch.list.next)) {
		ch.growList(old + n)
	}
	ch.list.next = ch.list.next[:old+n]
	fresh := ch.list.next[old:]
	for i := range fresh[1:] {
		fresh[i] = index(old) + index(i) + 1
	}
	fresh[n-1], ch.list.head = none, index(old)
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

// growList makes room for n entries in the side array. It doubles, so each entry is copied once on average, but never has more room than
// the chunk has blocks.
func (ch *chunk) growList(n uint64) {
	next := ch.list.next
	room := min(max(n, 2*uint64(len(next)), minEntries), ch.blocks)
	ch.list.next = append(make([]index, 0, room), next...)
}
