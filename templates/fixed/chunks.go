package fixed

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// chunk is the state of a chunk while it is not the current one.
//
//poolgen:if !single
type chunk struct {
	base   uint64
	blocks uint64
	live   uint64
	next   []index
	head   index
	place  uint32 // 1 + index in Core.partly; 0: not there, as the chunk is full
}

// Add makes a chunk available. It may hold MaxBlocks blocks at most: growth and the tracking of numbers
// refuse larger ones, as blocks beyond that would be lost in silence. A chunk smaller than a block is of no use, and does no harm.
func (c *Core) Add(slot uint32, base, size uint64) {
	blocks := size / blockSize
	if blocks > MaxBlocks {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	if single {
		c.head, c.base, c.blocks = none, base, blocks
		c.extend()
	} else {
		c.enter(slot, chunk{base: base, blocks: blocks, head: none}, size)
	}
}

// enter files a fresh chunk under slot, and turns to it when the current one is used up.
//
//poolgen:if !single
func (c *Core) enter(slot uint32, ch chunk, size uint64) {
	c.where.Add(slot, ch.base, size)
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = ch
	if ch.blocks == 0 {
		return
	}
	c.push(slot)
	if uint64(c.head) >= uint64(len(c.next)) {
		c.refill()
	}
}

// Remove takes an empty chunk away.
func (c *Core) Remove(slot uint32) {
	if single {
		c.leave()
	} else {
		c.exit(slot)
	}
}

// exit drops a chunk from all lists; if it was the current one, another takes its place.
//
//poolgen:if !single
func (c *Core) exit(slot uint32) {
	c.where.Remove(slot)
	if slot == c.slot {
		c.leave()
		c.refill()
	} else if c.chunks[slot].place > 0 {
		c.drop(slot)
	}
	c.chunks[slot] = chunk{}
}

// leave forgets the current chunk.
func (c *Core) leave() {
	c.head, c.base, c.next, c.blocks = none, 0, nil, 0
}

// refill puts blocks on the list of the current chunk, which is empty: fresh ones if it has any, else it
// makes another chunk the current one.
func (c *Core) refill() bool {
	ok := c.extend()
	if !single {
		if !ok {
			ok = c.turn()
		}
	}
	return ok
}

// extend puts the next batch of fresh blocks on the list, which is empty. The side array doubles on the way,
// so each block is copied once on average.
func (c *Core) extend() bool {
	n := uint64(len(c.next))
	end := min(n+batch, c.blocks)
	if n == end {
		return false
	}
	if end > uint64(cap(c.next)) {
		c.next = append(make([]index, 0, min(max(2*n, end), c.blocks)), c.next...)
	}
	c.next = c.next[:end]
	for i := n; i < end; i++ {
		c.next[i] = index(i + 1)
	}
	c.next[end-1] = none
	c.head = index(n)
	return true
}

// turn makes the chunk that was full most recently the current one; the last one, all of whose blocks
// are live, steps back. The choice is the fullest, as a rule, so that emptier chunks get to drain.
//
//poolgen:if !single
func (c *Core) turn() bool {
	if len(c.partly) == 0 {
		return false
	}
	live := c.live()
	if c.blocks > 0 {
		c.chunks[c.slot] = chunk{base: c.base, blocks: c.blocks, live: live, next: c.next, head: none}
	}
	slot := c.partly[len(c.partly)-1]
	c.drop(slot)
	ch := &c.chunks[slot]
	c.others += live - ch.live
	c.slot, c.base, c.next, c.blocks, c.head = slot, ch.base, ch.next, ch.blocks, ch.head
	return c.head != none || c.extend()
}

// freeElsewhere takes back a block that is not a live one of the current chunk.
//
//poolgen:if !single
func (c *Core) freeElsewhere(addr uint64) (uint32, runtime.Verdict) {
	slot, off, ok := c.where.Find(addr)
	if !ok {
		return 0, runtime.Foreign
	}
	if slot == c.slot {
		return slot, refusal(off, c.blocks)
	}
	ch := &c.chunks[slot]
	i := off / blockSize
	if i >= uint64(len(ch.next)) || i*blockSize != off || ch.next[i] != used {
		return slot, refusal(off, ch.blocks)
	}
	c.give()
	c.others--
	ch.live--
	ch.next[i], ch.head = ch.head, index(i)
	if ch.place == 0 {
		c.push(slot)
	}
	if feature.Trims {
		if ch.live == 0 {
			return slot, runtime.Emptied
		}
	}
	return slot, runtime.Freed
}

// push files a chunk as one with free blocks.
//
//poolgen:if !single
func (c *Core) push(slot uint32) {
	c.partly = append(c.partly, slot)
	c.chunks[slot].place = uint32(len(c.partly))
}

// drop undoes push: the last chunk filed takes the place.
//
//poolgen:if !single
func (c *Core) drop(slot uint32) {
	i, last := c.chunks[slot].place-1, len(c.partly)-1
	moved := c.partly[last]
	c.partly[i], c.chunks[moved].place = moved, i+1
	c.partly, c.chunks[slot].place = c.partly[:last], 0
}
