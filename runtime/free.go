package runtime

import (
	"fmt"
	"unsafe"
)

// Freed is the slow path of a free: the core's verdict was something other than Freed. p, addr and bytes are what was freed, p nil
// for what Go code cannot address. The caller holds no lock.
func (e *Engine) Freed(slot uint32, v Verdict, p unsafe.Pointer, addr, bytes uint64) error {
	e.lock()
	defer e.finish()
	var err error
	switch v {
	case Emptied:
		e.emptied(slot)
		return nil
	case Foreign:
		if err = e.spilled(p, bytes); err == nil {
			return nil
		}
	case Double:
		err = ErrDoubleFree
	default:
		return nil
	}
	if e.closed {
		err = ErrClosed
	}
	refused := e.newError("free", err)
	refused.Detail = fmt.Sprintf("address %#x", addr)
	if e.numbers() {
		refused.Detail = fmt.Sprintf("number %d", addr)
	}
	return refused
}

// emptied follows the pool's policy when the last block of a chunk was freed.
func (e *Engine) emptied(slot uint32) {
	if !e.empty(slot) { // somebody used it again before we got here
		return
	}
	policy := e.config.Trim
	switch {
	case policy == nil: // the core reports this always: a chunk is a block
		_, _ = e.release([]uint32{slot})
	case policy.Idle > 0:
		e.rest(slot)
		e.trimIdle()
	case e.held()-e.chunks.list[slot].Size >= policy.Keep:
		_, _ = e.release([]uint32{slot})
	}
}
