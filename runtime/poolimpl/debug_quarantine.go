//go:build pooldebug

package poolimpl

import (
	"slices"

	"github.com/poolgen/poolgen/internal/inturn"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Freed blocks stay in the quarantine for a while, where nobody can allocate them, so that a second free or a write to them can be found. To the core they
// are live. An operation that reports what the pool has, or that cannot be served, therefore empties the quarantine first. Apart from which block comes next,
// the quarantine cannot be observed.

// Bounds of the quarantine of a pool.
const (
	quarantineBlocks = 1024
	quarantineBytes  = 16 << 20
	quarantineStep   = 64 // blocks that leave it at once
)

// keep puts a block into the quarantine if possible, and returns the blocks that have to leave it. The caller holds d.mu.
func (d *debugState) keep(b *blockRecord, e *Engine, s *Stream) (oldest []*blockRecord, ok bool) {
	if s != nil || b.unguarded || d.bypassing > 0 || b.bytes > quarantineBytes/2 || e.HasWaiters() {
		return nil, false
	}
	b.state = blockHeld
	d.held = append(d.held, b)
	d.heldBytes += b.bytes
	n := 0
	if len(d.held) > quarantineBlocks || d.heldBytes > quarantineBytes {
		for ; len(d.held)-n > quarantineBlocks-quarantineStep || d.heldBytes > quarantineBytes; n++ {
			d.heldBytes -= d.held[n].bytes
		}
	}
	oldest, d.held = d.held[:n:n], d.held[n:]
	return oldest, true
}

// bypassQuarantine empties the quarantines of this pool and of the other pools of its budget, for an allocation that finds no room otherwise. Until endBypass
// is called, blocks freed in this pool do not enter the quarantine. The caller does not hold e.mu.
func (d *debugState) bypassQuarantine(e *Engine) {
	for _, other := range e.others() {
		if other.generated.Locked {
			other.observed.debug.flushQuarantine(other)
			other.observed.debug.endBypass()
		}
	}
	e.lock()
	roomy := e.config.Direct && e.budget == nil && e.limits.reserved < e.limits.limit/2 // the quarantine takes no room that anybody needs
	e.unlock()
	if roomy {
		d.addBypass(1)
		return
	}
	d.flushQuarantine(e)
}

// others lists the other pools of the budget. The caller does not hold e.mu.
func (e *Engine) others() (list []*Engine) {
	e.lock()
	share := e.budget
	e.unlock()
	for _, m := range share.Budget().Members() {
		if other := m.Giver().(giver).e; other != e {
			list = append(list, other)
		}
	}
	return list
}

// flushQuarantine is bypassQuarantine for this pool alone. The caller does not hold e.mu.
func (d *debugState) flushQuarantine(e *Engine) {
	d.mu.Lock()
	d.bypassing++
	held := d.held
	d.held, d.heldBytes = nil, 0
	late := d.gather(false, e.generated.unit())
	d.mu.Unlock()
	done := false
	defer func() {
		if !done { // an event hook has panicked, so the caller does not call endBypass
			d.endBypass()
		}
	}()
	d.dischargeAll(e, late, held)
	done = true
}

// endBypass ends what bypassQuarantine or flushQuarantine began.
func (d *debugState) endBypass() { d.addBypass(-1) }

// addBypass changes the number of callers that need what is free.
func (d *debugState) addBypass(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bypassing += n
}

// dischargeAll reports damage and lets blocks leave the quarantine, also if event hooks panic. The caller holds neither e.mu nor d.mu.
func (d *debugState) dischargeAll(e *Engine, late []string, blocks []*blockRecord) {
	defer inturn.Call(blocks, func(b *blockRecord) { d.discharge(e, b) })
	d.accuse(e, late...)
}

// discharge checks a block that leaves the quarantine, and frees it in the core. The caller holds neither e.mu nor d.mu.
func (d *debugState) discharge(e *Engine, b *blockRecord) {
	d.mu.Lock()
	wrong, text := b.afterlife(), ""
	if z := b.checkZones(); wrong == "" {
		wrong = z
	}
	if wrong != "" {
		text = b.text(e.generated.unit())
	}
	d.mu.Unlock()
	defer func() { _ = d.finishFree(e, b, e.freeLate) }() // fails only in a pool that is closed
	if wrong != "" {
		d.accuse(e, wrong+text)
	}
}

// accuse reports damage that no call returns as its error: at once as an event, and as an error of the next Close, Reset or Release. The caller does not hold
// e.mu.
func (d *debugState) accuse(e *Engine, details ...string) {
	if len(details) == 0 {
		return
	}
	e.lock()
	defer e.unlockAndNotify()
	for _, detail := range details {
		d.accused(e, detail)
	}
}

// accused is accuse for one report. The caller holds e.mu.
func (d *debugState) accused(e *Engine, detail string) {
	p := e.newError("check", poolrt.ErrCorrupt)
	p.Detail = detail
	e.figures.queueEvent(poolrt.EventCorrupt, 0, p)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.reports) < mostReports {
		d.reports = append(d.reports, p)
	}
}

// mostReports bounds the reports kept for a program that never calls Close, Reset or Release.
const mostReports = 100

// report adds the reports since the last call to the error of an operation.
func (d *debugState) report(err *error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*err = Join(slices.Concat([]error{*err}, d.reports)...)
	d.reports = nil
}
