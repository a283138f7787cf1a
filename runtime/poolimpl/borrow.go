package poolimpl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// foreign holds the blocks that lie in no chunk of the pool, by address: blocks borrowed from other pools, and direct blocks, which are allocations of the
// source. The lender has more blocks, of its own users and of other borrowers; only a block noted here may be returned through this pool.
type foreign struct {
	blocks map[uint64]foreignBlock
	live   int // number of elements of blocks that are in use
	direct direct

	lending atomic.Int64 // number of blocks of this pool that other pools have borrowed; those count them without mu
}

// foreignBlock is a block that lies in no chunk of the pool. A block that was returned is remembered for a while, to recognise a second free.
type foreignBlock struct {
	foundBlock
	lender *Engine // nil: the source
	chunk  Chunk   // from the source
	bytes  uint64  // requested; 0: the block was returned
}

// pendingForeign is a foreign block that was freed on a stream: it is returned when the stream has passed the fence.
type pendingForeign struct {
	foreignBlock
	stream Stream
	fence  Fence
}

// borrow takes the block from another pool: the one that the rung names or, if that exists once for each device, the one on this pool's device.
func (e *Engine) borrow(r request, pool func(device int) *Engine) (b foundBlock, err error) {
	var lender *Engine
	device := e.memory.Device
	e.unlocked(func() {
		lender = pool(device)
		if err = lender.canLend(device); err == nil {
			b, err = lender.lend(r)
		}
	})
	if err != nil {
		return foundBlock{}, err
	}
	if Debug {
		place := b.Addr * lender.observed.debug.apart()
		if place%e.observed.debug.apart() != 0 { // the core cannot express the address
			e.unlocked(func() { _ = lender.Free(place, r.bytes) })
			lender.foreign.lending.Add(-1)
			return foundBlock{}, poolrt.ErrUnsupported
		}
		b.Addr = place / e.observed.debug.apart()
	}
	if e.foreign.has(b.Addr) { // the block was freed through its own pool, which has handed it out again
		lender.foreign.lending.Add(-1)
	}
	e.foreign.noteLive(foreignBlock{foundBlock: b, lender: lender, bytes: r.bytes})
	return b, nil
}

// lend allocates a block for another pool, and counts it as borrowed first: FreeAll must not come between. The caller does not hold e.mu.
func (e *Engine) lend(r request) (b foundBlock, err error) {
	e.foreign.lending.Add(1)
	done := false
	defer func() { // also if a source or an event hook panics
		if !done {
			e.foreign.lending.Add(-1)
		}
	}()
	b, err = e.alloc(request{bytes: r.bytes, align: r.align})
	done = err == nil
	return b, err
}

// canLend returns nil if a pool whose memory is on the device may borrow blocks of this pool. The caller does not hold e.mu.
func (e *Engine) canLend(device int) error {
	e.lock()
	defer e.unlockAndNotify()
	err := error(poolrt.ErrClosed)
	if !e.life.closed {
		err = e.openLazily()
	}
	if err == nil && e.memory.Device != device {
		err = fmt.Errorf("%w: the pool is on device %d", poolrt.ErrUnsupported, e.memory.Device)
	}
	if err != nil {
		return e.newError("lend", err)
	}
	return nil
}

// returnForeign returns a block to its owner: at once, or when the stream has completed the work queued so far. It returns nil, or what is wrong with the
// block.
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
	fence, err := e.streams.recordFence(*s)
	if err != nil {
		e.foreign.noteLive(f) // as before
		return err
	}
	e.streams.pendingForeign = append(e.streams.pendingForeign, pendingForeign{f, *s, fence})
	return nil
}

// giveBack returns a free block to its owner.
func (e *Engine) giveBack(f foreignBlock) (err error) {
	if f.lender == nil {
		_, _ = e.freeDirect([]Chunk{f.chunk})
		return nil
	}
	e.unlocked(func() { err = f.lender.Free(e.observed.debug.placed(f.Addr, f.bytes).Addr, f.bytes) })
	f.lender.foreign.lending.Add(-1)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, poolrt.ErrDoubleFree):
		return poolrt.ErrDoubleFree
	case Debug && errors.Is(err, poolrt.ErrCorrupt): // the block was freed all the same
		return err
	}
	return poolrt.ErrForeign // the block was freed through its own pool
}

// returnBorrowed returns all borrowed blocks to their pools. It reports damage that their pools find; a block that was freed through its own pool is no error.
func (e *Engine) returnBorrowed() error {
	var errs []error
	for _, f := range e.foreign.evictBorrowed() {
		if err := e.giveBack(f); errors.Is(err, poolrt.ErrCorrupt) {
			errs = append(errs, err)
		}
	}
	return Join(errs...)
}

func (p pendingForeign) until() Fence { return p.fence }

// reclaimForeignAt returns one of the pending blocks to its owner.
func (e *Engine) reclaimForeignAt(at int) (frees int) {
	f := e.streams.pendingForeign[at]
	e.streams.pendingForeign = slices.Delete(e.streams.pendingForeign, at, at+1)
	e.streams.dropFence(f.fence)
	_ = e.giveBack(f.foreignBlock)
	e.returned(1, nil)
	return 1
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

// evictBorrowed counts all borrowed blocks as free, whoever uses them, and returns them. The caller returns them to their pools.
func (f *foreign) evictBorrowed() (borrowed []foreignBlock) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.lender != nil {
			borrowed = append(borrowed, b)
		}
	}
	for _, b := range borrowed {
		f.noteFree(b)
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
