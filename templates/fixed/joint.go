package fixed

import "github.com/poolgen/poolgen/templates/feature"

const _ = joins // the condition of the declarations below

// While blocks of any chunk are replaced, each free is followed by an allocation, and the list at hand has one block or none. That block needs no chunk:
// no chunk drains meanwhile, as each allocation takes the block freed just before. So the entries of all chunks are joined in one array, which leads
// FreeFast and AllocFast from an address to an entry as that of the only chunk would. The other lists, and the numbers of live blocks, stay as they were
// when the last free found the list empty: they count the block at hand as live, as if it had just been handed out again. Any other call parts the
// entries first: it finds the block at hand on the list of its chunk.
//
// The joint array takes the place of the arrays of the chunks. It needs chunks that lie close together, at distances that are multiples of blockSize.

// lone has the bit that [none] lacks: with it, FreeFast needs an empty list.
const lone index = 1

// joint is the array of the entries of all chunks.
//
//poolgen:if joins
type joint struct {
	next  []index // by distance from the first chunk; nil if there is none. Chunks have their entries in parts of it.
	first *chunk  // the chunk with the lowest address
	stale bool    // chunks were added later
	since uint    // number of frees without FreeFast before one found a block on the list at hand, or before entries were last to be joined
	made  uint    // number of frees without FreeFast before next was made
	//poolgen:if feature.Trims
	last *chunk // the current chunk when entries were joined
	//poolgen:if feature.Trims
	proxy chunk // in place of the current chunk while entries are joined: FreeFast finds two live blocks or, if there is one at hand, a last one
}

// Step returns at which distances chunks should lie: at multiples of it, entries can be joined.
//
//poolgen:if joins
func (c *Core) Step() uint64 { return blockSize }

// join joins the entries if blocks have been replaced one by one for some time. It is called after a free by [Core.freeAnywhere]. It looks at the chunks at most
// once in as many frees.
//
//go:noinline
//poolgen:if joins
func (c *Core) join() {
	if c.far-c.joint.since < max(period, uint(len(c.chunks))) {
		return
	}
	c.joint.since = c.far
	if !c.connect() {
		return
	}
	if feature.Trims {
		if c.anyLast() {
			return
		}
	}
	ch, from := c.current, c.joint.first
	if feature.Trims {
		c.joint.last, c.joint.proxy.live = ch, 2
		c.current = &c.joint.proxy
	}
	ch.live++ // the block at hand
	c.others++
	c.freed++
	c.list = List{head: c.list.head + c.joint.entry(ch), next: c.joint.next}
	c.slot, c.base, c.near, c.accepts = from.slot, from.base, c.joint.next, lone
}

// anyLast reports whether any chunk would be empty without one block.
//
//poolgen:if joins && feature.Trims
func (c *Core) anyLast() bool {
	for _, ch := range c.chunks {
		if ch != nil && ch != c.current && ch.live == 1 {
			return true
		}
	}
	return c.current.live == 0 // beside the block at hand
}

// entry returns the first entry of a chunk.
//
//poolgen:if joins
func (j *joint) entry(ch *chunk) index { return index((ch.base - j.first.base) / blockSize) }

// part parts the entries if they are joined. It is inlined.
//
//poolgen:if joins
func (c *Core) part() {
	if c.accepts == lone {
		c.partList()
	}
}

// partList makes the chunk of the block at hand the current one. Without such a block, that of the last time before entries were joined still is.
//
//go:noinline
//poolgen:if joins
func (c *Core) partList() {
	head := none
	if feature.Trims {
		c.current = c.joint.last
	}
	if c.list.hasFreed() {
		c.current = c.chunkOf(c.base + uint64(c.list.head)*blockSize)
		head = c.list.head - c.joint.entry(c.current)
	}
	ch := c.current
	c.slot, c.start, c.list = ch.slot, ch.base, List{head: head, next: ch.list.next}
	c.tryFast()
}

// connect moves the entries of all chunks to a joint array if most of it has entries of blocks that were carved, and reports whether there is such an array.
// On average that costs a few instructions a free.
//
//poolgen:if joins
func (c *Core) connect() bool {
	j := &c.joint
	if j.next != nil && !j.stale {
		return true
	}
	first, n, carved := c.measure()
	if n > 2*carved || n > uint64(pending) || n/16 > uint64(c.far-j.made) {
		return false
	}
	*j = joint{next: make([]index, n), first: first, since: c.far, made: c.far}
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 {
			next := j.next[j.entry(ch):]
			ch.list.next = next[:copy(next, ch.list.next):ch.blocks]
		}
	}
	c.list.next = c.current.list.next
	c.tryFast() // which still has the entries from before, if they are not joined after all
	return true
}

// measure returns the chunk with the lowest address, the number of entries that a joint array would have, and the number of blocks that were carved.
// The first number is too large for an array if distances of chunks are not multiples of blockSize.
//
//poolgen:if joins
func (c *Core) measure() (first *chunk, n, carved uint64) {
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 && (first == nil || ch.base < first.base) {
			first = ch
		}
	}
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 {
			carved += uint64(len(ch.list.next))
			n = max(n, min(number(ch.base-first.base), uint64(pending))+ch.blocks)
		}
	}
	return first, n, carved
}

// separate gives each chunk an array of its own again, as a part of a joint array would keep all of it in memory.
//
//poolgen:if joins
func (c *Core) separate() {
	if c.joint.next == nil {
		return
	}
	for _, ch := range c.chunks {
		if ch != nil {
			ch.list.next = append([]index(nil), ch.list.next...)
		}
	}
	c.joint.next, c.joint.first = nil, nil
	c.list.next = c.current.list.next
	c.tryFast()
}
