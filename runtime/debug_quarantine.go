//go:build pooldebug

package runtime

import "errors"

// Blocks that were freed stay in the quarantine for a while, where nobody gets them: a second free, or a write, is found then. For the
// suballocator they are live, so whoever asks the pool what it has, or cannot be served, empties the quarantine first. Nobody
// sees that there is one, save in which block comes next.

// Bounds of the quarantine of a pool.
const (
	quarantineBlocks = 1024
	quarantineBytes  = 16 << 20
)

// keep puts a block into the quarantine if it may be kept, and returns those that have to leave instead. The lock is held.
func (w *watching) keep(b *sighting, e *Engine, s *Stream) (due []*sighting, ok bool) {
	if s != nil || b.bare || w.hurry > 0 || b.bytes > quarantineBytes/2 || e.Waiting() {
		return nil, false
	}
	b.state = blockHeld
	w.held = append(w.held, b)
	w.heldBytes += b.bytes
	n := 0
	for left := w.heldBytes; len(w.held)-n > quarantineBlocks || left > quarantineBytes; n++ {
		left -= w.held[n].bytes
		w.heldBytes = left
	}
	due, w.held = w.held[:n:n], w.held[n:]
	return due, true
}

// Rush empties the quarantine, and those of the pools of the same budget, for an allocation that finds no room otherwise. Until Relax is called, frees go
// round it.
func (e *Engine) Rush() {
	for _, other := range e.config.Budget.others(e) {
		if other.config.Locked {
			other.rush()
			other.relax()
		}
	}
	if e.roomy() {
		e.watch.hasten(1)
		return
	}
	e.rush()
}

// roomy reports whether a pool whose blocks are the source's has so much left of its limit that the quarantine is in nobody's way.
func (e *Engine) roomy() bool {
	e.lock()
	defer e.unlock()
	return e.config.Exact && e.config.Budget == nil && e.reserved < e.limit/2
}

// Relax ends what Rush began.
func (e *Engine) Relax() { e.relax() }

// rush is Rush for this pool alone.
func (e *Engine) rush() {
	w := &e.watch
	w.mu.Lock()
	w.hurry++
	held := w.held
	w.held, w.heldBytes = nil, 0
	late := w.gather(false, e.unit())
	w.mu.Unlock()
	e.accuseAll(late)
	if len(held) == 0 {
		return
	}
	me := goroutine()
	for _, b := range held {
		e.discharge(b, me)
	}
}

func (e *Engine) relax() {
	e.watch.hasten(-1)
}

// hasten counts the callers that need what is free.
func (w *watching) hasten(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hurry += n
}

// discharge gives a block of the quarantine to the suballocator, after a look at what happened to it there.
func (e *Engine) discharge(b *sighting, me uint64) {
	w := &e.watch
	w.mu.Lock()
	wrong, text := b.afterlife(), ""
	if z := b.zones(); wrong == "" {
		wrong = z
	}
	if wrong != "" {
		text = b.text(e.unit())
	}
	w.mu.Unlock()
	if wrong != "" {
		e.accuse(wrong + text)
	}
	_ = e.part(b, me) // it fails in a pool that is closed
}

// accuse reports damage that no call is to be told of: by an event at once, and by the next Close, Reset or Release.
func (e *Engine) accuse(detail string) {
	e.lock()
	defer e.finish()
	e.accused(detail)
}

func (e *Engine) accuseAll(details []string) {
	for _, detail := range details {
		e.accuse(detail)
	}
}

// accused is accuse with the pool's lock held.
func (e *Engine) accused(detail string) {
	p := e.newError("check", ErrCorrupt)
	p.Detail = detail
	e.note(EventCorrupt, 0, p)
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.reports) < mostReports {
		w.reports = append(w.reports, p)
	}
}

// mostReports bounds what is kept for a program that never asks.
const mostReports = 100

// found returns what has been reported since it was asked last.
func (w *watching) found() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := errors.Join(w.reports...)
	w.reports = nil
	return err
}

// report adds what has been reported to the error of a call.
func (e *Engine) report(err *error) {
	if found := e.watch.found(); found != nil {
		*err = errors.Join(*err, found)
	}
}
