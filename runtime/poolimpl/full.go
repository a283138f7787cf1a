package poolimpl

import (
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fullness is what callers without the lock may know of a pool at its limit. They search its core before they take the lock: many of them may fail at the same
// time, and would wait for each other's search.
type fullness struct {
	full  atomic.Bool   // no block was free for the last request that took the lock, nor room for a chunk, and no chunk has come or gone since; a hint
	moves atomic.Uint64 // chunks that the core has got. A search that began before may have missed the last one. Written with mu held
}

// noteFull notes the failure of a request, in a pool whose core can be searched without the lock, and has nothing in flight.
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

// shortage is part of a request for which searchFull found no room. The zero shortage is that of others.
type shortage struct {
	known   bool
	moves   uint64 // fullness.moves before the search
	unlocks uint32 // poolLock.unlocks when the lock was taken
}

// searchFull searches a full pool for the request. If it finds no block, it says so in the request, and returns what the core counts then. Callers that find others
// waiting do not search: they take the lock. The caller does not hold e.mu.
func (e *Engine) searchFull(r *request) (b foundBlock, u Usage, ok bool) {
	if Observed || !e.fullness.full.Load() || e.HasWaiters() {
		return foundBlock{}, Usage{}, false
	}
	moves := e.fullness.moves.Load()
	slot, off, u, ok := e.core.searched.Search(r.bytes, r.align)
	if ok {
		return e.chunks.block(slot, off, e.observed.debug.apart()), u, true
	}
	r.short = shortage{known: true, moves: moves}
	return foundBlock{}, u, false
}

// lacks reports whether searchFull has found no room for the request, and only frees on the fast path can have changed that since: the request comes before them.
func (e *Engine) lacks(r request) bool {
	s := r.short
	return s.known && s.moves == e.fullness.moves.Load() && s.unlocks == e.unlocks && !e.life.closed
}

// lacksChunk reports whether, as e.lacks, no chunk is empty: it would have room for the request.
func (e *Engine) lacksChunk(r request) bool {
	return e.lacks(r) && len(e.chunks.bySize) > 0 && e.memory.need(e.core.Core, r) <= e.chunks.hot[e.chunks.bySize[0]].Size
}
