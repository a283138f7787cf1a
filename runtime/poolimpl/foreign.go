package poolimpl

import (
	"maps"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// foreign holds the blocks that lie in no chunk of the pool, by address: blocks borrowed from other pools, and direct blocks, which are allocations of the
// source. The lender has more blocks, of its own users and of other borrowers; only a block noted here may be returned through this pool.
type foreign struct {
	blocks map[uint64]foreignBlock
	live   int // number of elements of blocks that are in use
	direct direct

	lending lending // the other direction: blocks of this pool
}

// foreignBlock is a block that lies in no chunk of the pool. A block that was returned is remembered for a while, to recognise a second free.
type foreignBlock struct {
	foundBlock
	borrowed borrowedBlock // nil: the block is from the source
	chunk    Chunk         // from the source
	bytes    uint64        // requested; 0: the block was returned
}

// borrowedBlock is a [borrowing], as an interface, so that programs without the rung pool do not link it.
type borrowedBlock interface {
	place() uint64
	giveBack() error
}

// pendingForeign is a foreign block that was freed on a stream: it is returned when the stream has passed the fence.
type pendingForeign struct {
	foreignBlock
	stream Stream
	fence  Fence // 0: the driver has not recorded one yet
}

// has reports whether a foreign block is in use.
func (f *foreign) has(addr uint64) bool { return f.blocks[addr].bytes != 0 }

func (f *foreign) noteLive(block foreignBlock) {
	if f.blocks == nil {
		f.blocks = make(map[uint64]foreignBlock)
	}
	if f.blocks[block.Addr].bytes == 0 { // else the block was freed through its own pool, which handed it out again
		f.live++
	}
	f.blocks[block.Addr] = block
	f.direct.noteLive(block)
}

// evictBorrowed counts all borrowed blocks as free, whoever uses them, and returns them. The caller returns the blocks to their pools.
func (f *foreign) evictBorrowed() (borrowed []borrowedBlock) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.borrowed != nil {
			f.noteFree(b)
			borrowed = append(borrowed, b.borrowed)
		}
	}
	return borrowed
}

// noteFree notes that a block is free. Free blocks are forgotten when there are many.
func (f *foreign) noteFree(block foreignBlock) {
	f.blocks[block.Addr] = foreignBlock{}
	f.live--
	f.direct.noteFree(block)
	if len(f.blocks) > 2*f.live+1<<10 {
		maps.DeleteFunc(f.blocks, func(_ uint64, b foreignBlock) bool { return b.bytes == 0 })
	}
}

// evict counts all direct blocks as free, whoever uses them, and returns their memory, which the caller returns to the source.
func (f *foreign) evict() (chunks []Chunk) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.chunk.Size != 0 {
			f.noteFree(b)
			chunks = append(chunks, b.chunk)
		}
	}
	return chunks
}

// evictAll is evict for a pool that is being closed: it includes blocks that are free but not returned yet.
func (f *foreign) evictAll(pending []*pendingForeign) []Chunk {
	chunks := slices.Concat(f.evict(), f.direct.unreturned, f.direct.kept)
	for _, p := range pending {
		if p.chunk.Size != 0 {
			chunks = append(chunks, p.chunk)
		}
	}
	f.direct.unreturned, f.direct.kept, f.direct.held = nil, nil, nil
	f.direct.count, f.direct.reserved = 0, 0
	return chunks
}

// chunks lists the memory of direct blocks.
func (f *foreign) chunks(pending []*pendingForeign) (all []poolrt.ChunkSnapshot) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.borrowed == nil {
			all = append(all, b.chunk.snapshot(poolrt.PieceLive, b.bytes))
		}
	}
	for _, b := range pending {
		if b.borrowed == nil {
			all = append(all, b.chunk.snapshot(poolrt.PiecePending, b.bytes))
		}
	}
	for _, c := range slices.Concat(f.direct.unreturned, f.direct.kept) {
		all = append(all, c.snapshot(poolrt.PieceWaste, 0))
	}
	return all
}

// hold places a hold on the memory of a direct block.
func (f *foreign) hold(addr, bytes uint64) (hold, error) {
	b, known := f.blocks[addr]
	switch {
	case !known || b.bytes != 0 && b.bytes != bytes:
		return hold{}, poolrt.ErrForeign
	case b.bytes == 0:
		return hold{}, poolrt.ErrDoubleFree
	case b.borrowed != nil:
		return hold{}, errBorrowed
	}
	d := &f.direct
	if d.shares == nil {
		d.shares = make(map[uint64]int)
	}
	d.shares[b.chunk.Addr]++
	return hold{chunk: b.chunk, direct: true}, nil
}

// direct counts the direct blocks, which are allocations of the source, made by the rung driver or opened by Adopt. Each counts as reserved and is returned
// when it is freed. unreturned and kept are included in count and reserved.
type direct struct {
	usage      Usage   // Live, LiveBytes, Occupied and Allocs of direct blocks; PeakBytes of the whole pool, as far as it was observed here
	count      int64   // allocations that the source has not got back and is not getting back
	reserved   int64   // bytes of these
	held       extents // the memory of direct blocks of the rung driver
	unreturned []Chunk // what the source refused to take back: direct blocks, and chunks that the pool could not use

	shares map[uint64]int // number of times that each was shared with another process, by address
	kept   []Chunk        // free, but shared: they stay until the pool is closed
}

// noteLive counts a block in use, if it is direct.
func (d *direct) noteLive(f foreignBlock) {
	if f.chunk.Size == 0 {
		return
	}
	d.usage.Live++
	d.usage.LiveBytes += f.bytes
	d.usage.Occupied += uint64(f.chunk.Size)
}

// noteFree counts a freed block, if it is direct.
func (d *direct) noteFree(f foreignBlock) {
	if f.chunk.Size == 0 {
		return
	}
	d.usage.Live--
	d.usage.LiveBytes -= f.bytes
	d.usage.Occupied -= uint64(f.chunk.Size)
}

// owe notes an allocation that the source refused to take back.
func (d *direct) owe(c Chunk) {
	d.count++
	d.reserved += c.Size
	d.unreturned = append(d.unreturned, c)
}

// overlaps reports whether a chunk overlaps a direct block or an unreturned chunk.
func (d *direct) overlaps(c Chunk) bool {
	return d.held.touch(c.Addr, uint64(c.Size)) || slices.ContainsFunc(d.unreturned, c.overlaps)
}

// letGo ends a hold on a direct block, and returns its memory if that should be returned now.
func (d *direct) letGo(c Chunk) []Chunk {
	if d.shares[c.Addr]--; d.shares[c.Addr] > 0 {
		return nil
	}
	delete(d.shares, c.Addr)
	for i, k := range d.kept {
		if k.Addr == c.Addr {
			d.kept = append(d.kept[:i], d.kept[i+1:]...)
			return []Chunk{k}
		}
	}
	return nil
}
