package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Order is how frees of a pool wait for streams: [OnStreams].
type Order interface{ of(*Engine) ordering }

// OnStreams is the Order of pools with a [StreamCore]. A program links it if one of its pools names it.
type OnStreams struct{}

func (OnStreams) of(e *Engine) ordering { return onStreams{e} }

// onStreams is an engine whose frees wait for streams.
type onStreams struct{ *Engine }

// ordering is what an engine does that has an Order. The caller holds e.mu, except where a method says otherwise.
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
	// pollAll is poll, after other callers that make fences.
	pollAll() (reclaimed int, err error)
	drain() error
	pendingFrees() []poolrt.PendingFrees
	releaseFences() error
	streamEnds(s Stream)
}

func (e onStreams) fenceForeign() error { return e.streams.fenceForeign() }

func (e onStreams) releaseFences() error { return e.streams.driver().release() }

// noOrder is the ordering of other engines.
type noOrder struct{}

func (*noOrder) recover(r request) (bool, int)                           { return false, r.seek }
func (*noOrder) recoverAll(request) bool                                 { return false }
func (*noOrder) recoverOthers() bool                                     { return false }
func (*noOrder) freedByOthers(request) int64                             { return 0 }
func (*noOrder) reuse(request) (uint32, uint64, bool)                    { return 0, 0, false }
func (*noOrder) allocInFlight(request) (foundBlock, bool)                { return foundBlock{}, false }
func (*noOrder) deferBlock(Stream, uint64, uint64) (v Verdict, due bool) { return Foreign, false }
func (*noOrder) reclaimDue(Stream)                                       {}
func (*noOrder) fenceForeign() error                                     { return nil }
func (*noOrder) streamEnds(Stream)                                       {}
func (*noOrder) poll() (int, error)                                      { return 0, nil }
func (*noOrder) pollAll() (int, error)                                   { return 0, nil }
func (*noOrder) drain() error                                            { return nil }
func (*noOrder) pendingFrees() []poolrt.PendingFrees                     { return nil }
func (*noOrder) releaseFences() error                                    { return nil }
