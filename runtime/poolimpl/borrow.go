package poolimpl

import (
	"cmp"
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

// borrow takes the block from another pool: the one that the rung names or, if that exists once for each device, the one on this pool's device.
func (e *Engine) borrow(r request, pool func(device int) *Engine) (b foundBlock, err error) {
	var l borrowedBlock
	device := e.memory.Device
	e.unlocked(func() { b, l, err = pool(device).lend(r, device) })
	if err != nil {
		return foundBlock{}, err
	}
	apart := e.observed.debug.apart()
	switch {
	case e.life.closed: // meanwhile
		err = poolrt.ErrClosed
	case l.place()%apart != 0: // the core cannot express the address
		err = poolrt.ErrUnsupported
	}
	if err != nil {
		e.unlocked(func() { _ = l.giveBack() })
		return foundBlock{}, err
	}
	b.Addr = l.place() / apart
	e.foreign.noteLive(foreignBlock{foundBlock: b, borrowed: l, bytes: r.bytes})
	return b, nil
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

// fenceForeign makes a fence for each pending foreign block that has none. If one stream gets no fence, the others still do.
func (s *streams) fenceForeign() (err error) {
	for _, p := range slices.Clone(s.pendingForeign) { // recording releases the lock, and the list may change
		if p.fence != 0 {
			continue
		}
		fence, failed := s.driver().record(p.stream)
		switch {
		case failed != nil:
			err = cmp.Or(err, failed)
		case p.fence != 0: // another caller was faster
			s.fences.drop(fence)
		default:
			p.fence = fence
		}
	}
	return err
}

// reclaimForeignAt returns one of the pending blocks to its owner.
func (e onStreams) reclaimForeignAt(at int) (frees int) {
	p := e.streams.pendingForeign[at]
	e.streams.pendingForeign = slices.Delete(e.streams.pendingForeign, at, at+1)
	e.streams.anyForeign.Store(len(e.streams.pendingForeign) > 0)
	e.streams.fences.drop(p.fence)
	defer e.returned(1, nil) // also if an event hook of the lender panics
	_ = e.giveBack(p.foreignBlock)
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

// pendingBorrowed returns the borrowed blocks that were freed on streams.
func (s *streams) pendingBorrowed() (borrowed []borrowedBlock) {
	for _, p := range s.pendingForeign {
		if p.borrowed != nil {
			borrowed = append(borrowed, p.borrowed)
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
