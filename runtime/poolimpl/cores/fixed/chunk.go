package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Chunk is the state of one chunk. Blocks with an entry in the list are carved; the others are fresh: they were never used.
type Chunk struct {
	Live   uint64 // number of live blocks; in the current chunk, Handed-Returned is added
	list   List   // free blocks, except those of [Core.List]
	base   uint64
	blocks uint64
	slot   uint32
}

// hasFresh reports whether there are blocks to carve.
func (ch *Chunk) hasFresh() bool { return uint64(len(ch.list.Next)) < ch.blocks }

// refusal returns the verdict on a free of the block with a number, which is not live.
func (ch *Chunk) refusal(number uint64) poolimpl.Verdict {
	if number < ch.blocks {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}

// Refill looks for blocks when the list of the current chunk is empty, and reports whether the list has blocks afterwards. A chunk with freed blocks
// becomes the current one. Where no chunk has freed blocks, Refill carves up to n fresh ones; the caller must take all of them, as they count in the
// peak.
func (c *Core) Refill(n uint64) bool {
	if c.paced() && c.admit(n) {
		return true
	}
	if c.nextChunk() {
		if c.paced() {
			c.withholdAll()
			c.admit(n)
		}
		return true
	}
	ch := c.state()
	old := uint64(len(ch.list.Next))
	n = min(n, ch.blocks-old)
	if n == 0 {
		return false
	}
	if old+n > uint64(cap(ch.list.Next)) {
		ch.growList(old + n)
	}
	ch.list.Next = ch.list.Next[:old+n]
	c.List.Next = ch.list.Next
	c.tryFast()
	if c.params.Handles {
		c.Gens = c.ages(uint64(cap(ch.list.Next)))
	}
	fresh := ch.list.Next[old:]
	for i := range fresh[1:] {
		fresh[i] = uint32(old) + uint32(i) + 1
	}
	fresh[n-1], c.List.Head = none, uint32(old)
	if !ch.hasFresh() {
		c.fresh = c.fresh[:len(c.fresh)-1]
	}
	if c.params.Counters {
		c.peak = max(c.peak, c.live()+n)
	}
	return true
}

// growList makes room for n entries in the list. The room at least doubles, up to the blocks of the chunk.
func (ch *Chunk) growList(n uint64) {
	next := ch.list.Next
	room := min(max(n, 2*uint64(len(next)), 64), ch.blocks)
	ch.list.Next = append(make([]uint32, 0, room), next...)
}
