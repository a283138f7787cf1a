package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Core is a suballocator: it cuts chunks into blocks. It knows chunks and blocks as numbers and never
// touches the memory they stand for, so that one structure serves host memory, device memory and
// numbered resources. Generated code calls the concrete type on its fast path; only the slow path,
// in [Engine], goes through this interface.
//
// A Core is not safe for concurrent use: the pool's lock, or the user of an unlocked pool, orders the calls.
// The zero value of each implementation is an empty Core, ready for Add.
type Core interface {
	// Add makes the chunk [base, base+size) available under the number slot. Slots are small and are
	// used again after Remove. Chunks never overlap, but may touch: blocks never span two of them.
	Add(slot uint32, base, size uint64)

	// Remove takes a chunk away again. Used(slot) must be 0; whatever the core keeps cached in the
	// chunk (free blocks of a size class, an empty slab) is dropped first.
	Remove(slot uint32)

	// Used returns the bytes of the chunk that live blocks take up, rounding included: 0 means that the
	// chunk can be removed.
	Used(slot uint32) uint64

	// Need returns the size of a chunk, added now with a base that is a multiple of align, that is sure to serve the request;
	// 0 if no chunk of any size could.
	Need(bytes, align uint64) uint64

	// Alloc takes a block of at least bytes bytes whose address is a multiple of align (a power of
	// two) and of the pool's own alignment, and returns its chunk and its offset there. It fails, changing nothing, when
	// no chunk has room.
	Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Free takes back the block at addr, which was asked for with that many bytes, and returns its chunk. Without a
	// live block of that length there it changes nothing, and says so by its verdict.
	Free(addr, bytes uint64) (slot uint32, v Verdict)

	// Undo is Free for a block that nobody got to see: it does not count as handed out. The peak may.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)

	// Flush gives memory that is cached for one size or class back for use by all, and reports whether
	// there was any.
	Flush() bool

	// Usage counts what the core holds. It may walk the chunks, not the blocks.
	Usage() Usage

	// Walk shows the pieces of a chunk in the order of their addresses, until see reports false: from the one that holds an offset within the chunk on, or
	// one a little before it. What it leaves out is waste. It changes nothing, and one piece is found soon after the other, the first as well as that
	// can be. Free neighbours may be one piece or several. see must not call the core.
	Walk(slot uint32, from uint64, see func(poolrt.Piece) bool)
}

// SharedCore is a core that any number of goroutines call at once, without the pool's lock. It is safe for concurrent use, except that calls which
// change the chunks are made under the lock.
type SharedCore interface {
	Core // Alloc need not find all that is free: it may look at what is at hand for the caller's processor alone

	// AllocAny is Alloc that finds all that is free.
	AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Evict is Remove for a chunk without live blocks. If a block is live, Evict changes nothing and reports false.
	Evict(slot uint32) bool

	// Steal makes an empty chunk that another processor has at hand one that the caller has, and reports whether there was any.
	Steal() bool

	// Walk shows each piece as it is at some moment of the call.

	// Shut hands out no more blocks, and forgets the chunks. While blocks are live, Shut changes nothing and reports false, unless force is set.
	// Usage stays as it was.
	Shut(force bool) bool
}

// PagedCore is a core that can have one chunk for all addresses of a pool, in which memory comes and goes by pages wherever it is
// wanted. So growth is in place, blocks may lie across what came at different times, and pages without blocks may go from anywhere.
type PagedCore interface {
	Core
	// Reserve makes the addresses [base, base+size) a chunk under the number slot, without memory. It comes in pages of so many bytes,
	// counted from base. Remove takes the chunk away, once it has no memory.
	Reserve(slot uint32, base, size, page uint64)

	// Gap returns where the least memory has to come so that a request is served: whole pages, one of them missing at
	// least. The block lies on these pages then, if the core takes it from there. Apart, all of them are missing, and they do not
	// come right behind free memory. Size is 0 if there is no room among the addresses.
	Gap(bytes, align uint64, apart bool) Extent

	// Holes lists the parts of a range that have no memory, in their order.
	Holes(in Extent) []Extent

	// FreePages lists the pages that no block lies in, neighbours together, in the order of their addresses.
	FreePages() []Extent

	// Fill says that memory has come, to a part of a hole, in whole pages.
	Fill(Extent)

	// Vacate says that memory is about to go: whole pages out of what Spare lists, each from one of its parts, in their order.
	Vacate([]Extent)
}

// StreamCore is the core of a pool that is ordered with streams: blocks can be pending in it. A pending block is not live, so that freeing
// it is refused as freeing it twice; but it takes up its place as if it were.
type StreamCore interface {
	Core
	// Defer makes a live block a pending one. It counts as freed. The verdict is that of a free.
	Defer(addr, bytes uint64) Verdict
	// Reuse makes a pending block live again and says where it is. It counts as handed out.
	Reuse(addr, bytes uint64) (slot uint32, off uint64)
	// Reclaim frees a pending block. It was counted when it was deferred.
	Reclaim(addr, bytes uint64) (slot uint32, v Verdict)
	// Undo takes back a block as if it had never been handed out.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)
}

// Extent is a row of addresses.
type Extent struct{ Addr, Size uint64 }

// Verdict is what a core says of a free.
type Verdict uint8

const (
	// Freed: the block was live and is free now.
	Freed Verdict = iota
	// Emptied: as Freed, and it was the last live block of its chunk, or of a page. Cores say so only in pools that
	// trim by themselves; others answer Freed.
	Emptied
	// Foreign: the address is not the start of a block of this core, or the length is another
	// than the block was given out with. Nothing changed.
	Foreign
	// Double: the address is the start of a block that is free already. Nothing changed.
	Double
)

// Usage is the part of [poolrt.Stats] that the suballocator knows. Sizes are in bytes; for numbered
// resources a byte stands for one number.
type Usage struct {
	Live        uint64 // blocks handed out and not freed
	LiveBytes   uint64 // bytes asked for by the live blocks
	PeakBytes   uint64 // largest LiveBytes so far
	Occupied    uint64 // bytes the live blocks take up; LiveBytes plus what rounding adds. Pending blocks are not live
	Allocs      uint64 // blocks handed out so far
	LargestFree uint64 // largest request that would succeed without another chunk
	Cached      uint64 // bytes of freed blocks kept for their class, or for a processor
}
