package poolimpl

import (
	"errors"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// life is opened once and closed once. After closing, the pool has no chunks except unreturned, and final does not change.
type life struct {
	opened     bool        // the first use has happened
	primed     bool        // prime was tried
	closed     bool        // Close has succeeded
	sweeps     uint64      // times that many blocks were freed at once
	badItem    error       // why the item type cannot live in a pool
	final      Usage       // the counters when the pool was closed
	unreturned []Chunk     // chunks that the source refused to take back; each Close tries them again
	trimAt     time.Time   // when the next idle chunk should go back; zero: none
	allocator  string      // set by WithAllocator, otherwise Config.Allocator; "" in an imported pool
	device     int         // set by OnDevice, otherwise NoDevice
	prime      int64       // bytes that the pool reserves when it is opened
	trim       *TrimPolicy // the policy in force; nil: keep all chunks
}

// Open applies options to a pool that has not been used, and reserves what the pool starts with. If that fails, the pool is as before and may be opened
// again, unless others have begun to use it meanwhile; as long as the source refuses to take a chunk back, it keeps its allocator and its device. A pool that is used without Open opens itself as its pool file says.
func (e *Engine) Open(options ...poolrt.Option) error {
	e.lock()
	defer e.unlockAndNotify()
	defer func() {
		if n, _ := e.unreturned(); !e.life.opened && n == 0 && e.limits.reserved == 0 {
			e.name.unregister(e) // the program has no use for a pool that was not opened and holds nothing
		}
	}()
	for (e.activity.binding || e.activity.driverCalls > 0) && e.waitIdle(request{}) {
	}
	switch {
	case e.life.closed:
		return e.newError("configure", poolrt.ErrClosed)
	case e.life.opened:
		return detailed(e.newError("configure", poolrt.ErrLive), "options apply only before the first use of the pool")
	}
	e.name.register(e)
	before := e.settings()
	s := with(before, options)
	if wrong := e.refuse(s); wrong != nil {
		return wrong.of(e, "configure")
	}
	if err := e.rebind(s); err != nil {
		return e.newError("configure", err)
	}
	e.apply(s)
	err := e.open()
	if err == nil {
		err = e.prime(e.reserveAll)
	}
	if err == nil {
		return nil
	}
	var failed *poolrt.PoolError
	if lack := (*NoAddresses)(nil); errors.As(err, &lack) {
		failed = e.newError("open", err)
		failed.Remedies = lack.remedies(0)
	} else {
		failed = e.lacking("open", err, e.life.prime-e.limits.held())
	}
	_, _ = e.trim(0)
	_ = e.releaseFences() // while the pool is bound
	if e.life.closed || e.usage().Live > 0 || e.streams.queues.count() > 0 || e.streams.calls.Load() > 0 || e.activity.busy(&e.limits) {
		return failed // others use the pool by now, so it cannot be as before
	}
	e.budget.Leave()
	e.life.opened, e.life.primed = false, false
	if e.limits.reserved > 0 { // the source refused to take a chunk back, and no other source can
		before.Allocator, before.Device = s.Allocator, s.Device
	}
	e.apply(before)
	if e.limits.reserved == 0 { // else the source refused to take a chunk back
		_ = e.unbind()
	}
	return failed
}

// open runs once, before the first chunk is obtained. After it, options come too late.
func (e *Engine) open() error {
	for !e.life.opened && e.activity.binding && e.waitIdle(request{}) {
	}
	if e.life.opened {
		return nil
	}
	e.name.register(e)
	if err := e.bind(); err != nil {
		return err
	}
	if err := e.joinBudget(); err != nil || e.life.opened || e.life.closed {
		return err
	}
	e.life.opened = true
	if e.config.Item != nil {
		e.life.badItem = checkItem(e.config.Item())
	}
	if d := e.core.driver; d != nil {
		d.opened(e)
	}
	return nil
}

// openLazily opens a pool that is used without Open. If what the pool starts with cannot be reserved, that is no error: the allocation may still be served.
func (e *Engine) openLazily() error {
	if err := e.open(); err != nil {
		return err
	}
	if !e.life.primed {
		_ = e.prime(e.reserve)
	}
	return nil
}

// prime reserves what the pool starts with, by the given function, and the memory of the host to sleep.
func (e *Engine) prime(reserve func(bytes int64) error) error {
	e.life.primed = true
	if e.life.badItem != nil {
		return e.life.badItem
	}
	if err := reserve(e.life.prime); err != nil {
		return err
	}
	return e.primeBacking()
}

// Close returns all memory and closes the pool. While blocks are live it refuses with [poolrt.ErrLive] and their number, returns nothing, and the pool can
// still be used. Closing twice is no error. Waiting allocations fail with [poolrt.ErrClosed]. If the source refuses to take chunks back, Close reports it,
// and another Close tries again. reset sets the core to its zero value; it may be nil for a [SharedCore], which does so itself.
func (e *Engine) Close(reset func()) error { return e.close(reset, false) }

// CloseForce is Close for a pool that may have live blocks: their memory is returned too, and using them afterwards is a fault.
func (e *Engine) CloseForce(reset func()) error { return e.close(reset, true) }

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
	e.awaitClears()
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
	if e.core.shared != nil && !e.config.Uncounted {
		restarted := (chunked{e}).restart()
		e.streams.queues.resume()
		if !restarted {
			return e.liveError("reset")
		}
		reset = func() {}
	} else {
		reset = e.resumeAfter(reset)
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
	e.awaitClears()
	if e.core.stream != nil {
		if err := e.quiesce("reset", keepLive); err != nil {
			return err
		}
	}
	if err := e.refuseFreeAll(); err != nil {
		e.streams.queues.resume()
		return err
	}
	e.sweepAll(e.resumeAfter(reset))
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
func (e *Engine) resumeAfter(reset func()) func() {
	return func() {
		reset()
		e.streams.queues.resume()
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

// NoteMark notes a mark for Release, in programs built with the tag pooldebug.
func (e *Engine) NoteMark(mark any) { e.observed.debug.noteMark(mark) }

// NoteRelease notes which mark is about to be released, in programs built with the tag pooldebug.
func (e *Engine) NoteRelease(mark any) { e.observed.debug.noteRelease(mark) }

// Release runs undo, which frees the blocks above a mark that lie in chunks, and refuses a mark that is not valid any more.
func (e *Engine) Release(undo func() bool) (err error) {
	if Debug {
		defer e.observed.debug.report(&err)
	}
	e.lock()
	defer e.unlockAndNotify()
	defer e.admitClears()
	e.awaitClears()
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
