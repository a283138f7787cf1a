package runtime

import "time"

// TrimPolicy says when a pool gives empty chunks back by itself: on slow paths, on frees and on Poll.
type TrimPolicy struct {
	Keep   int64         // bytes that stay reserved
	Idle   time.Duration // how long a chunk has to have been empty
	Growth bool          // only when the pool would hold more than it ever did: see swap
}

// onFree is the policy that frees follow; nil: none.
func (e *Engine) onFree() *TrimPolicy {
	if p := e.config.Trim; p != nil && !p.Growth {
		return p
	}
	return nil
}

// delaysTrim reports whether empty chunks wait before they go back.
func (e *Engine) delaysTrim() bool { return e.config.Trim != nil && e.config.Trim.Idle > 0 }

// markIdle notes that a chunk is empty from now on.
func (e *Engine) markIdle(slot uint32) {
	now := time.Now()
	e.chunks.list[slot].emptied = now
	e.schedule(now.Add(e.config.Trim.Idle))
}

// schedule has trimIdle look at the chunks at a time.
func (e *Engine) schedule(at time.Time) {
	if e.life.trimAt.IsZero() || at.Before(e.life.trimAt) {
		e.life.trimAt = at
	}
}

// trimIdle gives back the chunks that have been empty for as long as the policy says. It costs a look at the clock until the first
// of them is due, then one pass over the chunks.
func (e *Engine) trimIdle() {
	if e.life.trimAt.IsZero() {
		return
	}
	now := time.Now()
	if now.Before(e.life.trimAt) {
		return
	}
	e.life.trimAt = time.Time{}
	if e.paged() {
		e.trimIdlePages(now)
		return
	}
	policy := e.config.Trim
	left := e.held()
	var slots []uint32
	for slot := range e.chunks.list {
		c := &e.chunks.list[slot]
		if !e.empty(uint32(slot)) {
			continue
		}
		switch at := c.emptied.Add(policy.Idle); {
		case now.Before(at):
			e.schedule(at)
		case left-c.Size >= policy.Keep: // what stays is looked at again when the pool has grown
			left -= c.Size
			slots = append(slots, uint32(slot))
		}
	}
	_, _ = e.releaseChunks(slots)
}

// sweep runs undo, which takes any number of blocks back at once, and follows the policy.
func (e *Engine) sweep(undo func()) {
	if !e.delaysTrim() {
		undo()
		if policy := e.onFree(); policy != nil {
			_, _ = e.trim(policy.Keep)
		}
		return
	}
	for slot := range e.chunks.list {
		if e.chunks.holds(uint32(slot)) && e.core.Used(uint32(slot)) > 0 {
			e.chunks.list[slot].emptied = time.Time{}
		}
	}
	undo()
	for slot := range e.chunks.list {
		if e.empty(uint32(slot)) && e.chunks.list[slot].emptied.IsZero() {
			e.markIdle(uint32(slot))
		}
	}
	e.trimIdle()
}
