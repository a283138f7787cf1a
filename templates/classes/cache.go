package classes

import "github.com/poolgen/poolgen/templates/heap"

// entry is what the cache knows of a kept block beyond the note in its node, which is the next block of the class.
type entry struct {
	prev  uint32 // 0 for the block kept last
	class uint32
}

// keeps reports whether a class may keep one more block of that size. A block that was cut to measure, because the heap had no room
// for the whole class, is not kept.
func (c *Core) keeps(k int, room uint64) bool {
	if room < bins[k] {
		return false
	}
	if boundedBins {
		if uint64(c.kept[k]) >= cachePerBin {
			return false
		}
	}
	if boundedBytes {
		if c.cached+room > cacheBytes {
			return false
		}
	}
	return true
}

// push keeps a live block.
func (c *Core) push(k int, i uint32) {
	h := c.heads[k]
	c.heads[k] = i
	c.entries[h].prev = i
	c.entries[i] = entry{class: uint32(k)}
	if boundedBins {
		c.kept[k]++
	}
	c.cached += heap.Hold(&c.space, i, h)
}

// pop makes the block that a class kept last live again, for a request of bytes bytes.
func (c *Core) pop(k int, i uint32, bytes uint64) {
	next, room := heap.Resume(&c.space, i, bytes)
	c.heads[k] = next
	c.entries[next].prev = 0
	c.cached -= room
	if boundedBins {
		c.kept[k]--
	}
}

// pull takes a block out of its class. It is held still.
func (c *Core) pull(i uint32) {
	e := c.entries[i]
	next := heap.Note(&c.space, i)
	c.entries[next].prev = e.prev
	if e.prev != 0 {
		heap.SetNote(&c.space, e.prev, next)
	} else {
		c.heads[e.class] = next
	}
	c.cached -= heap.Room(&c.space, i)
	if boundedBins {
		c.kept[e.class]--
	}
}

// release gives a kept block back to the heap and returns the free range that it became part of.
func (c *Core) release(i uint32) uint32 {
	c.pull(i)
	heap.Resume(&c.space, i, heap.Room(&c.space, i))
	return c.space.Give(c.space.Find(heap.Address(&c.space, i)))
}

// releaseChunk gives the kept blocks of a chunk back to the heap. It walks the nodes of the chunk.
func (c *Core) releaseChunk(slot uint32) {
	for i := heap.First(&c.space, slot); i != 0; i = heap.Next(&c.space, i) {
		if heap.Held(&c.space, i) {
			i = c.release(i)
		}
	}
}
