package poolimpl

import (
	"context"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

var waits = waitFuncs{(*Engine).wait, context.AfterFunc}

// wait is the rungs drain and wait. It queues the request until a free serves it, the pool can grow again, the time runs out, or the context ends; drain also
// ends when no free is pending. Requests are served in order of arrival, but the fast path may first serve a later request that fits what is free, as may the
// driver with ordering driver, which waiters call at the same time. After a failure the error is err, with the reason why the wait ended as its cause.
func (e *Engine) wait(r request, err error, kind RungKind) (foundBlock, error) {
	r.short = shortage{} // a free that comes before the request is in the queue wakes nobody
	if kind == RungDrain && !e.drainHelps(r) {
		return foundBlock{}, because(err, errDrained)
	}
	if !e.config.Locked {
		return e.pollAlone(r, err)
	}
	w := &waiter{engine: e, request: r, kind: kind, err: err, wake: newToken()}
	w.rungs = w.retriedRungs()
	defer w.tickOn()()
	if reason(err) == poolrt.ErrLimit {
		defer e.budget.Budget().Want(e.memory.need(e.core.Core, r), e.priority)()
	}
	ctx, cancel := r.waitsUntil(e.config.WaitTimeout)
	defer cancel()
	e.waiters.insert(w, len(e.waiters.queue))
	over := false
	defer func() { // the next waiter may be easier to serve
		e.waiters.remove(w)
		if w.served && !over { // an event hook has panicked
			_ = e.undoOn(w.block.Addr, r.bytes, r.stream)
		}
		e.wakeNext()
	}()
	for woken := false; ; woken = true {
		// The channel is made before the try, so that no release of the budget is missed in between.
		room := e.budget.Budget().Room()
		if over = w.try(woken || reason(w.err) == poolrt.ErrLimit, room); over {
			return w.block, w.err
		}
		if reason(w.err) != poolrt.ErrLimit { // room in the budget helps only against ErrLimit
			room = nil
		}
		if over = w.sleep(ctx, room); over {
			return w.block, w.err
		}
	}
}

// try serves a waiter before it sleeps, if possible. With grow it may also take memory from the source, if the waiter is the first in the queue. room is
// closed when a pool of the budget releases memory. It reports whether the wait is over, with block or err as its result.
func (w *waiter) try(grow bool, room <-chan struct{}) (over bool) {
	e := w.engine
	tried := grow && (e.life.closed || e.waiters.queue[0] == w)
	if tried {
		w.allocs = w.allocsIfUnused()
		if w.retry(); w.err == nil || !temporary(w.err) {
			return true
		}
	}
	hopeless := w.hopeless(tried, room)
	if hopeless == errDrained {
		w.retryElsewhere() // what was reclaimed last may need the rung trim
	}
	// Serve what was freed while the waiter was not in the queue: with the lock released, or in a shared core without it. While ranges are in flight, the
	// next tick is soon enough.
	if len(e.streams.inFlight) == 0 {
		e.ServeWaiters()
	}
	switch {
	case w.served:
		return true
	case hopeless != nil:
		w.err = because(w.err, w.request.ended(hopeless))
		return true
	}
	return false
}

// hopeless returns why waiting cannot help, nil if it can. tried: the request has just failed, as the first of the queue. released: a channel that is closed
// when a pool of the budget has released memory since before that.
//
// At a limit the answer must not depend on what others do between the request's failure and this call. So it is nil if the rung driver has released the lock, and
// in a pool with a [SharedCore], whose blocks come and go without e.mu, unless there was no block since before the request failed.
func (w *waiter) hopeless(tried bool, released <-chan struct{}) error {
	e := w.engine
	switch {
	case e.activity.busy() || e.streams.resting || reason(w.err) == poolrt.ErrAsleep: // the pool may have woken since
		return nil
	case w.kind == RungDrain && e.streams.pending() == 0:
		return errDrained
	case w.elsewhere || e.config.numbers(): // Track may bring more
		return nil
	case reason(w.err) == poolrt.ErrLimit && (!tried || e.core.shared != nil && !w.undisturbed() || e.config.hasRungDriver() || e.budget.Budget().Held() > e.limits.reserved || isClosed(released)):
		return nil
	case w.isUnused():
		return errHopeless
	}
	return nil
}

// undisturbed reports whether the pool had no block since before the last try.
func (w *waiter) undisturbed() bool {
	return w.allocs != unknownAllocs && w.allocs == w.allocsIfUnused()
}

// unknownAllocs is the result of allocsIfUnused if there is a block, or if allocations are not counted.
const unknownAllocs = ^uint64(0)

// allocsIfUnused returns the number of allocations so far, if no block of a [SharedCore] is live or pending. With ordering driver it does not say: a block that the
// driver is about to supply counts against the limit, but not as an allocation.
func (w *waiter) allocsIfUnused() uint64 {
	e := w.engine
	if e.core.shared == nil || e.core.driver != nil || e.config.Unmetered || !w.isUnused() {
		return unknownAllocs
	}
	return e.usage().Allocs
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// isUnused reports whether no block is live and no free is pending.
func (w *waiter) isUnused() bool {
	e := w.engine
	if e.usage().Live > 0 || !e.streams.stop() { // to stop all streams takes longer
		return false
	}
	defer e.streams.queues.resume()
	return e.usage().Live == 0
}

// waitsUntil returns the context that ends a wait: the request's own or, if it has none, one that ends after timeout.
func (r request) waitsUntil(timeout time.Duration) (context.Context, context.CancelFunc) {
	if r.ctx != nil {
		return r.ctx, func() {}
	}
	return context.WithTimeoutCause(context.Background(), timeout, errWaited{timeout})
}

// ended returns why the request's context ended, or err if it has not.
func (r request) ended(err error) error {
	if r.over() {
		return ending(r.ctx)
	}
	return err
}

// pollAlone waits for streams, in a pool without a lock: nobody else can free its blocks meanwhile.
func (e *Engine) pollAlone(r request, err error) (foundBlock, error) {
	end := time.Now().Add(e.config.WaitTimeout)
	for e.streams.pending() > 0 {
		switch {
		case e.order.recoverAll(r):
			if b, failed := e.allocOrGrow(r); failed == nil || !temporary(failed) {
				return b, failed
			}
		case r.over():
			return foundBlock{}, because(err, ending(r.ctx))
		case r.ctx == nil && time.Now().After(end):
			return foundBlock{}, because(err, errWaited{e.config.WaitTimeout})
		default:
			time.Sleep(pollEvery)
		}
	}
	return foundBlock{}, because(err, errAlone)
}

// sleep waits with the lock released until the waiter is signalled, memory may have become available, or ctx ends. If the waiter has ticks, sleep then tries
// rungs again. It reports whether the wait is over, with block or err as its result.
func (w *waiter) sleep(ctx context.Context, room <-chan struct{}) (over bool) {
	e, ended := w.engine, false
	_ = e.order.releaseFences()
	events := e.figures.takeEvents()
	e.unlocked(func() {
		registry.Send(events)
		ended = w.wake.await(ctx, room, w.tick)
	})
	if w.served && (w.sweeps != e.life.sweeps || e.life.closed) { // the block was freed, with all others
		w.served, w.err = false, poolrt.ErrLimit
		e.waiters.insert(w, 0)
	}
	if w.tick != nil && !w.served {
		w.retryElsewhere()
	}
	if ended && !w.served {
		w.err = because(w.err, ending(ctx))
	}
	return ended || w.served
}

// retry tries the request as an ordinary allocation. The waiter is not in the queue meanwhile, so nobody else serves it too, and returns to the head of the
// queue if it fails.
func (w *waiter) retry() {
	e := w.engine
	e.waiters.remove(w)
	w.block, w.err = e.allocOrGrow(w.request)
	if w.err != nil && (temporary(w.err) || reason(w.err) == poolrt.ErrTooLarge) && e.config.hasRungDriver() {
		w.block, w.err = e.allocDirect(w.request, w.err)
	}
	if w.err != nil && temporary(w.err) {
		e.waiters.insert(w, 0)
	}
}

// retryElsewhere tries again the rungs that get memory from elsewhere. The waiter is not in the queue meanwhile, and keeps its place if no rung helps.
func (w *waiter) retryElsewhere() {
	e := w.engine
	at := slices.Index(e.waiters.queue, w)
	if e.life.closed || e.streams.resting || at < 0 {
		return
	}
	e.waiters.remove(w)
	for _, rung := range w.rungs {
		if b, _, err := rung.try(e, w.request, poolrt.ErrLimit); err == nil {
			w.serve(b)
			return
		}
	}
	e.waiters.insert(w, min(at, len(e.waiters.queue)))
}

// retriedRungs lists the rungs that a waiter tries at each tick. In an ordered pool, the rung poll is the first of them and occurs once, whatever the ladder
// says. In a budget the rung trim is one of them: others may have become empty.
func (w *waiter) retriedRungs() []Rung {
	e := w.engine
	rungs := e.config.rungsBeforeWait()
	if e.budget != nil && !slices.ContainsFunc(rungs, func(r Rung) bool { return r.Kind() == RungTrim }) {
		rungs = slices.Insert(slices.Clone(rungs), 0, Rung(TrimRung{}))
	}
	if e.core.stream == nil {
		return rungs
	}
	rungs = slices.DeleteFunc(slices.Clone(rungs), func(r Rung) bool { return r.Kind() == RungPoll })
	return slices.Insert(rungs, 0, Rung(PollRung{}))
}

const (
	// retryEvery is how often a waiter tries rungs again: frees in another pool do not wake it.
	retryEvery = 5 * time.Millisecond
	// pollEvery is how often a waiter in an ordered pool does so: no free wakes it when a stream passes a fence.
	pollEvery = 200 * time.Microsecond
)

// tickOn begins the ticks at which the waiter tries rungs again, if any could help, until stop, and notes whether memory may come from other pools. In an ordered
// pool there are always ticks.
func (w *waiter) tickOn() (stop func()) {
	e := w.engine
	c, ordered := e.config, e.core.stream != nil
	w.elsewhere = slices.ContainsFunc(c.rungsBeforeWait(), func(r Rung) bool {
		return r.Kind() == RungPool || r.Kind() == RungTrim && e.budget != nil
	}) || e.budget.Budget().Host()
	if !w.elsewhere && !c.hasRungDriver() && !ordered && (e.budget == nil || reason(w.err) != poolrt.ErrLimit) {
		return func() {}
	}
	every := retryEvery
	if ordered {
		every = pollEvery
	}
	t := time.NewTicker(every)
	w.tick = t.C
	return t.Stop
}
