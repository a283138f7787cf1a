package fixed

// While blocks of any chunk are replaced, each free is followed by an allocation, and the list at hand has one block or none. That block needs no chunk:
// no chunk drains, as each allocation takes the block freed just before. So the entries of all chunks are joined in one array, which leads
// the fast paths from an address to an entry as that of the only chunk would. The other lists, and the numbers of live blocks, stay as they were
// when the last free found the list empty: they count the block at hand as live, as if it had just been handed out again. Any other call parts the
// entries first: it finds the block at hand on the list of its chunk.
//
// The joint array takes the place of the arrays of the chunks. It needs chunks that lie close together, at distances that are multiples of the block size.

// lone has the bit that [none] lacks: with it, the fast path frees only while the list is empty.
const lone uint32 = 1

// joint is the array of the entries of all chunks.
type joint struct {
	next  []uint32 // by distance from the first chunk; nil if there is none. Chunks have their entries in parts of it.
	first *Chunk   // the chunk with the lowest address
	stale bool     // chunks were added later
	since uint     // number of frees without the fast path before one found a block on the list at hand, or before entries were last to be joined
	made  uint     // number of frees without the fast path before next was made
	last  *Chunk   // the current chunk when entries were joined
	proxy Chunk    // in place of the current chunk while entries are joined: the fast path finds two live blocks or, if there is one at hand, a last one
}

// Step implements [poolimpl.PlacedCore]: at multiples of it, entries can be joined.
func (c *Core) Step() uint64 { return c.params.BlockSize }

// join joins the entries if blocks have been replaced one by one for some time. It is called after a free without the fast path. It looks at the chunks
// at most once in as many frees.
//
//go:noinline
func (c *Core) join() {
	if c.far-c.joint.since < max(period, uint(len(c.chunks))) {
		return
	}
	c.joint.since = c.far
	if !c.connect() || c.params.Trims && c.anyLast() {
		return
	}
	ch, from := c.Current, c.joint.first
	if c.params.Trims {
		c.joint.last, c.joint.proxy.Live = ch, 2
		c.Current = &c.joint.proxy
	}
	ch.Live++ // the block at hand
	c.others++
	c.Returned++
	c.List = List{Head: c.List.Head + c.joint.entry(ch, c), Next: c.joint.next}
	c.Slot, c.Base, c.Near, c.Accepts = from.slot, from.base, c.joint.next, lone
}

// anyLast reports whether any chunk would be empty without one block.
func (c *Core) anyLast() bool {
	for _, ch := range c.chunks {
		if ch != nil && ch != c.Current && ch.Live == 1 {
			return true
		}
	}
	return c.Current.Live == 0 // next to the block at hand
}

// entry returns the first entry of a chunk.
func (j *joint) entry(ch *Chunk, c *Core) uint32 { return uint32(c.number(ch.base - j.first.base)) }

// part parts the entries if they are joined. It is inlined.
func (c *Core) part() {
	if c.Accepts == lone {
		c.partList()
	}
}

// partList makes the chunk of the block at hand the current one. Without such a block, that of the last time before entries were joined still is.
//
//go:noinline
func (c *Core) partList() {
	head := none
	if c.params.Trims {
		c.Current = c.joint.last
	}
	if c.List.hasFreed() {
		c.Current = c.chunkAt(c.Base + uint64(c.List.Head)*c.params.BlockSize)
		head = c.List.Head - c.joint.entry(c.Current, c)
	}
	ch := c.Current
	c.Slot, c.start, c.List = ch.slot, ch.base, List{Head: head, Next: ch.list.Next}
	c.tryFast()
}

// connect moves the entries of all chunks to a joint array if most of it has entries of blocks that were carved, and reports whether there is such an array.
// On average that costs a few instructions a free.
func (c *Core) connect() bool {
	j := &c.joint
	if j.next != nil && !j.stale {
		return true
	}
	first, n, carved := c.measure()
	if n > 2*carved || n > uint64(pending) || n/16 > uint64(c.far-j.made) {
		return false
	}
	*j = joint{next: make([]uint32, n), first: first, since: c.far, made: c.far}
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 {
			next := j.next[j.entry(ch, c):]
			ch.list.Next = next[:copy(next, ch.list.Next):ch.blocks]
		}
	}
	c.List.Next = c.Current.list.Next
	c.tryFast() // which still has the entries from before, if they are not joined after all
	return true
}

// measure returns the chunk with the lowest address, the number of entries that a joint array would have, and the number of blocks that were carved.
// The first number is too large for an array if distances of chunks are not multiples of the block size.
func (c *Core) measure() (first *Chunk, n, carved uint64) {
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 && (first == nil || ch.base < first.base) {
			first = ch
		}
	}
	for _, ch := range c.chunks {
		if ch != nil && ch.blocks > 0 {
			carved += uint64(len(ch.list.Next))
			n = max(n, min(c.number(ch.base-first.base), uint64(pending))+ch.blocks)
		}
	}
	return first, n, carved
}

// separate gives each chunk an array of its own again, as a part of a joint array would keep all of it in memory.
func (c *Core) separate() {
	if c.joint.next == nil {
		return
	}
	for _, ch := range c.chunks {
		if ch != nil {
			ch.list.Next = append([]uint32(nil), ch.list.Next...)
		}
	}
	c.joint.next, c.joint.first = nil, nil
	c.List.Next = c.Current.list.Next
	c.tryFast()
}
