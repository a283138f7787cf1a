package runtime

import "fmt"

// Free frees the block at a place, which was asked for with that many bytes. Pools whose fast path frees blocks call it in programs built with the
// tag pooldebug or pooltrace alone; a pool that has lent a block gets it back so. The caller holds no lock.
func (e *Engine) Free(place, bytes uint64) error { return e.observeFree(place, bytes, nil) }

// FreeOn is Free for a block that is free for all once a stream has passed what it was given by now.
func (e *Engine) FreeOn(s Stream, place, bytes uint64) error { return e.observeFree(place, bytes, &s) }

// freeBlock gives a block to the core, as the fast path of a pool does: at once or, with a stream, when that has passed what it was given by now.
func (e *Engine) freeBlock(addr, bytes uint64, s *Stream) error {
	var slot uint32
	var v Verdict
	due := false
	e.lock()
	if s == nil {
		slot, v = e.core.Free(addr, bytes)
	} else {
		v = e.core.stream.Defer(addr, bytes)
		due = v == Freed && e.streams.queues.Defer(*s, addr, bytes)
	}
	if v == Freed && !due && !e.HasWaiters() {
		e.unlock()
		return nil
	}
	defer e.unlockAndNotify()
	defer e.wakeNext()
	if due {
		e.reclaimDue()
	}
	return e.follow(slot, v, addr, bytes, s)
}

// FreeSlow follows up a free for which the core's verdict was not [Freed]. slot is what the core answered. The caller holds no lock.
func (e *Engine) FreeSlow(slot uint32, v Verdict, addr, bytes uint64) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.follow(slot, v, addr, bytes, nil)
}

// FreeOnSlow is FreeSlow for a free on a stream.
func (e *Engine) FreeOnSlow(s Stream, v Verdict, addr, bytes uint64) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.follow(0, v, addr, bytes, &s)
}

// Undo takes back a block that nobody got to see: one that was found and may still be in use by a stream.
func (e *Engine) Undo(addr, bytes uint64) {
	e.lock()
	defer e.unlockAndNotify()
	_ = e.undo(addr, bytes)
	e.wakeNext()
}

// undo is Undo under the lock.
func (e *Engine) undo(addr, bytes uint64) error {
	slot, v := e.core.Undo(addr, bytes)
	return e.follow(slot, v, addr, bytes, nil)
}

// follow does what a verdict of the core asks for: it obeys the policy for empty chunks, gives back what is not the core's, and refuses the rest.
func (e *Engine) follow(slot uint32, v Verdict, addr, bytes uint64, s *Stream) error {
	switch v {
	case Freed:
		return nil
	case Emptied:
		e.emptied(vacancy{slot, addr, bytes})
		return nil
	case Double:
		return e.refuseFree(ErrDoubleFree, addr, "")
	}
	err := e.returnForeign(addr, bytes, s)
	switch {
	case err == nil:
		return nil
	case err == ErrForeign && !e.life.closed:
		return e.refuseFree(err, addr, e.otherLength(addr, bytes))
	}
	return e.refuseFree(err, addr, "")
}

// refuseFree is the error of a free, with what is known of the address.
func (e *Engine) refuseFree(err error, addr uint64, detail string) error {
	if e.life.closed {
		err = ErrClosed
	}
	if Debug {
		addr *= e.spacing()
		if err == ErrForeign && e.observed.debug.wasFreed(addr) {
			err = ErrDoubleFree
		}
	}
	refused := e.newError("free", err)
	refused.Detail = e.called(addr) + detail
	if Debug {
		refused.Detail += e.explain(addr)
	}
	return refused
}

// called is what an address is called that was refused.
func (e *Engine) called(addr uint64) string {
	switch {
	case e.numbers():
		return fmt.Sprintf("number %d", addr)
	case addr == 0:
		return "a nil pointer"
	}
	return fmt.Sprintf("address %#x", addr)
}

// otherLength says that a live block begins at an address that was freed with a length which is not the block's; "" if none does. The lock is
// held. It costs a look at the chunks, and at a few pieces of one.
func (e *Engine) otherLength(addr, bytes uint64) (text string) {
	for slot, c := range e.chunks.list {
		off := addr - c.Addr
		if off >= uint64(max(c.Size, 0)) {
			continue
		}
		e.core.Walk(uint32(slot), off, func(p Piece) bool {
			if p.Off == off && p.State == PieceLive && p.Asked != bytes && !e.config.Uncounted {
				text = fmt.Sprintf(", freed with %d %s: the block that begins there was handed out with another length, and takes up %d", bytes, e.unit(), p.Size)
			}
			return p.Off < off
		})
		return text
	}
	return ""
}

// vacancy is a place that a block has left, in a chunk that may be empty now.
type vacancy struct {
	slot        uint32
	addr, bytes uint64
}

// emptied follows the pool's policy when the last block of a chunk was freed, or of a page.
func (e *Engine) emptied(v vacancy) {
	if e.paged() {
		e.pagesEmptied(v.addr, v.bytes)
		return
	}
	slot, policy := v.slot, e.onFree()
	if policy != nil && policy.Idle == 0 && e.held()-e.chunks.list[slot].Size < policy.Keep {
		return // empty or not, which may take a while to find out, it stays
	}
	if !e.empty(slot) { // somebody used it again before we got here
		return
	}
	switch {
	case policy == nil: // the core reports this always: a chunk is a block
		_, _ = e.releaseChunks([]uint32{slot})
	case policy.Idle > 0:
		e.markIdle(slot)
		e.trimIdle()
	default:
		_, _ = e.releaseChunks([]uint32{slot})
	}
}
