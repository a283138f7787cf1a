// Package classes puts size classes in front of a heap. It is for loads that ask for the same few sizes again and again, such as the
// buffers of a pipeline. A freed block is kept for its class and handed out again, last in first out, in a few instructions, without
// splitting and merging. In return, requests are rounded up to the class, and the memory that one class keeps is free for no other until it
// is flushed.
//
// A request is rounded up to its class. The block kept last serves it; if there is none, the heap cuts one. If the heap has no room for the
// whole class, it cuts a block of the size of the request, which is not kept when it is freed. Requests above the last class go to the heap
// alone. A larger block never serves a smaller class.
//
// The heap still knows kept blocks, as held ones, so a second free of one is detected exactly.
package classes

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is a heap behind size classes. Its zero value has no chunks; [Core.Set] makes it ready for Add. It is not safe for concurrent use.
type Core struct {
	space   heap.Space
	count   poolimpl.Tally
	added   uint64            // bytes of all blocks kept so far
	removed uint64            // bytes of those that are no longer kept; with one counter, each call would wait for the one before
	classes []uint8           // by node: the class of a block; len(bins) for a block that is not to be kept, as it has the size of its request
	prevs   []uint32          // by node: of a kept block, the one before it in its class, unless it is the first; the next one is its note
	heads   [len(bins)]uint32 // block that each class kept last
	//poolgen:if boundedBins
	kept [len(bins)]uint32 // number of blocks that each class keeps
}

// Set sets the parameters of the heap.
func (c *Core) Set(params any) { c.space.Set(*params.(*heap.Params)) }

// Add makes the chunk [base, base+size) available under the number slot.
func (c *Core) Add(slot uint32, base, size uint64) { c.space.Add(slot, base, size) }

// Remove removes a chunk without live blocks, and gives blocks that are kept there back to the heap first. Costs O(nodes of the chunk).
func (c *Core) Remove(slot uint32) {
	c.releaseChunk(slot)
	c.space.Remove(slot)
}

// Used returns the bytes that the live blocks of a chunk take up; kept blocks do not count. Unless [feature.Trims], it costs O(nodes of the
// chunk) while any block is kept.
func (c *Core) Used(slot uint32) uint64 {
	if feature.Trims {
		return c.space.Used(slot)
	}
	used := c.space.Used(slot)
	if c.cached() == 0 { // so it is after a flush, when a request at the limit asks for empty chunks
		return used
	}
	return used - c.space.HeldBytes(slot)
}

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, _ uint64) uint64 { return c.space.Need(bytes) }

// Alloc allocates a block of at least bytes bytes. Its address is a multiple of align, a power of two, and of the granule of the heap.
// Alloc reports false if neither the class nor the heap has room; [Core.Flush] may make some. A kept block serves an alignment above the
// granule only if it is the one kept last and happens to have the alignment. Alloc takes constant time with a kept block, otherwise the
// time of the heap.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	k := c.classOf(bytes)
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

// cut takes a block from the heap: of the size of class k, or of the request if there is no class or no room.
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
		c.classes[i] = uint8(k)
	}
	return i
}

// grow makes room in the tables for each node.
func (c *Core) grow() {
	if n := c.space.Nodes(); n > len(c.classes) {
		c.classes = append(c.classes, make([]uint8, n-len(c.classes))...)
		c.prevs = append(c.prevs, make([]uint32, n-len(c.prevs))...)
	}
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length changes nothing. The
// verdict on a second free is Double as long as the memory is kept or free. Free takes constant time if the block is kept, otherwise the
// time of the heap.
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
	if k := uint64(c.classes[i]); c.canKeep(k, c.space.Room(i)) {
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

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
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

// Usage returns the counts. Costs O(chunks).
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

// FreeFast reports false: [Core.Free] frees all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
