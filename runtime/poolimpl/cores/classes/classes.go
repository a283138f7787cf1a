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
)

// Core is a heap behind size classes. What it does not say itself, it does as the heap. Its zero value has no chunks; [Core.Set] makes it ready
// for Add. It is not safe for concurrent use.
type Core struct {
	added   uint64   // bytes of all blocks kept so far
	removed uint64   // bytes of those that are no longer kept; with one counter, each call would wait for the one before
	nodes   []uint8  // by node: the class of a block; len(classes) for a block that is not to be kept, as it has the size of its request
	prevs   []uint32 // by node: of a kept block, the one before it in its class, unless it is the first; the next one is its note
	sizes
	heap.Core
}

// Remove removes a chunk without live blocks, and gives blocks that are kept there back to the heap first. Costs O(nodes of the chunk).
func (c *Core) Remove(slot uint32) {
	c.releaseChunk(slot)
	c.Space.Remove(slot)
}

// Used returns the bytes that the live blocks of a chunk take up; kept blocks do not count. Unless Trims, it costs O(nodes of the chunk) while
// any block is kept.
func (c *Core) Used(slot uint32) uint64 {
	used := c.Space.Used(slot)
	if c.Trims || c.cached() == 0 { // so it is after a flush, when a request at the limit asks for empty chunks
		return used
	}
	return used - c.HeldBytes(slot)
}

// Alloc allocates a block of at least bytes bytes. Its address is a multiple of align, a power of two, and of the granule of the heap.
// Alloc reports false if neither the class nor the heap has room; [Core.Flush] may make some. A kept block serves an alignment above the
// granule only if it is the one kept last and happens to have the alignment. Alloc takes constant time with a kept block, otherwise the
// time of the heap.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	var in *class
	var i uint32
	k := c.classOf(bytes)
	if k < len(c.classes) {
		in = &c.classes[k]
		i = in.head
	}
	if i != 0 && c.Space.Aligned(i, align) {
		next, room := c.Resume(i, bytes, !c.Trims)
		in.head = next
		in.kept--
		c.removed += room
	} else if i = c.cut(k, bytes, align); i == 0 {
		return 0, 0, false
	}
	c.CountAlloc(bytes)
	slot, off = c.Space.Place(i)
	return slot, off, true
}

// cut takes a block from the heap: of the size of class k, or of the request if there is no class or no room.
func (c *Core) cut(k int, bytes, align uint64) uint32 {
	var i uint32
	if k < len(c.classes) {
		i = c.Space.Alloc(c.classes[k].size, bytes, align)
	}
	if i == 0 {
		k = len(c.classes)
		i = c.Space.Alloc(bytes, bytes, align)
	}
	c.grow()
	if i != 0 {
		c.nodes[i] = uint8(k)
	}
	return i
}

// grow makes room in the tables for each node.
func (c *Core) grow() {
	if n := c.Nodes(); n > len(c.nodes) {
		c.nodes = append(c.nodes, make([]uint8, n-len(c.nodes))...)
		c.prevs = append(c.prevs, make([]uint32, n-len(c.prevs))...)
	}
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length changes nothing. The
// verdict on a second free is Double as long as the memory is kept or free. Free takes constant time if the block is kept, otherwise the
// time of the heap.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	link := c.Space.Find(addr)
	if link == nil {
		return 0, c.Space.Classify(addr)
	}
	i := *link
	if !c.Space.Live(i) {
		return 0, poolimpl.Double
	}
	if c.Space.Asked(i) != bytes {
		return 0, poolimpl.Foreign
	}
	slot = c.Space.Slot(i)
	if k := int(c.nodes[i]); k < len(c.classes) && c.canKeep(&c.classes[k], c.Space.Room(i)) {
		in := &c.classes[k]
		h := in.head
		in.head = i
		in.kept++
		c.prevs[h] = i
		c.added += c.Hold(i, h, !c.Trims) // not counted if each free has to know whether a chunk has become empty; Used subtracts it otherwise
	} else {
		c.Space.Free(link)
	}
	c.CountFree(bytes)
	if c.Trims && (c.Space.Used(slot) == 0 || c.Pages && c.Vacated()) {
		return slot, poolimpl.Emptied
	}
	return slot, poolimpl.Freed
}

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if v <= poolimpl.Emptied {
		c.Uncount()
	}
	return slot, v
}

// Flush gives all kept blocks back to the heap. If there are none, it is that of the heap.
func (c *Core) Flush() bool {
	if c.cached() == 0 {
		return c.Core.Flush()
	}
	for k := range c.classes {
		for c.classes[k].head != 0 {
			c.release(c.classes[k].head)
		}
	}
	return true
}

// Usage returns the counts. Costs O(chunks).
func (c *Core) Usage() poolimpl.Usage {
	u := c.Core.Usage()
	u.Cached = c.cached()
	if !c.Trims {
		u.Occupied -= u.Cached
	}
	for k := range c.classes {
		if in := &c.classes[k]; in.head != 0 {
			u.LargestFree = max(u.LargestFree, in.size)
		}
	}
	return u
}

// AllocFast is Alloc for the alignment that every block has.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }
