// Package fixed hands out blocks of one size, in constant time, from chunks of any size.
//
// Each chunk has a list of its free blocks, linked by index through a side array with an entry per block. The entry
// of a block in use holds a mark instead, so the array that is the list also tells, exactly and at no
// extra cost, whether the address given to a free is a live block. The blocks' own memory is not touched.
//
// Blocks come from one chunk, the current one, until it is full; its state lies in the suballocator itself, so
// that taking a block is a handful of instructions and small enough to be inlined twice. Only then another
// chunk with free blocks takes its place. Fresh blocks are put on the list in batches, in the order of addresses; a chunk
// costs nothing before that, however large it is.
package fixed

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/locate"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	// The current chunk. There is none while blocks is 0.
	head index // first free block; none when there is none
	//poolgen:if !single
	slot   uint32
	base   uint64
	next   []index // per block that was ever on the list: its successor there, or used
	blocks uint64  // in the whole chunk; those from len(next) on are fresh

	// The live blocks are those taken and not given back. Two counters that only grow cost each side
	// of the fast path one increment.
	taken uint64
	given uint64
	//poolgen:if feature.Counters
	peak uint64 // largest number of live blocks that a free has seen

	//poolgen:if !single
	others uint64 // live blocks outside the current chunk
	//poolgen:if !single
	chunks []chunk // by slot; the entry of the current chunk is out of date
	//poolgen:if !single
	partly []uint32 // slots of the chunks, save the current one, that have free blocks
	//poolgen:if !single
	where locate.Directory
}

// Take hands out a free block of the current chunk, the one freed last. It fails when the list of that chunk is
// empty; [Core.Alloc] may still find a block then. Small enough to be inlined into a caller that is inlined itself.
func (c *Core) Take() (slot uint32, off uint64, ok bool) {
	if h := uint64(c.head); h < uint64(len(c.next)) {
		c.head, c.next[h] = c.next[h], used
		c.taken++
		if !single {
			slot = c.slot
		}
		off, ok = h*blockSize, true
	}
	return slot, off, ok
}

// Alloc hands out a free block of any chunk, in constant time. All requests are for one item, so there is
// nothing to look at in them: [Core.Need] judged the first.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if slot, off, ok = c.Take(); ok {
		return slot, off, true
	}
	if !c.refill() {
		return 0, 0, false
	}
	return c.Take()
}

// Give takes back the block that starts at addr, if it is a live block of the current chunk and nothing else has to
// follow. Otherwise it changes nothing, and [Core.Free] has to see to it. Small enough to be inlined.
func (c *Core) Give(addr uint64) bool {
	off, next := addr-c.base, c.next
	i := off / blockSize
	if i >= uint64(len(next)) || i*blockSize != off || next[i] != used {
		return false
	}
	if feature.Trims {
		if c.live() == 1 { // the chunk becomes empty
			return false
		}
	}
	c.give()
	next[i], c.head = c.head, index(i)
	return true
}

// Free takes back the block that starts at addr. Outside the current chunk it costs the search for the chunk.
func (c *Core) Free(addr uint64) (slot uint32, v runtime.Verdict) {
	if !single {
		slot = c.slot
	}
	if c.Give(addr) {
		return slot, runtime.Freed
	}
	off, next := addr-c.base, c.next
	i := off / blockSize
	if i >= uint64(len(next)) || i*blockSize != off || next[i] != used {
		if single {
			v = refusal(off, c.blocks)
		} else {
			slot, v = c.freeElsewhere(addr)
		}
		return slot, v
	}
	c.give()
	next[i], c.head = c.head, index(i)
	return slot, runtime.Emptied
}

// Undo takes back a block as if it had never been handed out: it leaves no trace in the counters. It is for requests that
// fail after some of their blocks were found.
func (c *Core) Undo(addr uint64) (slot uint32, v runtime.Verdict) {
	if feature.Counters {
		defer func(peak uint64) { c.peak = peak }(c.peak)
	}
	if slot, v = c.Free(addr); v == runtime.Freed || v == runtime.Emptied {
		c.taken--
		c.given--
	}
	return slot, v
}

// live returns the number of live blocks in the current chunk.
func (c *Core) live() uint64 {
	n := c.taken - c.given
	if !single {
		n -= c.others
	}
	return n
}

// give counts a block that comes back. The number of live blocks can only have peaked at a free, or now.
func (c *Core) give() {
	if feature.Counters {
		if live := c.taken - c.given; live > c.peak {
			c.peak = live
		}
	}
	c.given++
}

// refusal says why a block at off is not live in a chunk of so many blocks.
func refusal(off, blocks uint64) runtime.Verdict {
	if off%blockSize == 0 && off/blockSize < blocks {
		return runtime.Double
	}
	return runtime.Foreign
}
