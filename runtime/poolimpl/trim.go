package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Trim returns empty chunks to the source as long as the pool still holds keep bytes afterwards. The result is the number of bytes returned. Chunks with a
// live block stay. Memory that is cached for a size class counts as free. With keep 0, a pool that holds nothing afterwards also returns what its source keeps
// besides chunks, such as streams for the source's own work; and of host memory on Linux, those pages of the other chunks go back in which no block lies, which does not
// count for the result, as the chunks stay. [poolrt.ChunkSnapshot] says which bytes are resident. An error of the driver about frees on streams does not prevent other chunks from being returned.
// Any goroutine may call Trim, unless the pool has no lock. Cost: one pass over the chunks, and a call of the source for each chunk that is returned.
func (e *Engine) Trim(keep int64) (released int64, err error) {
	return e.trimDownTo(func() int64 { return keep })
}

// trimDownTo is Trim for a number of bytes that is known once e.mu is held.
func (e *Engine) trimDownTo(floor func() int64) (released int64, err error) {
	defer e.tidyBudget()
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	keep := floor()
	switch {
	case e.life.closed:
		return 0, e.newError("trim", poolrt.ErrClosed)
	case keep < 0:
		return 0, detailed(e.newError("trim", poolrt.ErrBadSize), "%d: what the pool keeps is not negative", keep)
	}
	if err := e.nowhere(); err != nil {
		return 0, e.newError("trim", err)
	}
	e.limits.primed = min(e.limits.primed, keep)
	_, asked := e.order.poll()
	released, err = e.trim(keep)
	e.memory.layout.tidy()
	if err == nil {
		err = asked
	}
	if err == nil && keep == 0 {
		e.dropFree()
		err = Join(e.trimBacking(), e.trimBeside())
	}
	if err != nil {
		return released, e.newError("trim", err)
	}
	return released, nil
}

// trimBeside returns what the source keeps besides chunks, if the pool holds no memory. The lock is released meanwhile.
func (e *Engine) trimBeside() (err error) {
	trim := e.memory.Bound.Trim
	if trim == nil || e.limits.held() > 0 {
		return nil
	}
	e.activity.visit(func() { err = trim() })
	return err
}

// trim is Trim for a caller that holds e.mu.
func (e *Engine) trim(keep int64) (int64, error) {
	again, failed := e.retryUnreturned()
	e.memory.layout.flush()
	released, err := e.shedTo(keep)
	if err == nil {
		err = failed
	}
	return again + released, err
}
