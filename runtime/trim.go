package runtime

import (
	"errors"
	"time"
)

// Trim gives empty chunks back until the pool holds no more than keep bytes, or none is empty. Chunks with a live block stay. It returns the
// bytes given back. Memory cached for a size class counts as free. Cost: one pass over the chunks, and the source's call for each.
func (e *Engine) Trim(keep int64) (released int64, err error) {
	e.lock()
	defer e.finish()
	e.open()
	if keep < 0 {
		return 0, e.newError("trim", ErrBadSize)
	}
	return e.trim(keep)
}

// trim releases every empty chunk whose bytes lie above keep, those obtained last first.
func (e *Engine) trim(keep int64) (int64, error) {
	var due []uint32
	left := e.reserved
	for slot := len(e.chunks.list) - 1; slot >= 0; slot-- {
		c := &e.chunks.list[slot]
		if e.empty(uint32(slot)) && left-c.Size >= keep {
			left -= c.Size
			due = append(due, uint32(slot))
		}
	}
	return e.release(due...)
}

// release gives empty chunks back to the source, with the lock released meanwhile. Their bytes count against the limit until the
// source has them.
func (e *Engine) release(slots ...uint32) (released int64, err error) {
	if len(slots) == 0 || e.config.Source == nil {
		return 0, nil
	}
	chunks := make([]Chunk, len(slots))
	for i, slot := range slots {
		chunks[i] = e.evict(slot)
	}
	e.releasing++
	e.unlock()
	var errs []error
	for _, c := range chunks {
		released += c.Size
		if err := e.config.Source.Free(c); err != nil {
			errs = append(errs, err)
		}
	}
	e.lock()
	e.releasing--
	e.giveBack(released)
	e.note(EventTrim, released, nil)
	e.retry()
	e.settled()
	if err := errors.Join(errs...); err != nil {
		return released, e.newError("trim", &causedBy{ErrUnsupported, err})
	}
	return released, nil
}

// trimForRequest is the rung trim: whatever is empty here or in pools of the same budget goes back, so that a chunk fits.
func (e *Engine) trimForRequest() {
	e.trim(0)
	for _, other := range e.config.Budget.others(e) {
		e.unlock()
		other.trimForOther()
		e.lock()
	}
}

// trimForOther gives empty chunks back for the sake of another pool of the budget. A pool without a lock cannot be
// touched from outside.
func (e *Engine) trimForOther() {
	if !e.config.Locked {
		return
	}
	e.lock()
	defer e.finish()
	if !e.closed {
		e.trim(0)
	}
}

// idleChunk is a chunk that became empty at a time. It is stale if the chunk's own time is another.
type idleChunk struct {
	slot  uint32
	since time.Time
}

// trimIdle gives back the chunks that have been empty for as long as the policy says.
func (e *Engine) trimIdle() {
	if len(e.idle) == 0 {
		return
	}
	now := time.Now()
	left := e.reserved
	var due []uint32
	n := 0
	for _, c := range e.idle {
		if now.Sub(c.since) < e.config.Trim.Idle {
			break
		}
		n++
		if !e.empty(c.slot) || e.chunks.list[c.slot].emptied != c.since {
			continue
		}
		if size := e.chunks.list[c.slot].Size; left-size >= e.config.Trim.Keep {
			left -= size
			due = append(due, c.slot)
		}
	}
	e.idle = append(e.idle[:0], e.idle[n:]...)
	e.release(due...)
}

// Poll retires frees whose stream has passed them and gives back chunks that have been empty for long enough. It
// returns the number of frees retired: 0 for ordering sync.
func (e *Engine) Poll() int {
	e.lock()
	defer e.finish()
	e.trimIdle()
	return 0
}
