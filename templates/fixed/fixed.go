// Package fixed hands out blocks of one size, in constant time, from chunks of any size.
//
// Each chunk has a list of its free blocks, linked by index through a side array with an entry per block. The entry
// of a block in use holds a mark instead, so the array that is the list also tells, exactly and at no
// extra cost, whether the address given to a free is a live block. The blocks' own memory is not touched.
//
// Blocks come from one chunk, the current one, while its list has any; its state lies in the suballocator itself, so
// that taking a block is a handful of instructions and small enough to be inlined twice. Then another
// chunk whose list has some takes its place. Blocks that were never used are on no list: they are carved from a chunk, in the order of
// addresses, only when all lists are empty. So a chunk costs nothing before it is used, however large it is, and the number
// of live blocks can pass its peak only where blocks are carved, for until then all that were carved are live.
package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	current chunk // the current chunk; without blocks when there is none
	//poolgen:if !single
	slot uint32 // its slot

	// Their difference is the live blocks of the current chunk. Two counters that only grow cost each side of the fast path one increment.
	allocated uint64 // blocks handed out so far
	freed     uint64 // of these, freed or in another chunk
	//poolgen:if feature.Counters
	peak uint64 // largest number of live blocks

	//poolgen:if !single || feature.Streams
	others uint64 // live blocks outside the current chunk
	//poolgen:if !single
	chunks []chunk // by slot; the entry of the current chunk is out of date
	//poolgen:if !single
	partial []uint32 // slots of the chunks, save the current one, whose list has blocks
	//poolgen:if !single
	fresh []uint32 // slots of the chunks with blocks to carve; the last one is carved first
	//poolgen:if !single
	where poolimpl.Directory

	//poolgen:if paced
	withheld index // first of the free blocks of the current chunk that are kept off its list, see [Core.admit]
	//poolgen:if paced
	withheldCount uint64 // how many there are
}

// AllocFast hands out the block of the current chunk that was freed last. It fails when the list of the chunk is empty;
// [Core.Refill] may find more blocks. AllocFast is inlined into a caller that is inlined itself.
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

// Alloc hands out a free block of any chunk, in constant time but for the growth of the side array. All requests are for one item, which [Core.Need]
// has accepted.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if slot, off, ok = c.AllocFast(); ok {
		return slot, off, true
	}
	if !c.Refill(1) {
		return 0, 0, false
	}
	return c.AllocFast()
}

// FreeFast takes back a live block of the current chunk that starts at addr. If [feature.Trims], FreeFast leaves the last block of the chunk to [Core.Free].
// FreeFast changes nothing where it reports false. It is inlined.
func (c *Core) FreeFast(addr uint64) bool {
	i, next := number(addr-c.current.base), c.current.list.next
	if i < uint64(len(next)) && next[i] == used && (!feature.Trims || c.allocated-c.freed > 1) {
		c.freed++
		next[i], c.current.list.head = c.current.list.head, index(i)
		return true
	}
	return false
}

// Free takes back the block that starts at addr; all blocks have one length. Unless [single], a block outside the current chunk costs a search for its chunk.
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
	if single {
		return 0, c.current.refusal(addr - c.current.base)
	}
	return c.freeElsewhere(addr)
}

// Undo is Free for a block that no caller has received: the block counts neither as handed out nor as freed. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v == poolimpl.Freed || v == poolimpl.Emptied {
		c.allocated--
		c.freed--
	}
	return slot, v
}
