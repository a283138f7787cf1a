package poolimpl

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// waiters is the allocations on the rung wait, in order of arrival. A waiter in the queue is not served; whoever serves one takes it off the queue first. Whoever
// leaves the queue wakes the next.
type waiters struct {
	count atomic.Int32 // len(queue) + activity.sleepers; frees read it without mu
	queue []*waiter
}

func (ws *waiters) insert(w *waiter, at int) {
	ws.queue = slices.Insert(ws.queue, at, w)
	ws.count.Add(1)
}

// remove takes a waiter off the queue, if it is there.
func (ws *waiters) remove(w *waiter) {
	if at := slices.Index(ws.queue, w); at >= 0 {
		ws.queue = slices.Delete(ws.queue, at, at+1)
		ws.count.Add(-1)
	}
}

// waiter is an allocation on the rung wait.
type waiter struct {
	engine    *Engine
	request   request
	err       error // why the request is not served
	block     foundBlock
	served    bool
	wake      chan struct{}    // holds one token: served, or worth another try
	tick      <-chan time.Time // when the waiter tries rungs; nil: it does not
	rungs     []Rung
	elsewhere bool // memory may come from other pools
}

func (w *waiter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// wait queues the request until a free serves it, the pool can grow again, the time runs out, or the context ends. Requests are served in the order in which they
// came. One that fits what is free may still be served on the fast path before those that wait. A failure keeps the reason err, with why the waiting ended as its
// cause.
func (e *Engine) wait(r request, err error) (foundBlock, error) {
	if !e.config.Locked {
		return e.pollAlone(r, err)
	}
	w := &waiter{engine: e, request: r, err: err, wake: make(chan struct{}, 1), rungs: e.config.retriedRungs(e.core.stream != nil)}
	var stop func()
	w.tick, w.elsewhere, stop = e.config.retries(e.core.stream != nil)
	defer stop()
	ctx, cancel := r.waitsUntil(e.config.WaitTimeout)
	defer cancel()
	e.waiters.insert(w, len(e.waiters.queue))
	defer func() { // whoever waits behind may be easier to serve
		e.waiters.remove(w)
		e.wakeNext()
	}()
	for woken := false; ; woken = true {
		// The channel comes before the try, so that no room is missed between the two.
		room := e.config.Budget.roomChan()
		if w.try(woken || room != nil) {
			return w.block, w.err
		}
		if reason(w.err) != poolrt.ErrLimit { // room in the budget helps against its limit alone
			room = nil
		}
		if w.sleep(ctx, room) {
			return w.block, w.err
		}
	}
}

// try serves a waiter before it sleeps, as far as that is possible. With grow it may also take memory from the source, if it is the first in the queue. It reports
// whether the wait is over, with block or err as its result.
func (w *waiter) try(grow bool) (over bool) {
	e := w.engine
	if grow && (e.life.closed || e.waiters.queue[0] == w) {
		if w.retry(); w.err == nil || !temporary(w.err) {
			return true
		}
	}
	// Serve what was freed while the waiter was not in the queue: with the lock released, or in a shared core without it. While ranges are in flight, the
	// next tick tries soon enough.
	if len(e.streams.inFlight) == 0 {
		e.ServeWaiters()
	}
	switch {
	case w.served:
		return true
	case reason(w.err) == poolrt.ErrOutOfMemory && !w.elsewhere && !e.activity.busy(&e.limits) && e.usage().Live == 0 && e.streams.pending() == 0:
		w.err = because(w.err, w.request.ended(errHopeless))
		return true
	}
	return false
}

// serve ends the wait with a block.
func (w *waiter) serve(b foundBlock) { w.block, w.err, w.served = b, nil, true }

// waitsUntil returns the context that ends a wait: the request's own, or one that lasts as long as the rung wait.
func (r request) waitsUntil(timeout time.Duration) (context.Context, context.CancelFunc) {
	if r.ctx != nil {
		return r.ctx, func() {}
	}
	return context.WithTimeoutCause(context.Background(), timeout, errWaited{timeout})
}

// ended returns why the request's context ended, or else err.
func (r request) ended(err error) error {
	if r.over() {
		return ending(r.ctx)
	}
	return err
}

// pollAlone waits for streams, in a pool whose blocks nobody else could free meanwhile.
func (e *Engine) pollAlone(r request, err error) (foundBlock, error) {
	end := time.Now().Add(e.config.WaitTimeout)
	for e.streams.pending() > 0 {
		switch {
		case e.recoverAll(r):
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

// sleep waits with the lock released until something happens to the waiter, and then looks elsewhere. It reports whether the wait is over, with block or err as its
// result.
func (w *waiter) sleep(ctx context.Context, room <-chan struct{}) (over bool) {
	e, ended := w.engine, false
	e.streams.releaseFences()
	events := e.figures.takeEvents()
	e.unlocked(func() {
		registry.Send(events)
		select {
		case <-w.wake:
		case <-room:
		case <-w.tick:
		case <-ctx.Done():
			ended = true
		}
	})
	if w.tick != nil && !w.served {
		w.retryElsewhere()
	}
	if ended && !w.served {
		w.err = because(w.err, ending(ctx))
	}
	return ended || w.served
}

// retry lets a waiter try for itself. It is off the queue meanwhile, so nobody else serves it too, and keeps its place if it fails.
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

// ServeWaiters hands what has become free to those who wait, in their order. Part of the fast path of frees, under the lock, when HasWaiters is true.
func (e *Engine) ServeWaiters() {
	for len(e.waiters.queue) > 0 {
		w := e.waiters.queue[0]
		if len(e.streams.inFlight) > 0 { // the driver may have to be asked, and not under the lock
			w.signal()
			break
		}
		r := w.request
		r.far = true
		b, ok := e.allocNow(r)
		if !ok {
			break
		}
		w.serve(b)
		e.waiters.remove(w)
		w.signal()
	}
	e.activity.wakeIdle()
}

// wakeNext serves the queue, has its new head try for itself, and wakes those in waitIdle: memory has become free, the pool can grow again or was closed, or whoever
// was at the head has left. Whoever leaves the queue calls it in turn.
func (e *Engine) wakeNext() {
	if !e.HasWaiters() {
		return
	}
	e.ServeWaiters()
	if len(e.waiters.queue) > 0 {
		e.waiters.queue[0].signal()
	}
}

// retryElsewhere tries once more the rungs that get memory from other pools. The waiter is off the queue meanwhile, and keeps its place if it finds none.
func (w *waiter) retryElsewhere() {
	e := w.engine
	at := slices.Index(e.waiters.queue, w)
	if e.life.closed || at < 0 {
		return
	}
	e.waiters.remove(w)
	for _, rung := range w.rungs {
		if b, _, err := e.tryRung(w.request, rung, poolrt.ErrLimit); err == nil {
			w.serve(b)
			return
		}
	}
	e.waiters.insert(w, min(at, len(e.waiters.queue)))
}
