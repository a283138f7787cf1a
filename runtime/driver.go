package runtime

import "errors"

// Clear has a block cleared that Go code cannot address, before it is handed out, and returns when it is. The caller holds no lock.
func (e *Engine) Clear(addr, bytes uint64) error {
	return e.ClearBatch(1, bytes, func(int) uint64 { return addr })
}

// ClearBatch is Clear for n blocks of so many bytes each, which are waited for once.
func (e *Engine) ClearBatch(n int, bytes uint64, addr func(i int) uint64) error {
	if n == 0 {
		return nil
	}
	e.lock()
	zero, zeroed := e.memory.Zero, e.memory.Zeroed
	e.unlock()
	if zero == nil {
		return e.NotCleared(bytes, ErrClosed)
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		c := Chunk{Addr: addr(i), Size: int64(bytes)}
		if Debug {
			c.Addr *= e.spacing()
		}
		err = zero(c)
	}
	if err = errors.Join(err, zeroed()); err != nil {
		return e.NotCleared(bytes, err)
	}
	return nil
}

// NotCleared is the failure of an allocation whose block could not be cleared.
func (e *Engine) NotCleared(bytes uint64, err error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.fail(request{bytes: bytes}, err)
}
