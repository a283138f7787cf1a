package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Find is FindFor for a call that only finds a block, of any length.
func (e *Engine) Find(place, item uint64) (Block, error) {
	return e.FindFor("find", place, item, AnyLength)
}

// AnyLength stands for the bytes of a block of any length.
const AnyLength = ^uint64(0)

// FindFor returns the live block that starts at a place, as a number of items of item bytes each. Unless bytes is [AnyLength], the block has to have as
// many. If no such block starts there, the error matches [poolrt.ErrInvalidFree], as that of a free would: [poolrt.ErrDoubleFree] if the place is known to be
// that of a block that is free or pending, else [poolrt.ErrForeign]. It names op, the call that looks for the block. Cost: the lock, and what [FindingCore]
// says or, with another core, a search of the chunks and a look at a few pieces of one of them. The caller does not hold e.mu.
func (e *Engine) FindFor(op string, place, item, bytes uint64) (Block, error) {
	if Debug {
		if _, err := e.observed.debug.beginUse(e, op); err != nil {
			return Block{}, err
		}
		defer e.observed.debug.endUse(e)
	}
	e.lock()
	defer e.unlockAndNotify()
	var b foundBlock
	var n uint64
	err := e.observed.debug.mayFind(place)
	if err == nil {
		b, n, err = e.liveAt(place / e.observed.debug.apart())
	}
	switch {
	case e.life.closed:
		err = poolrt.ErrClosed
	case err == nil && bytes != AnyLength && bytes != n:
		err = poolrt.ErrForeign
	}
	if err != nil {
		return Block{}, detailed(e.newError(op, err), "%s", e.config.called(place))
	}
	return Block{b, int(n / item)}, nil
}

// liveAt returns the live block that starts at an address, and the bytes that were requested.
func (e *Engine) liveAt(addr uint64) (b foundBlock, bytes uint64, err error) {
	f, known := e.foreign.blocks[addr]
	if f.bytes != 0 {
		return f.foundBlock, f.bytes, nil
	}
	if b, bytes, ok := e.guards.at(addr); ok {
		return b, bytes, nil
	}
	ofDriver, v := e.core.blockOfDriver(addr)
	if v == Freed {
		return ofDriver.found(), ofDriver.bytes, nil
	}
	if c, ok := e.core.Core.(FindingCore); ok {
		if slot, off, bytes, ok := c.BlockAt(addr); ok {
			return e.chunks.block(slot, off, e.observed.debug.apart()), bytes, nil
		}
	}
	piece, found := e.chunks.pieceAt(e.core.Core, addr)
	switch {
	case found && piece.State == poolrt.PieceLive:
	case e.graphs.of(addr) != nil, !found && !known && v != Double:
		return foundBlock{}, 0, poolrt.ErrForeign
	default:
		return foundBlock{}, 0, poolrt.ErrDoubleFree
	}
	slot, _ := e.chunks.find(addr)
	return e.chunks.block(slot, piece.Off, e.observed.debug.apart()), piece.Asked, nil
}

// RefuseHandle returns the error of a handle for which the core's verdict on a free was v. The caller does not hold e.mu.
func (e *Engine) RefuseHandle(h uint64, v Verdict) error {
	e.lock()
	defer e.unlockAndNotify()
	err := poolrt.ErrForeign
	switch {
	case e.life.closed:
		err = poolrt.ErrClosed
	case v == Double:
		err = poolrt.ErrDoubleFree
	}
	return detailed(e.newError("free", err), "handle %#x", h)
}
