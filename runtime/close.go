package runtime

import (
	"errors"
	"fmt"
)

// Close gives everything back and ends the pool. While blocks are live it refuses with [ErrLive] and their number, releases
// nothing, and the pool goes on. Closing twice is no error. Those who wait for a block get [ErrClosed]. forget sets the core to its
// zero value.
func (e *Engine) Close(forget func()) error {
	e.lock()
	defer e.finish()
	for e.settle() {
	}
	if e.closed {
		return nil
	}
	if live := e.core.Usage().Live; live > 0 && !e.config.Uncounted {
		err := e.newError("close", ErrLive)
		err.Detail = fmt.Sprintf("%d blocks are live", live)
		return err
	}
	return e.shut(forget)
}

// CloseForce is Close that does not mind live blocks: their memory is gone, and using them afterwards is a fault.
func (e *Engine) CloseForce(forget func()) error {
	e.lock()
	defer e.finish()
	for e.settle() {
	}
	if e.closed {
		return nil
	}
	return e.shut(forget)
}

func (e *Engine) shut(forget func()) error {
	e.final = e.core.Usage()
	e.final.Occupied, e.final.LargestFree, e.final.Cached = e.final.LiveBytes, 0, 0
	e.opened, e.closed = true, true
	forget()
	var errs []error
	for slot := range e.chunks.list {
		if !e.chunks.holds(uint32(slot)) {
			continue
		}
		e.bases[slot] = nil
		c := e.chunks.drop(uint32(slot))
		if e.config.Source != nil {
			errs = append(errs, e.config.Source.Free(c))
			e.config.Budget.give(c.Size)
		}
	}
	e.reserved = 0
	e.idle = nil
	e.config.Budget.leave(e)
	for len(e.queue) > 0 {
		e.retry()
	}
	if err := errors.Join(errs...); err != nil {
		return e.newError("close", &causedBy{ErrUnsupported, err})
	}
	return nil
}

// Reset frees every block of the pool at once and keeps the chunks. forget empties the core's bookkeeping.
// In a pool whose blocks are freed one by one it refuses with [ErrLive] while any is in use.
func (e *Engine) Reset(forget func()) error {
	e.lock()
	defer e.finish()
	if e.closed {
		return e.newError("reset", ErrClosed)
	}
	if live := e.core.Usage().Live; live > 0 && !e.config.Uncounted {
		err := e.newError("reset", ErrLive)
		err.Detail = fmt.Sprintf("%d blocks are live", live)
		return err
	}
	forget()
	e.Serve()
	return nil
}

// Release runs undo, which returns the blocks above a mark, and reports a mark that is not valid any more.
func (e *Engine) Release(undo func() bool) error {
	e.lock()
	defer e.finish()
	switch {
	case e.closed:
		return e.newError("release", ErrClosed)
	case !undo():
		err := e.newError("release", ErrForeign)
		err.Detail = "the mark is of another pool, or from before a Reset or a Release below it"
		return err
	}
	return nil
}

// Requested returns the allocator that the pool file asks for.
func (e *Engine) Requested() string { return e.config.Allocator }

// Effective returns the allocator in force and, where it is not the one asked for, why.
func (e *Engine) Effective() (allocator, reason string) { return e.config.Allocator, "" }
