// Package classes puts size classes in front of a heap. It is made for loads that ask for the same few sizes again and again, such as
// the buffers of a pipeline: a freed block is kept for its class and handed out again, last in first out, in a few
// instructions, without splitting and merging. The price is rounding to the class, and memory that is kept
// for one class is free for no other until it is flushed.
//
// A request is rounded up to its class. The block kept last serves it; if there is none, the heap cuts one. Where the heap has
// no room for the whole class it cuts a block to measure, which is not kept when it is freed. Requests above the last class go
// to the heap alone. A larger block is never handed out for a smaller class.
//
// Kept blocks stay known to the heap, held, so that a second free of one is told apart exactly.
package classes

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/heap"
)

// Core is a heap behind size classes. It is not safe for concurrent use. The zero value has no chunks and is ready.
type Core struct {
	space   heap.Space
	count   poolimpl.Tally
	added   uint64            // bytes of the blocks kept so far
	removed uint64            // bytes of those that are kept no more: one count up and down would make each call wait for the one before
	entries []entry           // by node
	heads   [len(bins)]uint32 // block kept last by each class
	//poolgen:if boundedBins
	kept [len(bins)]uint32
}

// Add makes the chunk [base, base+size) available under the number slot.
func (c *Core) Add(slot uint32, base, size uint64) { c.space.Add(slot, base, size) }

// Remove takes a chunk without live blocks away; blocks kept in it are dropped. It walks the kept blocks of the chunk.
func (c *Core) Remove(slot uint32) {
	c.releaseChunk(slot)
	c.space.Remove(slot)
}

// Used returns the bytes that the live blocks of a chunk take up. Kept blocks do not count. It walks the nodes of the chunk.
func (c *Core) Used(slot uint32) uint64 {
	if feature.Trims {
		return c.space.Used(slot)
	}
	return c.space.Used(slot) - c.space.HeldBytes(slot)
}

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, _ uint64) uint64 { return c.space.Need(bytes) }

// Alloc takes a block of at least bytes bytes whose address is a multiple of align, a power of two, and of the heap's granule. It reports
// false when neither the class nor the heap has room; [Core.Flush] may make some. A kept block serves an alignment above the granule
// only if it is the last one kept and happens to have it. It takes constant time with a kept block, else that of the heap.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	k := classOf(bytes)
	var i uint32
	if k < len(bins) {
		i = c.heads[k]
	}
	if i != 0 && c.space.Aligned(i, align) {
		c.pop(k, i, bytes)
	} else if i = c.cut(k, bytes, align); i == 0 {
		return 0, 0, false
	}
	if feature.Counters {
		c.count.CountAlloc(bytes)
	} else {
		c.count.CountLive(bytes)
	}
	slot, off = c.space.Place(i)
	return slot, off, true
}

// cut takes a block from the heap, of the class's size or, where that has no room or there is no class, of the request's.
func (c *Core) cut(k int, bytes, align uint64) uint32 {
	var i uint32
	if k < len(bins) {
		i = c.space.Alloc(bins[k], bytes, align)
	}
	if i == 0 {
		k = len(bins)
		i = c.space.Alloc(bytes, bytes, align)
	}
	c.grow()
	if i != 0 {
		c.entries[i].class = uint32(k)
	}
	return i
}

// grow makes room for an entry for each node.
func (c *Core) grow() {
	if n := c.space.Nodes(); n > len(c.entries) {
		c.entries = append(c.entries, make([]entry, n-len(c.entries))...)
	}
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length
// changes nothing. A second free is told from a foreign address as long as the memory is kept or free. It takes constant time if the block is
// kept, else that of the heap.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	link := c.space.Find(addr)
	if link == nil {
		return 0, c.space.Classify(addr)
	}
	i := *link
	if !c.space.Live(i) {
		return 0, poolimpl.Double
	}
	if c.space.Asked(i) != bytes {
		return 0, poolimpl.Foreign
	}
	slot = c.space.Slot(i)
	if k := uint64(c.entries[i].class); c.canKeep(k, c.space.Room(i)) {
		c.push(k, i)
	} else {
		c.space.Free(link)
	}
	c.count.CountFree(bytes)
	if feature.Trims {
		if c.space.Used(slot) == 0 {
			return slot, poolimpl.Emptied
		}
		if paged {
			if c.space.Vacated() {
				return slot, poolimpl.Emptied
			}
		}
	}
	return slot, poolimpl.Freed
}

// Undo is Free for a block that no caller has received: it does not count as handed out. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.count.Uncount()
		}
	}
	return slot, v
}

// Flush gives all kept blocks back to the heap and reports whether there were any.
func (c *Core) Flush() bool {
	any := c.cached() != 0
	for k := range c.heads {
		for c.heads[k] != 0 {
			c.release(c.heads[k])
		}
	}
	return any
}

// Usage counts what the classes and the heap hold. It walks the chunks.
func (c *Core) Usage() poolimpl.Usage {
	u := c.count.Usage()
	u.Occupied = c.space.Occupied()
	u.LargestFree = c.space.Largest()
	u.Cached = c.cached()
	if !feature.Trims {
		u.Occupied -= u.Cached
	}
	for k := range c.heads {
		if c.heads[k] != 0 {
			u.LargestFree = max(u.LargestFree, bins[k])
		}
	}
	return u
}

// AllocFast is Alloc for the alignment that every block has.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

// FreeFast reports false: [Core.Free] takes back all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
