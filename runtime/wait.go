package runtime

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// waiter is an allocation on the rung wait. Whoever serves it takes it off the queue first.
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

// wait queues the request until a free serves it, the pool can grow again, the time runs out, or the context ends. Requests are
// served in the order in which they came; one that fits what is free may still be served on the fast path before those
// that wait. A failure keeps the reason err, with why the waiting ended as its cause.
func (e *Engine) wait(r request, err error) (Block, error) {
	if !e.config.Locked {
		return e.pollAlone(r, err)
	}
	tick, elsewhere, stop := e.retries()
	defer stop()
	ctx, cancel := e.waitsUntil(r)
	defer cancel()
	w := &waiter{request: r, wake: make(chan struct{}, 1)}
	e.enqueue(w, len(e.waiters.queue))
	defer e.leave(w)
	for woken := false; ; woken = true {
		// Room in the budget helps against its limit alone. The channel comes before the try, so that no room
		// is missed between the two.
		room := e.config.Budget.roomChan()
		if (woken || room != nil) && (e.life.closed || e.waiters.queue[0] == w) {
			b, failed := e.retry(w)
			if failed == nil || !temporary(failed) {
				return b, failed
			}
			err = failed
		}
		if e.serveMissed(w) {
			return w.block, nil
		}
		if !elsewhere && e.hopeless(err) {
			return Block{}, giveUp(r, err)
		}
		if reason(err) != ErrLimit {
			room = nil
		}
		ended := e.sleep(w, room, tick, ctx.Done())
		if w.served {
			return w.block, nil
		}
		if tick != nil {
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
func (e *Engine) waitsUntil(r request) (context.Context, context.CancelFunc) {
	if r.ctx != nil {
		return r.ctx, func() {}
	}
	return context.WithTimeoutCause(context.Background(), e.config.WaitTimeout, errWaited{e.config.WaitTimeout})
}

// serveMissed serves the queue with what was freed while the waiter was not in it: with the lock released, or in a shared core without it. It reports whether
// the waiter was served. While places are hot, a tick has it look around soon enough.
func (e *Engine) serveMissed(w *waiter) bool {
	if len(e.streams.inFlight) == 0 {
		e.ServeWaiters()
	}
	return w.served
}

// hopeless reports whether no free can help: the source has no memory, and the pool holds no block whose memory could be used instead.
func (e *Engine) hopeless(err error) bool {
	return reason(err) == ErrOutOfMemory && !e.busy() && e.usage().Live == 0 && e.pending() == 0
}

// giveUp is the error of a wait that is in vain. It matches that of a context which has ended.
func giveUp(r request, err error) error {
	if r.over() {
		return because(err, ending(r.ctx))
	}
	return because(err, errHopeless)
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
	events := e.figures.events
	e.figures.events = nil
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

// retry lets a waiter try for itself. It is off the queue meanwhile, so that nobody else serves it too, and keeps its
// place if it fails.
func (e *Engine) retry(w *waiter) (Block, error) {
	e.dequeue(w)
	b, err := e.allocOrGrow(w.request)
	if err != nil && (temporary(err) || reason(err) == ErrTooLarge) && e.hasRungDriver() {
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

// leave ends a wait. Whoever waits behind may be easier to serve.
func (e *Engine) leave(w *waiter) {
	e.dequeue(w)
	e.wakeNext()
}

// ServeWaiters hands what has become free to those who wait, in their order. The lock is held: part of the fast path of frees, when
// Waiting is true.
func (e *Engine) ServeWaiters() {
	for len(e.waiters.queue) > 0 {
		w := e.waiters.queue[0]
		if len(e.streams.inFlight) > 0 { // the driver may have to be asked, and not here
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
	e.wakeIdle()
}

// wakeNext serves the queue, has its new head try for itself, and wakes those in settle: memory has become free, the pool can
// grow again or was closed, or whoever was at the head has left. Who leaves the queue passes it on.
func (e *Engine) wakeNext() {
	if e.waiting.Load() == 0 {
		return
	}
	e.ServeWaiters()
	if len(e.waiters.queue) > 0 {
		e.waiters.queue[0].signal()
	}
}

// ending is why a context ended; it always matches the context's Err.
func ending(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return &causedBy{ctx.Err(), cause}
}

// Why there was no waiting.
var (
	errAlone    = errors.New("waiting is in vain: the pool is for one goroutine at a time, so nobody else could free a block")
	errHopeless = errors.New("waiting is in vain: no block is live that could be freed")
)

// errWaited says that the rung wait was in vain.
type errWaited struct{ d time.Duration }

func (w errWaited) Error() string { return "nothing was freed within " + w.d.String() }

func (w errWaited) Unwrap() error { return context.DeadlineExceeded }
