package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// alloc claims, obtains and inserts a block that has its bytes, and its stream if one orders it. A request for which limit or budget have no room fails with
// [poolrt.ErrLimit], and calls no driver. crossed reports that the block crossed the soft limit. The caller does not hold e.mu.
//
// If the call of the driver fails, the claim ends, unless the driver supplied memory with the error and did not take it back. It also ends if the driver's side
// panics: the block of that call is lost then.
func (d *DriverBlocks) alloc(e *Engine, b *driverBlock, align uint64) (crossed bool, err error) {
	b.size = d.rounded(b.bytes)
	ok, crossed := d.claim(b.size)
	if !ok {
		return false, poolrt.ErrLimit
	}
	held := true
	defer func() {
		if held {
			d.unclaim(b.size)
		}
	}()
	c, err := d.supply(e, b, max(int64(align), d.terms.alignment))
	held = false
	if err != nil {
		return false, d.notSupplied(e, c, b.size, err)
	}
	b.addr, b.origin = c.Addr, c.Origin
	d.insert(b, 1)
	return crossed, nil
}

// supply calls the driver for a block: on its stream, and then in a turn while callers meet, or without one. In debug builds the chunk is that of the core, unless there is
// an error.
func (d *DriverBlocks) supply(e *Engine, b *driverBlock, least int64) (c Chunk, err error) {
	size := b.size
	if Debug {
		size, least = e.observed.debug.sourceSize(size), e.observed.debug.sourceSize(least)
	}
	switch {
	case !b.onStream:
		c, err = d.source.Alloc(size, least)
	case d.terms.crowded.Load():
		c, err = d.allocInTurn(b.on, size, least)
	default:
		c, err = d.source.AllocOn(b.on, size, least)
	}
	if Debug && err == nil {
		c = e.observed.debug.coreChunk(c, b.size)
	}
	return c, err
}

// notSupplied follows up an allocation that the driver refused, and returns its failure. The claim ends, except for memory that the driver supplied nevertheless, and
// did not take back.
func (d *DriverBlocks) notSupplied(e *Engine, c Chunk, size int64, err error) error {
	holds := false
	defer func() {
		if !holds {
			d.unclaim(size)
		}
	}()
	if c != (Chunk{}) {
		if failed := d.source.Free(c); failed != nil {
			c = e.observed.debug.coreChunk(c, size)
			c.Size = size
			d.unused.add(c)
			holds = true
			err = errors.Join(err, failed)
		}
	}
	return d.failure(err)
}

// failure returns the failure of an allocation: one that passes when there is memory again, or the error of the driver as it is.
func (d *DriverBlocks) failure(err error) error {
	for _, known := range []error{poolrt.ErrOutOfMemory, poolrt.ErrNoDriver, poolrt.ErrUnsupported} {
		if errors.Is(err, known) {
			return &causedBy{known, err}
		}
	}
	return err
}

// drop gives a block that is not in the table, and that no caller has, to the driver. If that fails, it is tried again later. The caller holds e.mu, which is
// released meanwhile.
func (d *DriverBlocks) drop(e *Engine, b driverBlock, s *Stream) (err error) {
	on := s != nil
	var where Stream
	if on {
		where = *s
	}
	e.unlocked(func() {
		if err = d.giveBack(e, &b, where, on); err != nil {
			d.unused.add(b.chunk())
		}
	})
	if err != nil {
		e.figures.queueEvent(poolrt.EventFailure, 0, e.newError("free", &causedBy{poolrt.ErrNotReturned, err}))
	}
	return err
}

// giveBack gives a block that is not in the table to the driver. If that succeeds, the claim ends. The caller does not hold e.mu.
func (d *DriverBlocks) giveBack(e *Engine, b *driverBlock, s Stream, on bool) (err error) {
	holds := false
	defer func() {
		if !holds {
			d.unclaim(b.size)
		}
	}()
	err = d.returnBlock(e, b, s, on)
	if holds = err != nil; holds {
		return err
	}
	if on && !d.freedOn.noted(s.ID) {
		d.freedOn.note(s)
	}
	return nil
}

// returnBlock calls the driver to free a block: in the order of a stream, and then in a turn while callers meet, or without one. The stream behind which it frees a block
// that was allocated on one is remembered.
func (d *DriverBlocks) returnBlock(e *Engine, b *driverBlock, s Stream, on bool) (err error) {
	c := b.chunk()
	if Debug {
		c = e.observed.debug.sourceChunk(c)
	}
	switch {
	case on && d.terms.crowded.Load():
		err = d.freeInTurn(s, c)
	case on:
		err = d.source.FreeOn(s, c)
	case !b.onStream:
		err = d.source.Free(c)
	default:
		if err = d.source.FreeBehind(b.on, c); err == nil {
			d.freedOn.note(b.on)
		}
	}
	return err
}

// endHold ends a hold that no process uses. A block that was freed meanwhile goes back.
func (d *DriverBlocks) endHold(e *Engine, addr uint64) {
	if back, due := d.letGo(addr); due {
		_ = d.drop(e, back, nil)
	}
}
