package runtime

import "fmt"

// FreeSlow follows up a free for which the core's verdict was not [Freed]. slot is what the core answered. The caller holds no lock.
func (e *Engine) FreeSlow(slot uint32, v Verdict, addr, bytes uint64) error {
	return e.freeSlow(slot, v, addr, bytes, nil)
}

// FreeOnSlow is Freed for a free on a stream.
func (e *Engine) FreeOnSlow(s Stream, v Verdict, addr, bytes uint64) error {
	return e.freeSlow(0, v, addr, bytes, &s)
}

func (e *Engine) freeSlow(slot uint32, v Verdict, addr, bytes uint64, s *Stream) error {
	e.lock()
	defer e.unlockAndNotify()
	var err error
	var other string
	switch v {
	case Emptied:
		e.emptied(vacancy{slot, addr, bytes})
		return nil
	case Foreign:
		if err = e.returnForeign(addr, bytes, s); err == nil {
			return nil
		}
		if err == ErrForeign && !e.life.closed {
			other = e.otherLength(addr, bytes)
		}
	case Double:
		err = ErrDoubleFree
	default:
		return nil
	}
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
	refused.Detail = e.called(addr) + other
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
