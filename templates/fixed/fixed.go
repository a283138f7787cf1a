// Package fixed hands out blocks of one size, in constant time, from chunks of any size.
//
// Each chunk has a list of its free blocks, linked by index through a side array with an entry per block. The entry of a live block has a
// special value instead, so the array also tells, exactly and at no extra cost, whether a live block starts at the address of a free. The
// memory of the blocks is not touched.
//
// Blocks come from one chunk, the current one, while its list has any. The state of the current chunk is part of the suballocator, so
// taking a block needs few instructions, few enough to be inlined twice. When the list is empty, another chunk with freed blocks becomes
// the current one. Only when all lists are empty are blocks carved: blocks that were never used go on the list of a chunk, in the order of
// their addresses. So a chunk costs nothing before it is used, however large it is, and only carving can raise the peak: until then, all
// blocks that were carved are live.
package fixed

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	current chunk // without blocks if there is no current chunk
	//poolgen:if !single
	slot uint32 // of the current chunk

	// allocated-freed is the number of live blocks of the current chunk. Alloc and Free increment one counter each.
	allocated uint64 // blocks handed out so far
	freed     uint64 // of these, those that were freed or lie in another chunk
	//poolgen:if feature.Counters
	peak uint64 // largest number of live blocks

	//poolgen:if !single || feature.Streams
	others uint64 // live blocks outside the current chunk
	//poolgen:if !single
	chunks []chunk // by slot; the entry of the current chunk is out of date
	//poolgen:if !single
	partial []uint32 // slots of the other chunks whose lists have blocks
	//poolgen:if !single
	fresh []uint32 // slots of the chunks with blocks to carve; the last is carved first
	//poolgen:if !single
	where poolimpl.Directory

	//poolgen:if feature.Handles
	aged atomic.Uint32 // number of blocks with a generation
	//poolgen:if feature.Handles
	generations atomic.Pointer[uint32] // the first of their generations; see [List.age]
	//poolgen:if feature.Handles
	retired uint64 // blocks that are not handed out again; Used counts them, so their chunk stays

	//poolgen:if paced
	withheld index // first of the free blocks kept off the list of the current chunk, see [Core.admit]
	//poolgen:if paced
	withheldCount uint64 // number of these blocks
}

// AllocFast hands out the block of the current chunk that was freed last. It reports false if the list of the chunk is empty; [Core.Refill]
// may find more blocks. AllocFast is inlined, also into a caller that is inlined itself.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	l := &c.current.list
	if h := uint64(l.head); h < uint64(len(l.next)) {
		l.head, l.next[h] = l.next[h], used
		c.allocated++
		if !single {
			slot = c.slot
		}
		off, ok = h*blockSize, true
	}
	return slot, off, ok
}

// Alloc hands out a free block of any chunk. It takes constant time, except when the list of a chunk grows. All requests are for one item,
// which [Core.Need] has accepted.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if slot, off, ok = c.AllocFast(); ok {
		return slot, off, true
	}
	if !c.Refill(1) {
		return 0, 0, false
	}
	return c.AllocFast()
}

// FreeFast frees the block that starts at addr if it is a live block of the current chunk; otherwise it changes nothing and reports false.
// If [feature.Trims], FreeFast leaves the last live block of the chunk to [Core.Free]. FreeFast is inlined.
func (c *Core) FreeFast(addr uint64) bool {
	i, next := number(addr-c.current.base), c.current.list.next
	if i < uint64(len(next)) && next[i] == used && (!feature.Trims || c.allocated-c.freed > 1) {
		if feature.Handles {
			if !c.current.list.age(i) {
				return false
			}
		}
		c.freed++
		next[i], c.current.list.head = c.current.list.head, index(i)
		return true
	}
	return false
}

// Free frees the block that starts at addr; all blocks have one length. Unless [single], a block outside the current chunk costs a search
// for its chunk.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	if !single {
		slot = c.slot
	}
	list, ok := c.current.list.Push(addr - c.current.base)
	if ok {
		c.freed++
		c.current.list = list
		if feature.Trims {
			if c.allocated == c.freed {
				v = poolimpl.Emptied
			}
		}
		return slot, v
	}
	if feature.Handles {
		if c.retire(addr - c.current.base) {
			return slot, poolimpl.Freed
		}
	}
	if single {
		return 0, c.current.refusal(addr - c.current.base)
	}
	return c.freeElsewhere(addr)
}

// Undo is Free for a block that no caller has received. The block counts neither as handed out nor as freed, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v == poolimpl.Freed || v == poolimpl.Emptied {
		c.allocated--
		c.freed--
	}
	return slot, v
}
