package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Order is how frees of a pool wait for streams: [OnStreams].
type Order interface{ of(*Engine) ordering }

// OnStreams is the Order of pools with a [StreamCore]. A program links it if one of its pools names it.
type OnStreams struct{}

func (OnStreams) of(e *Engine) ordering { return onStreams{e} }

// onStreams is an engine whose frees wait for streams.
type onStreams struct{ *Engine }

// ordering is what an engine does that has an Order. The caller holds e.mu, except where a method says otherwise. The functions below do nothing without an Order.
// No method takes a pointer to a request: a call through an interface would put each request on the heap.
type ordering interface {
	reuse(r request) (slot uint32, off uint64, ok bool)
	allocInFlight(r request) (foundBlock, bool)
	recover(r request) (found bool, seek int)
	recoverAll(r request) (any bool)
	recoverOthers() (any bool)
	freedByOthers(r request) (longest int64)
	deferBlock(s Stream, addr, bytes uint64) (v Verdict, due bool)
	fenceForeign() error
	reclaimDue(s Stream)
	poll() (reclaimed int, err error)
	drain() error
	pendingFrees() []poolrt.PendingFrees
	releaseFences() error
	streamEnds(s Stream)
}

func (e onStreams) fenceForeign() error { return e.streams.fenceForeign() }

func (e onStreams) releaseFences() error { return e.streams.driver().release() }

func (e *Engine) releaseFences() error {
	if e.order == nil {
		return nil
	}
	return e.order.releaseFences()
}

func (e *Engine) recover(r *request) (found bool) {
	if e.order != nil {
		found, r.seek = e.order.recover(*r)
	}
	return found
}

func (e *Engine) recoverAll(r request) bool { return e.order != nil && e.order.recoverAll(r) }

func (e *Engine) recoverOthers() bool { return e.order != nil && e.order.recoverOthers() }

func (e *Engine) poll() (reclaimed int, err error) {
	if e.order == nil {
		return 0, nil
	}
	return e.order.poll()
}

func (e *Engine) drain() error {
	if e.order == nil {
		return nil
	}
	return e.order.drain()
}

func (e *Engine) pendingFrees() []poolrt.PendingFrees {
	if e.order == nil {
		return nil
	}
	return e.order.pendingFrees()
}

func (e *Engine) freedByOthers(r request) int64 {
	if e.order == nil {
		return 0
	}
	return e.order.freedByOthers(r)
}
