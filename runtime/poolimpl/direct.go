package poolimpl

import (
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// direct counts the blocks that are allocations of the source, for the rung driver. Each is counted in what the pool has reserved, and goes back when it is freed.
// unreturned and kept are part of count and reserved.
type direct struct {
	usage      Usage   // Live, LiveBytes, Occupied and Allocs of these blocks; PeakBytes of all the pool's, as far as seen here
	count      int64   // how many the source has not got back, and is not getting back
	reserved   int64   // their bytes
	unreturned []Chunk // those that the source did not take

	shares map[uint64]int // what was shared of them with other processes, by address
	kept   []Chunk        // those that are free, and stay until the pool is closed because they were shared
}

// allocDirect takes the block from the source, within the limit and the budget. was is what has gone wrong so far.
func (e *Engine) allocDirect(r request, was error) (foundBlock, error) {
	for e.limits.growing > 0 { // one caller asks at a time
		if r.over() || !e.waitIdle(r) {
			return foundBlock{}, was
		}
	}
	if e.life.closed {
		return foundBlock{}, poolrt.ErrClosed
	}
	if e.memory.Pages != nil { // what the limit leaves, growth has
		return foundBlock{}, was
	}
	_, _ = e.retryUnreturned()
	unit := e.memory.Granularity
	if e.memory.Source == nil || r.bytes > uint64(poolrt.NoLimit-max(unit, 1)) {
		return foundBlock{}, was
	}
	size := roundUp(int64(r.bytes), unit)
	switch err := e.limits.claimExactly(e.config.Budget, size); err {
	case nil:
	case poolrt.ErrTooLarge:
		return foundBlock{}, was
	default:
		return foundBlock{}, err
	}
	c, err := e.fetch(size, max(int64(r.align), e.config.Alignment))
	if err != nil {
		return foundBlock{}, sourceError(err)
	}
	b := e.addDirect(c, r.bytes)
	e.queueEvent(poolrt.EventGrowth, size, nil)
	return b, nil
}

// addDirect makes a chunk that has come a block in use, which was asked for with that many bytes.
func (e *Engine) addDirect(c Chunk, bytes uint64) foundBlock {
	e.addReserved(c.Size, 1)
	d := &e.foreign.direct
	d.count++
	d.reserved += c.Size
	b := foundBlock{Ptr: c.Ptr, Addr: c.Addr, Origin: c.Origin}
	e.foreign.noteLive(foreignBlock{foundBlock: b, chunk: c, bytes: bytes})
	d.usage.Allocs++
	e.usage() // for the peak
	return b
}

// noteLive counts a block in use.
func (d *direct) noteLive(f foreignBlock) {
	if f.chunk.Size == 0 {
		return
	}
	d.usage.Live++
	d.usage.LiveBytes += f.bytes
	d.usage.Occupied += uint64(f.chunk.Size)
}

// noteFree counts one that is not.
func (d *direct) noteFree(f foreignBlock) {
	if f.chunk.Size == 0 {
		return
	}
	d.usage.Live--
	d.usage.LiveBytes -= f.bytes
	d.usage.Occupied -= uint64(f.chunk.Size)
}

// freeDirect gives memory back to the source, save for what was shared. What the source does not take becomes unreturned, which is tried again when memory is short,
// trimmed or closed.
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
	}
	return e.release(chunks, func(c Chunk) {
		d.count++
		d.reserved += c.Size
		d.unreturned = append(d.unreturned, c)
	})
}

// retryUnreturned tries again what the source did not take.
func (e *Engine) retryUnreturned() (released int64, err error) {
	chunks := e.foreign.direct.unreturned
	if len(chunks) == 0 {
		return 0, nil
	}
	e.foreign.direct.unreturned = nil
	return e.freeDirect(chunks)
}

// evict takes the memory of all blocks from the source, whoever has them.
func (f *foreign) evict() (chunks []Chunk) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.chunk.Size != 0 {
			f.noteFree(b)
			chunks = append(chunks, b.chunk)
		}
	}
	return chunks
}

// evictAll is evict for a pool that ends, with what is on its way back.
func (f *foreign) evictAll(pending []pendingForeign) []Chunk {
	chunks := slices.Concat(f.evict(), f.direct.unreturned, f.direct.kept)
	for _, p := range pending {
		if p.chunk.Size != 0 {
			chunks = append(chunks, p.chunk)
		}
	}
	f.direct.unreturned, f.direct.kept = nil, nil
	f.direct.count, f.direct.reserved = 0, 0
	return chunks
}
