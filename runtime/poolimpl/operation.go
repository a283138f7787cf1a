package poolimpl

import (
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// lock takes the pool's lock. In a pool with ordering driver it brings the figures up to date that callers change without the lock.
func (e *Engine) lock() {
	e.poolLock.lock()
	e.post()
}

// unlockAndNotify ends an operation. It releases the fences that the operation has dropped, publishes the figures of a pool without a lock, releases the lock
// and sends the events. A panic of an event hook goes on, so a caller that would lose something defers what prevents that before it defers unlockAndNotify.
func (e *Engine) unlockAndNotify() {
	defer e.notify()            // also if the driver panics
	_ = e.order.releaseFences() // what fails is tried again
}

// notify is unlockAndNotify without the fences.
func (e *Engine) notify() {
	events := e.figures.takeEvents()
	if p := e.figures.published; p != nil && p.due(e.limits.chunks) {
		p.set(e.describe())
	}
	e.unlock()
	registry.Send(events)
}

// takeEvents returns the events to be sent.
func (f *figures) takeEvents() []poolrt.Event {
	events := f.events
	f.events = nil
	return events
}

// published is what other goroutines may read of a pool without a lock.
type published struct {
	mu    sync.Mutex
	info  poolrt.PoolInfo
	calls int64 // of the slow path since info was set; only the pool's user reads it
}

func (p *published) get() poolrt.PoolInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// chunksPerCall is how many chunks describe may visit for each call of the slow path.
const chunksPerCall = 8

// due counts a call of the slow path, and reports whether there were enough calls since the last set: describe visits all chunks.
func (p *published) due(chunks int64) bool {
	p.calls++
	return p.calls*chunksPerCall >= chunks
}

// set replaces info.
func (p *published) set(info poolrt.PoolInfo) {
	p.calls = 0
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = info
}

// Stats returns the pool's statistics. Cost: a pass over the chunks.
func (e *Engine) Stats() poolrt.Stats {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlock()
	if p := e.figures.published; p != nil {
		p.set(e.describe())
		return p.info.Stats
	}
	return e.stats()
}

// ResetPeaks sets PeakBytes and PeakReserved of Stats to what is live and reserved now. Cost: as Stats, at most.
func (e *Engine) ResetPeaks() error {
	e.lock()
	defer e.unlock()
	if e.life.closed {
		return e.newError("reset peaks", poolrt.ErrClosed)
	}
	if c, ok := e.core.Core.(PeakCore); ok {
		c.ResetPeak()
	}
	if Debug {
		e.observed.debug.resetPeak()
	}
	e.foreign.direct.usage.PeakBytes = 0
	e.figures.shownPeak = e.limits.reserved
	if p := e.figures.published; p != nil {
		p.set(e.describe())
	}
	return nil
}

// Info describes the pool. Any goroutine may call it. In a pool without a lock the description may be older than the last calls.
func (e *Engine) Info() poolrt.PoolInfo {
	if e.figures.published != nil {
		return e.figures.published.get()
	}
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlock()
	return e.describe()
}
