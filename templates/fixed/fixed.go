// Package fixed hands out blocks of one size, in constant time, from chunks of any size.
//
// Each chunk has a list of its free blocks, linked by index through a side array with an entry per block. The entry of a live block has a
// special value instead, so the array also tells, exactly and at no extra cost, whether a live block starts at the address of a free. The
// memory of the blocks is not touched.
//
// Blocks come from one chunk, the current one, whose list is at hand. When it is empty, another chunk with freed blocks becomes the current
// one: that of the block freed next, or the first that has some. Only when all lists are empty are blocks carved: blocks that were never used
// go on the list, in the order of their addresses. So a chunk costs nothing before it is used, however large it is, and only carving can raise
// the peak: until then, all blocks that were carved are live.
//
// Blocks of several chunks may be freed in any order. A branch that depends on the chunk of a block is then mispredicted all the time, after the
// processor has waited for the entry of the block; without such a branch it waits for the entries of several blocks at once. FreeFast has one, as
// most blocks are of the current chunk where it is used. Once it has refused a block, it is rarely tried for some time, and Free has no such
// branch. But Free has many more instructions, so that fewer calls overlap. Once blocks have been replaced one by one for some time, FreeFast serves the
// blocks of all chunks: see [Core.join].
package fixed

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	list    List   // blocks of the current chunk that are handed out next
	current *chunk // nil if there is none
	//poolgen:if !single
	slot uint32 // of the current chunk

	// Alloc and FreeFast increment one counter each.
	allocated uint64 // blocks handed out so far
	freed     uint64 // of these, those that were freed in the current chunk, or that other counters count

	base uint64  // of the current chunk
	near []index // entries of the current chunk. Unless [single], there are none while blocks of other chunks are freed.
	//poolgen:if joins
	start uint64 // base of the current chunk for FreeList, which is inlined; any number if there is none
	//poolgen:if joins
	accepts index // together with the head of the list it must have all bits if FreeFast is to free: [used], or [lone] while entries are joined
	//poolgen:if !single
	far uint // number of frees without FreeFast
	//poolgen:if !single
	chunks []*chunk // by slot; nil where there is none
	//poolgen:if !single
	partial []uint64 // a bit by slot: set for each chunk whose list has blocks
	//poolgen:if !single
	lowest uint32 // words of partial before this one have no bits
	//poolgen:if !single
	fresh []uint32 // slots of the chunks with blocks to carve; the last is carved first
	//poolgen:if !single
	where poolimpl.Directory
	//poolgen:if !single || feature.Streams
	others uint64 // number of live blocks, beside allocated-freed
	//poolgen:if joins
	joint joint

	//poolgen:if feature.Counters
	peak uint64 // largest number of live blocks

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

// AllocFast hands out the block of the current chunk that was freed last. It reports false if the list of the chunk is empty; [Core.Alloc]
// may find a block. AllocFast is inlined, also into a caller that is inlined itself.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	l := &c.list
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
	if joins {
		c.part()
	}
	if slot, off, ok = c.AllocFast(); !ok && c.Refill(1) {
		slot, off, ok = c.AllocFast()
	}
	return slot, off, ok
}

// FreeFast frees the block that starts at addr if it is a live block of the current chunk; otherwise it changes nothing and reports false.
// If [feature.Trims], FreeFast leaves the last live block of the chunk to [Core.Free]. If [joins], the block may be of any chunk while entries are joined
// and the list is empty. FreeFast is inlined.
func (c *Core) FreeFast(addr uint64) bool {
	i, next := number(addr-c.base), c.near
	if i < uint64(len(next)) && next[i] == used && (!joins || feature.Trims || c.list.head|c.accepts == used) && (!feature.Trims || c.current.live+c.allocated-c.freed > 1) {
		if feature.Handles {
			if !c.list.age(i) {
				return false
			}
		}
		next[i], c.list.head = c.list.head, index(i) // before the count, so that the head is loaded once
		c.freed++
		return true
	}
	return false
}

// Free frees the block that starts at addr; all blocks have one length. Callers try [Core.FreeFast] first. Unless [single], Free costs a few
// loads more, whatever the chunk of the block is.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	if single {
		return 0, c.freeOnly(addr - c.base)
	} else {
		return c.freeAnywhere(addr)
	}
}

// freeOnly frees the block at an offset of the only chunk.
//
//poolgen:if single
func (c *Core) freeOnly(off uint64) poolimpl.Verdict {
	list, ok := c.list.Push(off)
	if !ok {
		if feature.Handles {
			if c.retire(off) {
				return poolimpl.Freed
			}
		}
		return c.state().refusal(off)
	}
	c.list.head = list.head
	c.freed++
	if feature.Trims {
		if c.allocated == c.freed {
			return poolimpl.Emptied
		}
	}
	return poolimpl.Freed
}

// Undo is Free for a block that no caller has received. The block counts neither as handed out nor as freed, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v <= poolimpl.Emptied {
		c.allocated--
		c.freed--
	}
	return slot, v
}
