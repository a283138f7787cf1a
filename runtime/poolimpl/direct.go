package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

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

// allocDirect takes the block from the source, within limit and budget. was is the error so far. The lock is released while the source works.
func (e *Engine) allocDirect(r request, was error) (foundBlock, error) {
	for e.limits.growing > 0 { // one caller is at the source at a time
		if r.over() || !e.waitIdle(r) {
			return foundBlock{}, was
		}
	}
	if e.life.closed {
		return foundBlock{}, poolrt.ErrClosed
	}
	if e.memory.Pages != nil { // growth can use all that the limit leaves
		return foundBlock{}, was
	}
	_, _ = e.retryUnreturned()
	unit := e.memory.Granularity
	if e.memory.Source == nil || r.bytes > uint64(poolrt.NoLimit-max(unit, 1)) {
		return foundBlock{}, was
	}
	size := roundUp(int64(r.bytes), unit)
	switch err := e.limits.claimExactly(e.budget, size); err {
	case nil:
	case poolrt.ErrTooLarge:
		return foundBlock{}, was
	default:
		return foundBlock{}, err
	}
	align := max(int64(r.align), e.config.Alignment)
	c, err := e.fetch(e.memory.Source.Alloc, size, align)
	if err != nil {
		return foundBlock{}, sourceError(err)
	}
	b := e.addDirect(c, r.bytes)
	e.foreign.direct.held.insert(c.extent())
	e.queueEvent(poolrt.EventGrowth, size, nil)
	return b, nil
}

// addDirect makes an allocation of the source a block in use, which was requested with so many bytes.
func (e *Engine) addDirect(c Chunk, bytes uint64) foundBlock {
	e.addReserved(c.Size, 1)
	d := &e.foreign.direct
	d.count++
	d.reserved += c.Size
	b := foundBlock{Ptr: c.Ptr, Addr: c.Addr, Origin: c.Origin}
	e.foreign.noteLive(foreignBlock{foundBlock: b, chunk: c, bytes: bytes})
	d.usage.Allocs++
	e.usage() // updates the peak
	return b
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

// freeDirect returns direct blocks to the source, except shared ones. Those that the source refuses become unreturned: the pool tries them again when memory
// is short, and at Trim and Close. The lock is released while the source works.
func (e *Engine) freeDirect(chunks []Chunk) (released int64, err error) {
	d := &e.foreign.direct
	if len(d.shares) > 0 {
		chunks = slices.DeleteFunc(chunks, func(c Chunk) bool {
			shared := d.shares[c.Addr] > 0
			if shared {
				d.kept = append(d.kept, c)
			}
			return shared
		})
	}
	for _, c := range chunks {
		d.count--
		d.reserved -= c.Size
		d.held.remove(c.extent())
	}
	return e.release(poolrt.EventTrim, chunks, d.owe)
}

// owe notes an allocation that the source refused to take back.
func (d *direct) owe(c Chunk) {
	d.count++
	d.reserved += c.Size
	d.unreturned = append(d.unreturned, c)
}

// owe counts a chunk that the pool cannot use and that the source refused to take back. With ordering driver it was for a graph, and its bytes are counted.
func (e *Engine) owe(c Chunk) {
	if d := e.core.driver; d != nil {
		d.owe(e, c)
		return
	}
	e.addReserved(c.Size, 1)
	e.foreign.direct.owe(c)
}

// overlaps reports whether a chunk overlaps a direct block or an unreturned chunk.
func (d *direct) overlaps(c Chunk) bool {
	return d.held.touch(c.Addr, uint64(c.Size)) || slices.ContainsFunc(d.unreturned, c.overlaps)
}

// retryUnreturned tries again to return chunks that the source has refused to take back, and what a Binder obtained. It returns the memory of graphs that are
// gone. Fences are tried again at the end of each operation.
func (e *Engine) retryUnreturned() (released int64, err error) {
	_ = e.runEndings(nil) // what fails is tried again
	if d := e.core.driver; d != nil {
		d.retryUnused(e)
	}
	released, err = e.giveBackPrivate()
	chunks := e.foreign.direct.unreturned
	if len(chunks) == 0 {
		return released, err
	}
	e.foreign.direct.unreturned = nil
	again, failed := e.freeDirect(chunks)
	return released + again, cmp.Or(err, failed)
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
