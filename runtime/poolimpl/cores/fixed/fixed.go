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
// Generated code has the fast path, with the sizes as constants: it takes blocks from the list at hand, and frees blocks of the current chunk.
// It works on the exported fields. This package has the rest.
//
// Blocks of several chunks may be freed in any order. A branch that depends on the chunk of a block is then mispredicted all the time, after the
// processor has waited for the entry of the block; without such a branch it waits for the entries of several blocks at once. The fast free has one, as
// most blocks are of the current chunk where it is used. Once it has refused a block, it is rarely tried for some time, and Free has no such
// branch. But Free has many more instructions, so that fewer calls overlap. Once blocks have been replaced one by one for some time, the fast free serves the
// blocks of all chunks: see [Core.join].
package fixed

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Params are the parameters of a Core. The configuration of the pool has them.
type Params struct {
	BlockSize uint64 // difference between the addresses of neighbouring blocks
	ItemBytes uint64 // size of a block in the statistics
	Joins     bool   // while blocks are replaced, one array has the entries of all chunks; not with Streams
	Counters  bool   // the peak is counted
	Trims     bool   // a free that empties a chunk says so
	Streams   bool   // blocks can be pending
	Handles   bool   // each block has a generation; the pool has one chunk at most, and no streams
}

// Core is the suballocator. Its zero value is empty; [Core.Set] makes it ready for Add. It is not safe for concurrent use.
type Core struct {
	List    List   // blocks of the current chunk that are handed out next
	Current *Chunk // nil if there is none
	Slot    uint32 // of the current chunk

	// The fast paths increment one counter each.
	Handed   uint64 // blocks handed out so far
	Returned uint64 // of these, those that were freed in the current chunk, or that other counters count

	Base    uint64   // of the chunk of Near
	Near    []uint32 // entries of the current chunk. There are none while blocks of other chunks are freed.
	Accepts uint32   // together with the head of the list it must have all bits if the fast path is to free: [Used], or [lone] while entries are joined

	Gens        []uint32               // with handles, by block: the number of its life, which a free ends
	Aged        atomic.Uint32          // number of these, for those who do not hold the lock
	Generations atomic.Pointer[uint32] // the first of these

	params  Params
	inverse uint64 // of the odd part of the block size, modulo 1<<64
	shift   int    // BlockSize is the odd part times 1<<shift
	others  uint64 // number of live blocks, in addition to Handed-Returned
	rest
}

// rest is what the fast path does not touch.
type rest struct {
	start   uint64   // base of the current chunk; any number if there is none
	far     uint     // number of frees without the fast path
	chunks  []*Chunk // by slot; nil where there is none
	partial []uint64 // a bit by slot: set for each chunk whose list has blocks
	lowest  uint32   // words of partial before this one have no bits
	fresh   []uint32 // slots of the chunks with blocks to carve; the last is carved first
	where   poolimpl.Directory
	peak    uint64 // largest number of live blocks
	joint   joint

	retired uint64 // blocks that are not handed out again; Used counts them, so their chunk stays

	withheld      uint32 // first of the free blocks kept off the list of the current chunk, see [Core.admit]
	withheldCount uint64 // number of these blocks
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	c.shift = bits.TrailingZeros64(c.params.BlockSize)
	c.inverse = inverse(c.params.BlockSize >> c.shift)
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.params.Streams, Places: c.params.Joins, Shares: true}
}

// Close drops the chunks and, with them, all handles.
func (c *Core) Close() {
	c.Aged.Store(0) // goroutines may still read a generation: those stay in memory
	c.List, c.Current, c.Slot, c.Near, c.Accepts, c.Handed, c.Returned, c.others = List{}, nil, 0, nil, 0, 0, 0, 0
	c.rest = rest{}
}

// inverse returns the inverse of an odd number modulo 1<<64, by Newton's method: each step doubles the number of right bits, of which the number itself
// has three.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// number returns off / BlockSize if a block can start at off, otherwise more than any chunk has, so one comparison decides. It multiplies by the
// inverse of the odd part (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994); a rotation divides by the power of two, and
// moves a remainder to the top.
func (c *Core) number(off uint64) uint64 { return bits.RotateLeft64(off*c.inverse, -c.shift) }

// paced: blocks may be pending, and the peak is counted. Without pending blocks, only carving raises the peak, as all carved blocks are
// live then.
func (c *Core) paced() bool { return c.params.Streams && c.params.Counters }

// Alloc hands out a free block of any chunk. It takes constant time, except when the list of a chunk grows. All requests are for one item,
// which [Core.Need] has accepted.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	c.part()
	if !c.List.hasFreed() && !c.Refill(1) {
		return 0, 0, false
	}
	l := &c.List
	h := l.Head
	l.Head, l.Next[h] = l.Next[h], Used
	c.Handed++
	return c.Slot, uint64(h) * c.params.BlockSize, true
}

// Undo is Free for a block that no caller has received. The block counts neither as handed out nor as freed, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v <= poolimpl.Emptied {
		c.Handed--
		c.Returned--
	}
	return slot, v
}
