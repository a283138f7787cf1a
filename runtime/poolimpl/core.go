package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Core is a suballocator: it divides chunks into blocks. To a core, chunks and blocks are numbers; it never touches the memory. So one algorithm serves host
// memory, device memory and numbered resources. Generated code calls the concrete type on its fast path; only the slow path, in [Engine], goes through this
// interface.
//
// A Core is not safe for concurrent use: the pool's lock, or the user of a pool without a lock, orders the calls. The zero value of each implementation is an
// empty Core, ready for Add.
type Core interface {
	// Add makes the chunk [base, base+size) available under the number slot. Slots are small numbers, used again after Remove. Chunks never overlap. They may
	// touch, but a block lies within one chunk.
	Add(slot uint32, base, size uint64)

	// Remove removes a chunk. Used(slot) must be 0; Remove first drops what the core has cached in the chunk, such as free blocks of a size class or an empty
	// slab.
	Remove(slot uint32)

	// Used returns the bytes of the chunk that live and pending blocks take up, including rounding, and free blocks that share memory of one size with them.
	// 0 means that the chunk can be removed.
	Used(slot uint32) uint64

	// Need returns the size of a chunk that is sure to serve the request if it is added now at a base that is a multiple of align; 0 if no chunk of any size
	// could.
	Need(bytes, align uint64) uint64

	// Alloc takes a block of at least bytes bytes whose address is a multiple of align, a power of two, and of the pool's own alignment. It returns the slot
	// of the block's chunk and the offset of the block in it. If no chunk has room, Alloc changes nothing and fails.
	Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Free frees the block at addr, which was requested with so many bytes, and returns the slot of its chunk. If no live block of that length is there, Free
	// changes nothing; the verdict says why.
	Free(addr, bytes uint64) (slot uint32, v Verdict)

	// Undo is Free for a block that was not handed out in the end: it takes the block back from the number of allocations, but may leave the peak.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)

	// Flush makes memory that is cached for one size or class available to all requests, and reports whether there was any.
	Flush() bool

	// Usage counts what the core holds. It may visit every chunk, but not every block.
	Usage() Usage

	// Walk calls see with the pieces of a chunk in order of address, until see returns false. The first piece is the one that contains the offset from, or
	// one a little before it. Whatever no piece covers is waste. Walk changes nothing, finds the first piece as quickly as it can, and takes a short time
	// from one piece to the next. Free neighbours may be one piece or several. see must not call the core.
	Walk(slot uint32, from uint64, see func(poolrt.Piece) bool)
}

// FindingCore is a core that finds a block by its address.
type FindingCore interface {
	Core
	// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with.
	BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool)
}

// PeakCore is a core that counts Usage.PeakBytes, as all of the templates do.
type PeakCore interface {
	Core
	// ResetPeak sets the peak to what is live now.
	ResetPeak()
}

// SharedCore is a core that any number of goroutines call at once, without the pool's lock. It is safe for concurrent use, except that the lock orders the
// calls that change the chunks. Walk shows each piece as it is at some moment of the call.
type SharedCore interface {
	Core // Alloc may miss free blocks: it may search only what is close to the caller's processor

	// AllocAny is Alloc, but finds any free block, except in a chunk that Evict or Steal is at work on.
	AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Evict is Remove for a chunk that may have live blocks: then it changes nothing and reports false.
	Evict(slot uint32) bool

	// Steal moves an empty chunk from another processor to the caller's, and reports whether there was any.
	Steal() bool

	// Shut hands out no more blocks, and forgets the chunks. While blocks are live, Shut changes nothing and reports false, unless force is set. Usage stays
	// as it was.
	Shut(force bool) bool
}

// EmptyingCore is a SharedCore that notes which chunks may have become empty.
type EmptyingCore interface {
	SharedCore
	// AnyEmpty reports whether Used of any chunk is 0. Cost: a look at what has changed since it was called last. The pool's lock orders it with the calls that
	// change the chunks.
	AnyEmpty() bool
}

// SearchedCore is a SharedCore that goroutines search at the limit of a pool. AllocOrCount needs no lock, whatever changes the chunks meanwhile.
type SearchedCore interface {
	SharedCore
	// AllocOrCount is AllocAny after Flush. If it finds no block, it returns what Usage does.
	AllocOrCount(bytes, align uint64) (slot uint32, off uint64, u Usage, ok bool)
}

