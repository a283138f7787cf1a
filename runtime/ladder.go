package runtime

import (
	"context"
	"time"
)

// climb tries the rungs of the ladder in order once the pool could not grow. The lock is held on entry and on return.
func (e *Engine) climb(r request, err error) (Block, error) {
	waited := false
	for _, rung := range e.config.Ladder {
		if rung.Kind == RungError {
			break
		}
		b, rungErr := e.step(r, rung)
		if rungErr == nil {
			return b, nil
		}
		if rung.Kind == RungWait {
			waited = true
			err = rungErr
		}
	}
	if r.ctx != nil && !waited {
		return e.wait(r)
	}
	return Block{}, err
}

// step tries one rung.
func (e *Engine) step(r request, rung Rung) (Block, error) {
	switch rung.Kind {
	case RungTrim:
		e.trimForRequest()
		return e.obtain(r)
	case RungWait:
		return e.wait(r)
	case RungPool:
		return e.spill(r, rung.Pool)
	default:
		return e.obtain(r)
	}
}

// spill takes the block from another pool, with this pool's lock released.
func (e *Engine) spill(r request, s *Spill) (Block, error) {
	e.unlock()
	p, err := s.Alloc(r.bytes, r.align)
	e.lock()
	if err != nil {
		return Block{}, err
	}
	return Block{Ptr: p, Addr: uint64(uintptr(p))}, nil
}

// waiter is an allocation that waits for a free. Whoever serves it takes it off the queue first.
type waiter struct {
	request request
	block   Block
	served  bool          // block is valid; else try again
	wake    chan struct{} // closed when taken off the queue
}

// wait queues the request until a free serves it, the time runs out, or the context ends. Requests are served in the order in
// which they came; one that fits what is free may still be served on the fast path before those that wait.
func (e *Engine) wait(r request) (Block, error) {
	if !e.config.Locked {
		return Block{}, ErrLimit
	}
	ctx, cancel := r.ctx, context.CancelFunc(func() {})
	if ctx == nil {
		ctx, cancel = context.WithTimeoutCause(context.Background(), e.config.WaitTimeout, errWaited{e.config.WaitTimeout})
	}
	defer cancel()
	e.starved.Add(1)
	defer e.starved.Add(-1)
	first := false
	for {
		w := &waiter{request: r, wake: make(chan struct{})}
		e.enqueue(w, first)
		e.unlock()
		select {
		case <-w.wake:
		case <-ctx.Done():
		}
		e.lock()
		if w.served {
			return w.block, nil
		}
		if e.dequeue(w) {
			return Block{}, &causedBy{ErrLimit, context.Cause(ctx)}
		}
		b, err := e.obtain(r)
		if err == nil || err == ErrClosed {
			return b, err
		}
		first = true // it had its turn at the head of the queue and keeps it
	}
}

// errWaited says that the rung wait was in vain.
type errWaited struct{ d time.Duration }

func (w errWaited) Error() string { return "nothing was freed within " + w.d.String() }

func (w errWaited) Unwrap() error { return context.DeadlineExceeded }

func (e *Engine) enqueue(w *waiter, first bool) {
	if first {
		e.queue = append([]*waiter{w}, e.queue...)
	} else {
		e.queue = append(e.queue, w)
	}
	e.waiting = len(e.queue)
}

// dequeue takes a waiter that nobody served off the queue and reports whether it was there.
func (e *Engine) dequeue(w *waiter) bool {
	for i, q := range e.queue {
		if q == w {
			e.queue = append(e.queue[:i], e.queue[i+1:]...)
			e.waiting = len(e.queue)
			return true
		}
	}
	return false
}

// Serve hands what has become free to those who wait, in their order. The lock is held: part of the fast path of frees, when
// Waiting is true.
func (e *Engine) Serve() {
	for len(e.queue) > 0 {
		w := e.queue[0]
		b, ok := e.try(w.request)
		if !ok {
			return
		}
		w.block, w.served = b, true
		e.dequeue(w)
		close(w.wake)
	}
}

// retryLocked is retry for a caller without the lock.
func (e *Engine) retryLocked() {
	e.lock()
	defer e.unlock()
	e.retry()
}

// retry lets the first waiter try for itself, because the pool may be able to grow again, or was closed.
func (e *Engine) retry() {
	if len(e.queue) > 0 {
		w := e.queue[0]
		e.dequeue(w)
		close(w.wake)
	}
}
