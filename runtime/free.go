package runtime

import (
	"fmt"
	"time"
	"unsafe"
)

// Freed is the slow path of a free: the core's verdict was something other than Freed. addr and bytes are what was freed. The
// caller holds no lock.
func (e *Engine) Freed(slot uint32, v Verdict, p unsafe.Pointer, addr, bytes uint64) error {
	e.lock()
	defer e.finish()
	if v == Emptied {
		e.emptied(slot)
		return nil
	}
	if v == Foreign && e.spilled(p, bytes) {
		return nil
	}
	return e.refuse(v, addr)
}

// refuse turns a verdict into the error of an invalid free.
func (e *Engine) refuse(v Verdict, addr uint64) error {
	err := ErrForeign
	switch {
	case e.closed:
		err = ErrClosed
	case v == Double:
		err = ErrDoubleFree
	}
	p := e.newError("free", err)
	p.Detail = fmt.Sprintf("address %#x", addr)
	return p
}

// spilled gives a block back to the pool of the ladder that it came from.
func (e *Engine) spilled(p unsafe.Pointer, bytes uint64) bool {
	for _, rung := range e.config.Ladder {
		if rung.Kind != RungPool || p == nil {
			continue
		}
		e.unlock()
		err := rung.Pool.Free(p, bytes)
		e.lock()
		if err == nil {
			return true
		}
	}
	return false
}

// emptied follows the pool's policy when the last block of a chunk was freed.
func (e *Engine) emptied(slot uint32) {
	if !e.empty(slot) { // somebody used it again before we got here
		return
	}
	c := &e.chunks.list[slot]
	policy := e.config.Trim
	switch {
	case policy == nil: // the core reports this always: a chunk is a block
		e.release(slot)
	case policy.Idle > 0:
		c.emptied = time.Now()
		e.idle = append(e.idle, idleChunk{slot, c.emptied})
		e.trimIdle()
	case e.reserved-c.Size >= policy.Keep:
		e.release(slot)
	}
}
