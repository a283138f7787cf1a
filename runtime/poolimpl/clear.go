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
		return e.notCleared(b.Addr, bytes, s, err)
	}
	if err := e.clearEach(1, bytes, func(int) uint64 { return b.Addr }); err != nil {
		return e.notCleared(b.Addr, bytes, nil, err)
	}
	return nil
}

// clearEach has the device clear n blocks of bytes bytes each and waits once for all of them: waiting takes longer than clearing. The caller does not hold
// e.mu.
func (e *Engine) clearEach(n int, bytes uint64, addr func(i int) uint64) error {
	e.lock()
	zero, zeroed := e.memory.Zero, e.memory.Zeroed
	e.unlock()
	if zero == nil {
		return poolrt.ErrClosed
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		err = zero(e.observed.debug.placed(addr(i), bytes))
	}
	return errors.Join(err, zeroed())
}

// notCleared takes back a block that could not be cleared, and returns the failure of its allocation. The caller does not hold e.mu.
func (e *Engine) notCleared(addr, bytes uint64, s *Stream, err error) error {
	failed := e.takeBack(addr, bytes, s)
	return Join(e.failed(bytes, err), failed)
}

// failed returns the failure of an allocation whose blocks could not be cleared and are free again. The caller does not hold e.mu.
func (e *Engine) failed(bytes uint64, err error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.fail(request{bytes: bytes}, err, Usage{})
}
