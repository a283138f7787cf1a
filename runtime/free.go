package runtime

import (
	"fmt"
	"unsafe"
)

// FreeSlow is the slow path of a free: the core's verdict was something other than Freed. addr and bytes are what was freed. The caller holds no lock.
func (e *Engine) FreeSlow(slot uint32, v Verdict, _ unsafe.Pointer, addr, bytes uint64) error {
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
		e.memory.layout.emptied(vacancy{slot, addr, bytes})
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
	case e.config.numbers():
		return fmt.Sprintf("number %d", addr)
	case addr == 0:
		return "a nil pointer"
	}
	return fmt.Sprintf("address %#x", addr)
}

// otherLength says that a live block begins at an address that was freed with a length which is not the block's; "" if none does. The lock is
// held. It costs a search of the chunk, and a look at a few pieces of it.
func (e *Engine) otherLength(addr, bytes uint64) (text string) {
	slot, ok := e.chunks.find(addr)
	if !ok {
		return ""
	}
	off := addr - e.chunks.hot[slot].Addr
	e.core.Walk(slot, off, func(p Piece) bool {
		if p.Off == off && p.State == PieceLive && p.Asked != bytes && !e.config.Uncounted {
			text = fmt.Sprintf(", freed with %d %s: the block that begins there was handed out with another length, and takes up %d", bytes, e.config.unit(), p.Size)
		}
		return p.Off < off
	})
	return text
}
