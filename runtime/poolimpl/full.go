package poolimpl

import (
	"sync/atomic"
)

// fullness lets callers search a pool at its limit before they take the lock. Many of them may fail at the same time, and would otherwise wait for each other's
// search.
type fullness struct {
	full  atomic.Bool   // a request has failed at the limit, and no chunk has come or gone since. It is a hint: a pool that is searched first may grow all the same
	moves atomic.Uint64 // chunks that the core has got; written with mu held. A search that began before may have missed the last one
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
