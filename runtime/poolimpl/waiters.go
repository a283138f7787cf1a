package poolimpl

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// waiters are the allocations on the rung wait, in order of arrival. A waiter in the queue is not served: whoever serves a waiter first removes it from the
// queue. Whoever leaves the queue wakes the next.
type waiters struct {
	count atomic.Int32 // len(queue) + activity.sleepers; frees read it without mu
	queue []*waiter
}

func (ws *waiters) insert(w *waiter, at int) {
	ws.queue = slices.Insert(ws.queue, at, w)
	ws.count.Add(1)
}

// remove removes a waiter from the queue, if it is there.
func (ws *waiters) remove(w *waiter) {
	if at := slices.Index(ws.queue, w); at >= 0 {
		ws.queue = slices.Delete(ws.queue, at, at+1)
		ws.count.Add(-1)
	}
}

// waiter is an allocation on the rung wait. Its fields are guarded by mu. While the waiter is in the queue, other callers may serve it: they remove it from the
// queue, set block or err and served, and give it a token. To try for itself with the lock released, a waiter leaves the queue first, and is the only one to write its
// result until it is back.
type waiter struct {
	engine    *Engine
	request   request
	kind      RungKind
	err       error // why the request is not served
	block     foundBlock
	served    bool
	sweeps    uint64           // life.sweeps when the waiter was served
	wake      token            // the waiter is served, or should try again
	tick      <-chan time.Time // when the waiter tries rungs again; nil: never
	rungs     []Rung
	allocs    uint64 // allocsIfUnused before the last try
	elsewhere bool   // memory may come from other pools
}

// serve ends the wait with a block.
func (w *waiter) serve(b foundBlock) {
	w.block, w.err, w.served, w.sweeps = b, nil, true, w.engine.life.sweeps
}

// HasWaiters reports whether a caller waits for a block. A free after which HasWaiters is true calls ServeWaiters. The caller may hold e.mu or not.
func (ws *waiters) HasWaiters() bool { return ws.count.Load() != 0 }

// ServeWaiters gives free blocks to the waiters, in order of arrival. The caller holds e.mu. Part of the fast path of frees, when HasWaiters is true.
func (e *Engine) ServeWaiters() {
	for len(e.waiters.queue) > 0 {
		w := e.waiters.queue[0]
		if len(e.streams.inFlight) > 0 || e.core.driver != nil && e.core.driver.fits(w.request.bytes, w.err) { // the driver may have to be called, which must not happen under the lock
			w.wake.give()
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
		w.wake.give()
	}
	e.activity.wakeIdle()
}

// wakeNext serves the queue, makes its new head try for itself, and wakes the callers in waitIdle. It is called when memory has become free, when the pool
// can grow again or was closed, and when a waiter has left the queue.
func (e *Engine) wakeNext() {
	if !e.HasWaiters() {
		return
	}
	e.ServeWaiters()
	if len(e.waiters.queue) > 0 {
		e.waiters.queue[0].wake.give()
	}
}

// waitFuncs are what a wait until a context ends takes. They are variables, so that programs in which nothing waits do not link them.
type waitFuncs struct {
	wait  func(*Engine, request, error, RungKind) (foundBlock, error)
	after func(context.Context, func()) (stop func() bool)
}