// SlabCore is a SharedCore that keeps free blocks for requests of one size, in slabs, as long as the pool can grow. Its AllocAny dissolves slabs if need be.
type SlabCore interface {
	SharedCore
	// AllocSparing is AllocAny, except that it dissolves no slab.
	AllocSparing(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Serves reports whether slabs serve requests of that many bytes.
	Serves(bytes uint64) bool

	// FlushFor is Flush before a pool grows for a request. If slabs serve such requests, all slabs stay: processors would lose theirs again and again.
	FlushFor(bytes uint64) bool
}

// HoardingCore is a core that keeps free blocks, of any size, from requests of other sizes until Flush.
type HoardingCore interface {
	Core
	// Hoard returns the bytes of those blocks.
	Hoard() uint64
	// KeepLarge makes the core keep an empty chunk that is larger than the usual ones for requests that take up most of it. Flush ends that until the next
	// chunk comes, if the core hoards nothing.
	KeepLarge()
}

// RangeCore is a core that is faster if its chunks lie in one range of addresses, at distances that are multiples of a step.
type RangeCore interface {
	Core
	// Step returns the number of bytes of which the distances are multiples. For as many bytes of the range, the core keeps one entry.
	Step() uint64
	// Range says, before any Add, that chunks usually lie in the range that starts at base, which has the number slot: at multiples of step bytes, the lowest
	// first. A longer chunk takes up several. Entries are memory for those of the whole range: of a chunk that the core has, they may be written to, and are 0 at first;
	// of those that it had, they may be read. The slice has no capacity beyond them.
	Range(slot uint32, base, step uint64, entries []uint32)
}

// ParamCore is a core with parameters, which [Config.Core] has. The engine calls Set once, before all other methods. Until then the core has no blocks, but the
// fast path may ask for one.
type ParamCore interface {
	Core
	// Set sets the parameters: a pointer to a struct that the package of the core declares.
	Set(params any)
}

// FeaturedCore is a core whose parameters say which of the optional interfaces that its type implements the pool uses.
type FeaturedCore interface {
	ParamCore
	// Features returns those interfaces. The engine calls it after Set.
	Features() Features
}

// Features are those of the optional interfaces of a [FeaturedCore] that not each pool uses.
type Features struct {
	Streams bool // StreamCore, GatheringCore
	Spreads bool // SpreadingCore
	Rounds  bool // RoundingCore
	Ranges  bool // RangeCore
	Pages   bool // PagedCore
	Moves   bool // MovingCore
	Shares  bool // SharingCore
	Classes bool // ClassCore
	Hoards  bool // HoardingCore
	Samples bool // SampledCore
}

// PagedCore is a core that can treat a range of addresses as a chunk to which memory is mapped by pages wherever it is needed. Growth is then in place, a
// block may lie across memory that was mapped at different times, and pages without blocks can be returned wherever they are.
type PagedCore interface {
	Core
	// Reserve makes the addresses [base, base+size) a chunk under the number slot, without memory. Memory is mapped in pages of page bytes, counted from
	// base; all chunks have pages of the same size. Remove removes the chunk once it has no memory.
	Reserve(slot uint32, base, size, page uint64)

	// Gap returns the range where memory should be mapped so that the request can be served: whole pages of one chunk, at least one of them unmapped. The
	// block then lies on these pages, if Alloc takes it from there. Size is 0 if no chunk has room.
	Gap(bytes, align uint64, by GapRule) Extent

	// Holes lists the parts of a range that have no memory, in order of address.
	Holes(in Extent) []Extent

	// FreePages lists the pages on which no block lies, neighbours joined, in order of address.
	FreePages() []Extent

	// Fill notes that memory was mapped to part of a hole, in whole pages.
	Fill(Extent)

	// Vacate notes that memory will be unmapped: whole pages, each range within one of those that FreePages lists, in order of address. It returns them, without
	// those on which a [SharedCore] has meanwhile handed out a block.
	Vacate([]Extent) []Extent
}

// MovingCore is a PagedCore whose pages can move while streams may be using them where they were: in a pool that is ordered with streams.
type MovingCore interface {
	PagedCore
	// Bar keeps memory away from whole pages of a hole until Unbar: they are not among Holes, and no Gap has any of them.
	Bar(Extent)

	// Unbar ends Bar for the same pages.
	Unbar(Extent)
}

// GapRule says which range a [PagedCore] chooses.
type GapRule uint8

const (
	// LeastMemory: the range for which the least memory has to be mapped.
	LeastMemory GapRule = iota
	// LeastPages: the range with the fewest pages on which no block lies, mapped or not. So the most pages are left for other requests.
	LeastPages
	// Apart: all pages of the range are unmapped, and the range does not directly follow free memory.
	Apart
)

// StreamCore is the core of a pool that is ordered with streams: its blocks can be pending. A pending block is not live, so freeing it is a double free; but
// it takes up its place as a live block does.
type StreamCore interface {
	Core
	// Defer makes a live block pending. This counts as a free, and the verdict is that of a free.
	Defer(addr, bytes uint64) Verdict
	// Reuse makes a pending block live again and returns its place. This counts as an allocation.
	Reuse(addr, bytes uint64) (slot uint32, off uint64)
	// Reclaim frees a pending block. Defer has counted the free.
	Reclaim(addr, bytes uint64) (slot uint32, v Verdict)
	// Undo takes back a block as if it had never been handed out.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)
}

// GatheringCore is a StreamCore that frees several pending blocks in one step if they lie together.
type GatheringCore interface {
	StreamCore
	// ReclaimRun is Reclaim for the first of some blocks of so many bytes each, and for those behind it, up to the first that does not lie with it. It returns
	// how many. The verdict is that of the last one; a verdict of the others would be Freed.
	ReclaimRun(addrs []uint64, bytes uint64) (n int, slot uint32, v Verdict)
}

// SpreadingCore is a StreamCore that spreads the blocks of different streams over cache lines, as far as there is room: a stream keeps the blocks that are freed
// on it, while its goroutine moves from one processor to another.
type SpreadingCore interface {
	StreamCore
	// AllocOn is Alloc, with the alignment that all blocks have, for a block that is used on the stream with a number first.
	AllocOn(stream, bytes uint64) (slot uint32, off uint64, ok bool)
}

// RoundingCore is a StreamCore that rounds requests up to a few lengths. A pending block can serve any request that is rounded up to the same length.
type RoundingCore interface {
	StreamCore
	// Rounded returns the length that a request is rounded up to.
	Rounded(bytes uint64) uint64
	// DeferRounded is Defer, and returns the length of the largest request that Reuse may make the block live for: what the request for the block was rounded
	// up to, or bytes if it was not.
	DeferRounded(addr, bytes uint64) (rounded uint64, v Verdict)
}

// Extent is a range of addresses.
type Extent struct{ Addr, Size uint64 }

// Verdict is a core's answer to a free.
type Verdict uint8

const (
	// Freed: the block was live and is now free.
	Freed Verdict = iota
	// Emptied: as Freed, and the block was the last live one of its chunk or of a page. Cores report this only in pools that trim by themselves; other cores
	// report Freed.
	Emptied
	// Foreign: the address is not the start of a block of this core, or the block was handed out with another length. Nothing changed.
	Foreign
	// Double: the address is the start of a block that is free or pending. Nothing changed.
	Double
)

// Usage is the part of [poolrt.Stats] that the suballocator counts. Sizes are in bytes; for numbered resources a byte stands for one number.
type Usage struct {
	Live        uint64 // blocks handed out and not freed
	LiveBytes   uint64 // bytes requested for the live blocks
	PeakBytes   uint64 // largest LiveBytes so far
	Occupied    uint64 // bytes that the live blocks take up: LiveBytes plus rounding. Pending blocks are not live
	Allocs      uint64 // blocks handed out so far
	LargestFree uint64 // largest request that can be served without another chunk
	Retired     uint64 // blocks that are not handed out again
	Cached      uint64 // bytes of freed blocks that are kept for their class or by a processor
}

// Tally counts the blocks that a suballocator hands out, and the bytes requested. Its zero value has counted nothing. Each method costs a few instructions
// and is inlined. A Tally is not safe for concurrent use.
type Tally struct {
	live, bytes  uint64
	allocs, peak uint64
}

// CountAlloc counts a block of n bytes that is handed out.
func (t *Tally) CountAlloc(n uint64) {
	t.allocs++
	t.CountLive(n)
	if t.bytes > t.peak {
		t.peak = t.bytes
	}
}

// CountLive counts a block of n bytes as live, but not as an allocation, and leaves the peak.
func (t *Tally) CountLive(n uint64) {
	t.live++
	t.bytes += n
}

// CountFree counts a live block of n bytes as freed.
func (t *Tally) CountFree(n uint64) {
	t.live--
	t.bytes -= n
}

// CountResize counts a live block of old bytes as one of n bytes.
func (t *Tally) CountResize(old, n uint64) {
	t.bytes += n - old
	t.peak = max(t.peak, t.bytes)
}

// CountReset counts all live blocks as freed.
func (t *Tally) CountReset() { t.live, t.bytes = 0, 0 }

// ResetPeak implements [PeakCore].
func (t *Tally) ResetPeak() { t.peak = t.bytes }

// Uncount subtracts one allocation.
func (t *Tally) Uncount() { t.allocs-- }

// Usage returns the counts. The suballocator adds what the blocks occupy and what is free.
func (t *Tally) Usage() Usage {
	return Usage{Live: t.live, LiveBytes: t.bytes, PeakBytes: t.peak, Allocs: t.allocs}
}
