package poolimpl

import (
	"errors"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// clear clears a block before it is handed out: in the order of the stream that uses it first or, without a stream, at once. If that fails, the block goes
// back. The caller does not hold e.mu.
func (e *Engine) clear(b foundBlock, bytes uint64, s *Stream) error {
	switch {
	case e.config.ZeroAlways:
		clear(unsafe.Slice((*byte)(b.Ptr), bytes))
		return nil
	case s != nil:
		err := e.memory.ZeroOn(*s, e.observed.debug.placed(b.Addr, bytes))
		if err == nil {
			return nil
		}
		return Join(e.notCleared(bytes, err), e.freeBlock(b.Addr, bytes, s)) // the stream may be working on the block
	}
	err := e.clearEach(1, bytes, func(int) uint64 { return b.Addr })
	if err == nil {
		return nil
	}
	e.lock()
	defer e.unlockAndNotify()
	return Join(err, e.undo(b.Addr, bytes))
}

// clearEach has the device clear n blocks of bytes bytes each and waits once for all of them: waiting takes longer than clearing. The caller does not hold
// e.mu.
func (e *Engine) clearEach(n int, bytes uint64, addr func(i int) uint64) error {
	e.lock()
	zero, zeroed := e.memory.Zero, e.memory.Zeroed
	e.unlock()
	if zero == nil {
		return e.notCleared(bytes, poolrt.ErrClosed)
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		err = zero(e.observed.debug.placed(addr(i), bytes))
	}
	if err = errors.Join(err, zeroed()); err != nil {
		return e.notCleared(bytes, err)
	}
	return nil
}

// notCleared returns the failure of an allocation whose block could not be cleared. The caller does not hold e.mu.
func (e *Engine) notCleared(bytes uint64, err error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.fail(request{bytes: bytes}, err)
}
