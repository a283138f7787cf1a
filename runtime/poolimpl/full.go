package poolimpl

import (
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fullness lets callers search a pool at its limit before they take the lock. Many of them may fail at the same time, and would otherwise wait for each other's
// search.
type fullness struct {
	full  atomic.Bool   // a request has failed at the limit, and no chunk has come or gone since. It is a hint: a pool that is searched first may grow all the same
	moves atomic.Uint64 // chunks that the core has got; written with mu held. A search that began before may have missed the last one
}

// noteFull notes why a request has failed. A pool whose core cannot be searched without the lock is never full, nor is one with streams, which may have memory in
// flight.
func (e *Engine) noteFull(err error) {
	if reason(err) == poolrt.ErrLimit && e.core.searched != nil && e.core.stream == nil && !e.fullness.full.Load() {
		e.fullness.full.Store(true)
	}
}

// noteRoom notes that a chunk has come or gone, or that the limit has changed.
func (f *fullness) noteRoom() {
	if f.full.Load() {
		f.full.Store(false)
	}
}

// noteMove notes that the core has got a chunk.
func (f *fullness) noteMove() { f.moves.Add(1) }

// shortage is what searchFull has found for a request.
type shortage struct {
	known   bool   // no room
	moves   uint64 // fullness.moves before the search
	unlocks uint32 // poolLock.unlocks when the lock was taken
}

// searchFull searches a full pool for the request. If it finds no block, it notes that in the request, and u is what the core has counted. A caller that finds
// others waiting takes the lock at once. The caller does not hold e.mu.
func (e *Engine) searchFull(r *request) (b foundBlock, u Usage, ok bool) {
	if Observed || !e.fullness.full.Load() || e.HasWaiters() {
		return foundBlock{}, Usage{}, false
	}
	if e.generated.ZeroAlways {
		if !e.BeginClear() {
			return foundBlock{}, Usage{}, false
		}
		defer e.EndClear()
	}
	moves := e.fullness.moves.Load()
	slot, off, u, ok := e.core.searched.AllocOrCount(r.bytes, r.align)
	if ok {
		b = e.chunks.block(slot, off, e.observed.debug.apart())
		if e.generated.ZeroAlways {
			e.Clear(b.Ptr, r.bytes)
		}
		return b, u, true
	}
	r.short = shortage{known: true, moves: moves}
	return foundBlock{}, u, false
}

// lacks reports whether searchFull has found no room for the request, and nothing can have changed that since but a free without the lock. The request may come
// before that free.
func (e *Engine) lacks(r request) bool {
	s := r.short
	return s.known && s.moves == e.fullness.moves.Load() && s.unlocks == e.unlocks && !e.life.closed
}

// lacksChunk reports whether e.lacks says that no chunk is empty: each would have room for the request. A chunk need not have room for one with an alignment.
func (e *Engine) lacksChunk(r request) bool {
	return e.lacks(r) && r.align == 1 && len(e.chunks.bySize) > 0 && e.memory.need(e.core.Core, r) <= e.chunks.hot[e.chunks.bySize[0]].Size
}
