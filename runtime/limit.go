package runtime

import "fmt"

// SetLimit lowers the limit to the given number of bytes, giving empty chunks back where that is needed. When the chunks with live blocks
// exceed it, it refuses with [ErrLive] and changes nothing. A limit cannot be raised.
func (e *Engine) SetLimit(bytes int64) error {
	e.lock()
	defer e.finish()
	e.open()
	for e.settle() {
	}
	if err := e.lower(bytes); err != nil {
		err.Request = bytes
		return err
	}
	return nil
}

func (e *Engine) lower(bytes int64) *PoolError {
	switch needed := e.inUse(); {
	case e.closed:
		return e.newError("set limit", ErrClosed)
	case bytes < 0 || bytes > e.limit:
		err := e.newError("set limit", ErrBadSize)
		err.Detail = "a limit can only be lowered"
		return err
	case bytes < needed:
		err := e.newError("set limit", ErrLive)
		err.Detail = fmt.Sprintf("chunks with live blocks hold %d bytes", needed)
		return err
	}
	e.limit = bytes
	if e.reserved > bytes {
		return e.trimBelow(bytes)
	}
	return nil
}

// trimBelow gives back empty chunks until at most that many bytes are reserved. There are enough of them.
func (e *Engine) trimBelow(bytes int64) *PoolError {
	var due []uint32
	left := e.reserved
	for slot := len(e.chunks.list) - 1; slot >= 0 && left > bytes; slot-- {
		if e.empty(uint32(slot)) {
			left -= e.chunks.list[slot].Size
			due = append(due, uint32(slot))
		}
	}
	if _, err := e.release(due...); err != nil {
		return err.(*PoolError)
	}
	return nil
}

// inUse adds up the chunks that have live blocks. Numbered resources are the user's: all of them count.
func (e *Engine) inUse() int64 {
	if e.config.Source == nil {
		return e.reserved
	}
	var sum int64
	for slot := range e.chunks.list {
		if e.chunks.holds(uint32(slot)) && e.core.Used(uint32(slot)) > 0 {
			sum += e.chunks.list[slot].Size
		}
	}
	return sum
}
