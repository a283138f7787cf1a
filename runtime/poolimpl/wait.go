package poolimpl

import (
	"context"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// waiters is the allocations on the rung wait, in order of arrival. A waiter in the queue is not served; whoever serves one takes it off the queue first. Whoever
// leaves the queue wakes the next.
type waiters struct{ queue []*waiter }

// waiter is an allocation on the rung wait.
type waiter struct {
	request request
	block   Block
	served  bool
	wake    chan struct{} // holds one token: served, or worth another try
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
func (e *Engine) wait(r request, err error) (Block, error) {
	if !e.config.Locked {
		return e.pollAlone(r, err)
	}
	tick, elsewhere, stop := e.config.retries(e.core.stream != nil)
	defer stop()
	ctx, cancel := r.waitsUntil(e.config.WaitTimeout)
	defer cancel()
	w := &waiter{request: r, wake: make(chan struct{}, 1)}
	e.enqueue(w, len(e.waiters.queue))
	defer func() { // whoever waits behind may be easier to serve
		e.dequeue(w)
		e.wakeNext()
	}()
	for woken := false; ; woken = true {
		// Room in the budget helps against its limit alone. The channel comes before the try, so that no room is missed between the two.
		room := e.config.Budget.roomChan()
		if (woken || room != nil) && (e.life.closed || e.waiters.queue[0] == w) {
			b, failed := e.retry(w)
			if failed == nil || !temporary(failed) {
				return b, failed
			}
			err = failed
		}
		// Serve what was freed while the waiter was not in the queue: with the lock released, or in a shared core without it. While ranges are in flight, the
		// next tick tries soon enough.
		if len(e.streams.inFlight) == 0 {
			e.ServeWaiters()
		}
		if w.served {
			return w.block, nil
		}
		if reason(err) == poolrt.ErrOutOfMemory && !elsewhere && !e.busy() && e.usage().Live == 0 && e.pending() == 0 {
			return Block{}, because(err, r.ended(errHopeless))
		}
		if reason(err) != poolrt.ErrLimit {
			room = nil
		}
		ended := e.sleep(w, room, tick, ctx.Done())
		if tick != nil && !w.served {
			if b, ok := e.retryElsewhere(w); ok {
				return b, nil
			}
		}
		switch {
		case w.served:
			return w.block, nil
		case ended:
			return Block{}, because(err, ending(ctx))
		}
	}
}

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
func (e *Engine) pollAlone(r request, err error) (Block, error) {
	end := time.Now().Add(e.config.WaitTimeout)
	for e.pending() > 0 {
		switch {
		case e.recoverAll(r):
			if b, failed := e.allocOrGrow(r); failed == nil || !temporary(failed) {
				return b, failed
			}
		case r.over():
			return Block{}, because(err, ending(r.ctx))
		case r.ctx == nil && time.Now().After(end):
			return Block{}, because(err, errWaited{e.config.WaitTimeout})
		default:
			time.Sleep(pollEvery)
		}
	}
	return Block{}, because(err, errAlone)
}

// sleep waits with the lock released until something happens to the waiter, and reports whether it is the end of its time.
func (e *Engine) sleep(w *waiter, room <-chan struct{}, tick <-chan time.Time, end <-chan struct{}) (ended bool) {
	e.releaseFences()
	events := e.figures.takeEvents()
	e.unlocked(func() {
		registry.Send(events)
		select {
		case <-w.wake:
		case <-room:
		case <-tick:
		case <-end:
			ended = true
		}
	})
	return ended
}

// retry lets a waiter try for itself. It is off the queue meanwhile, so nobody else serves it too, and keeps its place if it fails.
func (e *Engine) retry(w *waiter) (Block, error) {
	e.dequeue(w)
	b, err := e.allocOrGrow(w.request)
	if err != nil && (temporary(err) || reason(err) == poolrt.ErrTooLarge) && e.config.hasRungDriver() {
		b, err = e.allocDirect(w.request, err)
	}
	if err != nil && temporary(err) {
		e.enqueue(w, 0)
	}
	return b, err
}

func (e *Engine) enqueue(w *waiter, at int) {
	e.waiters.queue = slices.Insert(e.waiters.queue, at, w)
	e.waiting.Add(1)
}

// dequeue takes a waiter off the queue, if it is there.
func (e *Engine) dequeue(w *waiter) {
	if at := slices.Index(e.waiters.queue, w); at >= 0 {
		e.waiters.queue = slices.Delete(e.waiters.queue, at, at+1)
		e.waiting.Add(-1)
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
		w.block, w.served = b, true
		e.dequeue(w)
		w.signal()
	}
	e.activity.wakeIdle()
}

// wakeNext serves the queue, has its new head try for itself, and wakes those in waitIdle: memory has become free, the pool can grow again or was closed, or whoever
// was at the head has left. Whoever leaves the queue calls it in turn.
func (e *Engine) wakeNext() {
	if e.waiting.Load() == 0 {
		return
	}
	e.ServeWaiters()
	if len(e.waiters.queue) > 0 {
		e.waiters.queue[0].signal()
	}
}

// retryElsewhere tries once more the rungs that get memory from other pools. The waiter is off the queue meanwhile, and keeps its place if it finds none.
func (e *Engine) retryElsewhere(w *waiter) (Block, bool) {
	at := slices.Index(e.waiters.queue, w)
	if e.life.closed || at < 0 {
		return Block{}, false
	}
	e.dequeue(w)
	ordered := e.core.stream != nil
	if ordered { // whatever the ladder says, and once: the driver is asked
		if b, _, err := e.tryRung(w.request, Rung{Kind: RungPoll}, poolrt.ErrLimit); err == nil {
			return b, true
		}
	}
	for _, rung := range e.config.rungsBeforeWait() {
		if ordered && rung.Kind == RungPoll {
			continue
		}
		if b, _, err := e.tryRung(w.request, rung, poolrt.ErrLimit); err == nil {
			return b, true
		}
	}
	e.enqueue(w, min(at, len(e.waiters.queue)))
	return Block{}, false
}
