package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// allocDirect takes the block from the source, within limit and budget. was is the error so far. The lock is released while the source works.
func (e *Engine) allocDirect(r request, was error) (foundBlock, error) {
	for e.limits.growing > 0 { // one caller is at the source at a time
		if r.over() || !e.activity.waitIdle(r) {
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
	e.figures.queueEvent(poolrt.EventGrowth, size, nil)
	return b, nil
}

// addDirect makes an allocation of the source a block in use, which was requested with so many bytes.
func (e *Engine) addDirect(c Chunk, bytes uint64) foundBlock {
	e.limits.add(&e.figures, c.Size, 1)
	d := &e.foreign.direct
	d.count++
	d.reserved += c.Size
	b := foundBlock{Ptr: c.Ptr, Addr: c.Addr, Origin: c.Origin}
	e.foreign.noteLive(foreignBlock{foundBlock: b, chunk: c, bytes: bytes})
	d.usage.Allocs++
	e.usage() // updates the peak
	return b
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

// returnForeign returns a block to its owner: at once, or when the stream has completed the work queued so far. It returns nil, or what is wrong with the
// block. It does not report errors of the driver: the block stays pending until the driver has recorded a fence.
func (e *Engine) returnForeign(addr, bytes uint64, s *Stream) error {
	f, known := e.foreign.blocks[addr]
	switch {
	case !known || f.bytes != 0 && f.bytes != bytes:
		return poolrt.ErrForeign
	case f.bytes == 0:
		return poolrt.ErrDoubleFree
	}
	e.foreign.noteFree(f)
	if s == nil {
		return e.giveBack(f)
	}
	e.streams.pendingForeign = append(e.streams.pendingForeign, &pendingForeign{foreignBlock: f, stream: *s})
	e.streams.anyForeign.Store(true)
	_ = e.order.fenceForeign() // what gets no fence now gets a later one
	return nil
}

// giveBack returns a free block to its owner.
func (e *Engine) giveBack(f foreignBlock) (err error) {
	if f.borrowed == nil {
		_, _ = e.freeDirect([]Chunk{f.chunk})
		return nil
	}
	e.unlocked(func() { err = f.borrowed.giveBack() })
	return err
}

// retryUnreturned tries again to return chunks that the source has refused to take back, and what a Binder obtained. It returns the memory of graphs that are
// gone. Fences are tried again at the end of each operation.
func (e *Engine) retryUnreturned() (released int64, err error) {
	_ = e.memory.runEndings(&e.activity, nil) // what fails is tried again
	if d := e.core.driver; d != nil {
		d.retryUnused(e)
	}
	released, err = e.graphs.giveBackPrivate(e)
	chunks := e.foreign.direct.unreturned
	if len(chunks) == 0 {
		return released, err
	}
	e.foreign.direct.unreturned = nil
	again, failed := e.freeDirect(chunks)
	return released + again, cmp.Or(err, failed)
}
