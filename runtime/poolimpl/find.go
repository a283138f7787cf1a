package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Find returns the live block that starts at a place, as a number of items of item bytes each. If no live block starts there, the error matches
// [poolrt.ErrInvalidFree], as that of a free would: [poolrt.ErrDoubleFree] if the place is known to be that of a block that is free or pending, else
// [poolrt.ErrForeign]. Cost: the lock, a search of the chunks and a look at a few pieces of one of them. The caller does not hold e.mu.
func (e *Engine) Find(place, item uint64) (Block, error) {
	if Debug {
		if _, err := e.observed.debug.beginUse(e, "find"); err != nil {
			return Block{}, err
		}
		defer e.observed.debug.endUse(e)
	}
	e.lock()
	defer e.unlockAndNotify()
	addr := place / e.observed.debug.apart()
	err := e.observed.debug.mayFind(place)
	var b foundBlock
	var bytes uint64
	if err == nil {
		b, bytes, err = e.liveAt(addr)
	}
	if e.life.closed {
		err = poolrt.ErrClosed
	}
	if err != nil {
		return Block{}, detailed(e.newError("find", err), "%s", e.config.called(place))
	}
	return Block{b, int(bytes / item)}, nil
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
