package poolimpl

import (
	"context"
	"time"
)

// token wakes a waiter. There is at most one: a waiter that is woken twice before it sleeps tries again once.
type token chan struct{}

func newToken() token { return make(chan struct{}, 1) }

// give gives the waiter the token, unless it has one.
func (t token) give() {
	select {
	case t <- struct{}{}:
	default:
	}
}

// await waits until the waiter gets the token, which it gives up, one of the channels has something or is closed, or ctx ends. It reports whether ctx has.
func (t token) await(ctx context.Context, room <-chan struct{}, tick <-chan time.Time) (ended bool) {
	select {
	case <-t:
	case <-room:
	case <-tick:
	case <-ctx.Done():
		return true
	}
	return false
}
