package poolimpl

import (
	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Reset frees every block of the pool at once and keeps the chunks, except those that the trim policy returns. In a pool with a free for one block it refuses
// with [poolrt.ErrLive] while any block is live. reset sets the core to a state without blocks; Reset does not call it for a [SharedCore] with a free for one
// block.
func (e *Engine) Reset(reset func()) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	defer e.admitClears()
	e.clearing.awaitClears()
	switch {
	case e.life.closed:
		return e.newError("reset", poolrt.ErrClosed)
	case !e.config.Uncounted && e.usage().Live > 0:
		return e.liveError("reset")
	}
	if err := e.nowhere(); err != nil {
		return e.newError("reset", err)
	}
	if e.core.stream != nil {
		if err := e.quiesce("reset", refuseLive); err != nil {
			return err
		}
		if e.life.closed {
			e.streams.queues.resume()
			return e.newError("reset", poolrt.ErrClosed)
		}
	}
	if e.core.shared != nil && !e.config.Uncounted && e.memory.page() == 0 {
		restarted := (chunked{e}).restart()
		e.streams.queues.resume()
		if !restarted {
			return e.liveError("reset")
		}
		reset = func() {}
	} else {
		reset = e.streams.resumeAfter(reset)
	}
	e.sweepAll(reset)
	e.wakeNext()
	return nil
}

// FreeAll frees every block of the pool at once, live or not, and keeps the chunks, except those that the trim policy returns. Borrowed blocks go back to
// their pools, and direct blocks to the source. FreeAll first waits for streams with pending frees; no work may be pending on live blocks. It refuses with
// [poolrt.ErrLive] while other pools hold blocks that they have borrowed from the pool, and in an imported pool while blocks are open. reset sets the core to
// a state without blocks.
func (e *Engine) FreeAll(reset func()) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	defer e.admitClears()
	e.clearing.awaitClears()
	if e.core.stream != nil {
		if err := e.quiesce("reset", keepLive); err != nil {
			return err
		}
	}
	if err := e.refuseFreeAll(); err != nil {
		e.streams.queues.resume()
		return err
	}
	e.sweepAll(e.streams.resumeAfter(reset))
	defer e.wakeNext() // also if an event hook of a lender panics
	return e.giveBackAll(e.foreign.evictBorrowed())
}

// refuseFreeAll returns why FreeAll is refused, or nil.
func (e *Engine) refuseFreeAll() error {
	if e.life.closed {
		return e.newError("reset", poolrt.ErrClosed)
	}
	if e.config.Imported && e.foreign.live > 0 { // each open block is closed by itself, as its user has it from another process
		return e.liveError("reset")
	}
	if n := e.borrowedByOthers(); n > 0 {
		return detailed(e.newError("reset", poolrt.ErrLive), "other pools have borrowed %s", figure.Count(n, "block"))
	}
	return nil
}

// resumeAfter returns a function that resets the core and ends quiesce.
func (s *streams) resumeAfter(reset func()) func() {
	return func() {
		reset()
		s.queues.resume()
	}
}

// sweepAll frees all blocks in the core with reset, and returns the direct blocks to the source.
func (e *Engine) sweepAll(reset func()) {
	e.observed.tracing.swept(e)
	e.observed.samples.Swept()
	if Debug {
		e.observed.debug.swept(e, true)
		resetCore := reset
		reset = func() {
			resetCore()
			e.observed.debug.unguardAll()
		}
	}
	e.sweepGuarded(reset)
	if chunks := e.foreign.evict(); len(chunks) > 0 {
		_, _ = e.freeDirect(chunks)
	}
}

// sweepGuarded is sweep, which ends what is guarded.
func (e *Engine) sweepGuarded(reset func()) {
	if s := e.generated.Sampling; s != nil {
		s.beginSweep(e)
		defer s.endSweep(e)
	}
	e.sweep(reset)
}

// sweep runs undo, which frees any number of blocks at once, and follows the trim policy.
func (e *Engine) sweep(undo func()) {
	e.life.sweeps++
	if !e.life.trim.delays() {
		undo()
		if policy := e.life.trim.onFree(); policy != nil {
			_, _ = e.trim(policy.Keep)
		}
		return
	}
	e.memory.layout.noteUsed()
	undo() // not passed to the layout: the closure would take Go memory
	e.memory.layout.noteEmptied()
	e.expire()
}

// NoteMark notes a mark for Release, in programs built with the tag pooldebug.
func (o *observed) NoteMark(mark any) { o.debug.noteMark(mark) }

// NoteRelease notes which mark is about to be released, in programs built with the tag pooldebug.
func (o *observed) NoteRelease(mark any) { o.debug.noteRelease(mark) }

// Release runs undo, which frees the blocks above a mark that lie in chunks, and refuses a mark that is not valid any more.
func (e *Engine) Release(undo func() bool) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
	}
	e.lock()
	defer e.unlockAndNotify()
	defer e.admitClears()
	e.clearing.awaitClears()
	if e.life.closed {
		return e.newError("release", poolrt.ErrClosed)
	}
	valid := false
	e.sweep(func() {
		valid = undo()
		if Debug && valid {
			e.observed.debug.swept(e, false)
		}
		if valid {
			e.released()
		}
	})
	if !valid {
		return detailed(e.newError("release", poolrt.ErrForeign), "the mark is of another pool, or from before a Reset or a Release below it")
	}
	e.wakeNext()
	return nil
}
