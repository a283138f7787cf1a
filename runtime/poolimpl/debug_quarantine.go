//go:build pooldebug

package poolimpl

import (
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Blocks that were freed stay in the quarantine for a while, where nobody gets them: a second free, or a write, is found then. For the
// core they are live, so whoever asks the pool what it has, or cannot be served, empties the quarantine first. Nobody
// sees that there is one, save in which block comes next.

// Bounds of the quarantine of a pool.
const (
	quarantineBlocks = 1024
	quarantineBytes  = 16 << 20
)

// keep puts a block into the quarantine if it may be kept, and returns those that have to leave instead. The lock is held.
func (d *debugState) keep(b *blockRecord, e *Engine, s *Stream) (oldest []*blockRecord, ok bool) {
	if s != nil || b.unguarded || d.bypassing > 0 || b.bytes > quarantineBytes/2 || e.HasWaiters() {
		return nil, false
	}
	b.state = blockHeld
	d.held = append(d.held, b)
	d.heldBytes += b.bytes
	n := 0
	for left := d.heldBytes; len(d.held)-n > quarantineBlocks || left > quarantineBytes; n++ {
		left -= d.held[n].bytes
		d.heldBytes = left
	}
	oldest, d.held = d.held[:n:n], d.held[n:]
	return oldest, true
}

// bypassQuarantine empties the quarantine, and those of the pools of the same budget, for an allocation that finds no room otherwise. Until endBypass is called, frees go
// round it.
func (d *debugState) bypassQuarantine(e *Engine) {
	for _, other := range e.config.Budget.others(e) {
		if other.config.Locked {
			other.observed.debug.flushQuarantine(other)
			other.observed.debug.endBypass()
		}
	}
	e.lock()
	roomy := e.config.Direct && e.config.Budget == nil && e.limits.reserved < e.limits.limit/2 // the quarantine is in nobody's way
	e.unlock()
	if roomy {
		d.addBypass(1)
		return
	}
	d.flushQuarantine(e)
}

// flushQuarantine is bypassQuarantine for this pool alone.
func (d *debugState) flushQuarantine(e *Engine) {
	d.mu.Lock()
	d.bypassing++
	held := d.held
	d.held, d.heldBytes = nil, 0
	late := d.gather(false, e.config.unit())
	d.mu.Unlock()
	d.accuse(e, late...)
	if len(held) == 0 {
		return
	}
	for _, b := range held {
		d.discharge(e, b)
	}
}

// endBypass ends what bypassQuarantine or flushQuarantine began.
func (d *debugState) endBypass() { d.addBypass(-1) }

// addBypass counts the callers that need what is free.
func (d *debugState) addBypass(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bypassing += n
}

// discharge gives a block of the quarantine to the core, after a look at what happened to it there.
func (d *debugState) discharge(e *Engine, b *blockRecord) {
	d.mu.Lock()
	wrong, text := b.afterlife(), ""
	if z := b.checkZones(); wrong == "" {
		wrong = z
	}
	if wrong != "" {
		text = b.text(e.config.unit())
	}
	d.mu.Unlock()
	if wrong != "" {
		d.accuse(e, wrong+text)
	}
	_ = d.finishFree(e, b) // it fails in a pool that is closed
}

// accuse reports damage that no call returns as its error: by an event at once, and by the next Close, Reset or Release.
func (d *debugState) accuse(e *Engine, details ...string) {
	for _, detail := range details {
		e.lock()
		d.accused(e, detail)
		e.unlockAndNotify()
	}
}

// accused is accuse with the pool's lock held.
func (d *debugState) accused(e *Engine, detail string) {
	p := e.newError("check", poolrt.ErrCorrupt)
	p.Detail = detail
	e.queueEvent(poolrt.EventCorrupt, 0, p)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.reports) < mostReports {
		d.reports = append(d.reports, p)
	}
}

// mostReports bounds what is kept for a program that never asks.
const mostReports = 100

// report adds what was reported since the last call to the error of an operation.
func (d *debugState) report(err *error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*err = joined(slices.Concat([]error{*err}, d.reports)...)
	d.reports = nil
}
