package poolimpl

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// foreign are the blocks that did not come from the pool's chunks, by address: those of other pools, and those that are allocations
// of the source. Other pools have more blocks, of their own users and of other borrowers: only what is noted here may go back through this pool.
type foreign struct {
	blocks map[uint64]foreignBlock
	live   int // of blocks: those that are not back
	direct direct
}

// foreignBlock is a block that did not come from a chunk. One that went back is remembered for a while, to tell a second free.
type foreignBlock struct {
	foundBlock
	lender *Engine // nil: the source
	chunk  Chunk   // from the source
	bytes  uint64  // asked for; 0: it is back
}

// pendingForeign is one that was freed on a stream: it goes back when the stream has passed the fence.
type pendingForeign struct {
	foreignBlock
	stream Stream
	fence  Fence
}

// borrow takes the block from another pool: the one that the rung names, or that of it which is on the same device.
func (e *Engine) borrow(r request, pool func(device int) *Engine) (b foundBlock, err error) {
	var lender *Engine
	device := e.memory.Device
	e.unlocked(func() {
		lender = pool(device)
		if err = lender.canLend(device); err == nil {
			b, err = lender.alloc(request{bytes: r.bytes, align: r.align})
		}
	})
	if err != nil {
		return foundBlock{}, err
	}
	if Debug {
		place := b.Addr * lender.observed.debug.apart()
		if place%e.observed.debug.apart() != 0 { // the core cannot express the place
			e.unlocked(func() { _ = lender.Free(place, r.bytes) })
			return foundBlock{}, poolrt.ErrUnsupported
		}
		b.Addr = place / e.observed.debug.apart()
	}
	e.foreign.noteLive(foreignBlock{foundBlock: b, lender: lender, bytes: r.bytes})
	return b, nil
}

// canLend returns nil if a pool whose memory is on the device may have blocks of this one.
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

// returnForeign gives a block back to where it came from: at once, or when a stream has passed what it was given by now. It returns nil, or what is
// wrong with the block.
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
		e.foreign.noteLive(f) // as it was
		return err
	}
	e.streams.foreign = append(e.streams.foreign, pendingForeign{f, *s, fence})
	return nil
}

// giveBack gives a block that is free to its owner.
func (e *Engine) giveBack(f foreignBlock) (err error) {
	if f.lender == nil {
		_, _ = e.freeDirect([]Chunk{f.chunk})
		return nil
	}
	e.unlocked(func() { err = f.lender.Free(e.observed.debug.placed(f.Addr, f.bytes).Addr, f.bytes) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, poolrt.ErrDoubleFree):
		return poolrt.ErrDoubleFree
	case Debug && errors.Is(err, poolrt.ErrCorrupt): // it is back all the same
		return err
	}
	return poolrt.ErrForeign // somebody gave it back over there
}

func (p pendingForeign) until() Fence { return p.fence }

// reclaimForeignAt gives one of the pending blocks back.
func (e *Engine) reclaimForeignAt(at int) (frees int) {
	f := e.streams.foreign[at]
	e.streams.foreign = slices.Delete(e.streams.foreign, at, at+1)
	e.streams.dropFence(f.fence)
	_ = e.giveBack(f.foreignBlock)
	e.returned(1, nil)
	return 1
}

// has reports whether a block from elsewhere is in use.
func (f *foreign) has(addr uint64) bool { return f.blocks[addr].bytes != 0 }

func (f *foreign) noteLive(block foreignBlock) {
	if f.blocks == nil {
		f.blocks = make(map[uint64]foreignBlock)
	}
	if f.blocks[block.Addr].bytes == 0 { // else somebody gave it back over there
		f.live++
	}
	f.blocks[block.Addr] = block
	f.direct.noteLive(block)
}

// noteFree notes that a block is free. Those are forgotten when they are many.
func (f *foreign) noteFree(block foreignBlock) {
	f.blocks[block.Addr] = foreignBlock{}
	f.live--
	f.direct.noteFree(block)
	if len(f.blocks) > 2*f.live+1<<10 {
		maps.DeleteFunc(f.blocks, func(_ uint64, b foreignBlock) bool { return b.bytes == 0 })
	}
}
