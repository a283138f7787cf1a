package poolimpl

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// request is an allocation on its way through the slow path.
type request struct {
	bytes  uint64
	align  uint64
	ctx    context.Context // nil: the ladder decides how long to wait
	wait   *waitFuncs      // set with ctx: waits
	stream *Stream         // the first use of the block comes after all work queued on this stream; nil: no work may be pending on the block

	failure *failure // nil: the ladder was not tried

	failed   error    // the request has failed already, before the lock was taken: ordering driver
	short    shortage // what searchFull has found
	prime    bool     // the request is for Config.Prime
	sampled  bool     // a sample is due, so the request has left the fast path although a block may be free
	far      bool     // search all of a shared core, not only what is close to the caller's processor
	spares   bool     // with far: the core dissolves no slab, as the pool may still grow
	thorough bool     // search through any number of blocks in flight for one that is not
	seek     int      // the next step of recover

	// What growth has done for the request so far, see note.
	uncached    bool // the core has freed what it had cached
	waits       bool // the stream may be made to wait for others
	grew        bool // memory has come
	moved       bool // pages have moved, and no memory has come since
	gaveBack    bool // memory went back, and none has come since
	refused     bool // the source refused to take memory back
	gaveAllBack bool // the source has no more than the pool has returned
	exact       bool // nor as much as usual: growth asks for what the request needs
	unclear     bool // the caller has the device clear the block, with others
}

// over reports whether the caller's context has ended.
func (r request) over() bool { return r.ctx != nil && r.ctx.Err() != nil }

// at returns the memory that the request has in a block.
func (r request) at(b foundBlock) Extent { return Extent{b.Addr, max(r.bytes, 1)} }

// note notes in a request what growth has done so far. A request gives memory back at most once for each time that it grew: two rules that undo each other
// must not alternate.
func (r *request) note(did change) {
	switch did {
	case grown:
		r.grew, r.gaveBack, r.moved, r.seek = true, false, false, seekCompleted
	case uncached:
		r.uncached = true
	case mayWait:
		r.waits = true
	case moved:
		r.moved = true
	case gaveBack:
		r.gaveBack = true
	case refusedBack:
		r.refused = true
	case gaveAllBack:
		r.gaveAllBack = true
	case askedTooMuch:
		r.exact = true
	}
}

// Block is a block that the slow path found. Ptr is its address if Go code can address the memory, Addr its address as a number. If the block lies in a chunk
// of the pool, Origin is the Origin of the chunk, and Offset the distance from its start. Items is the number of items that were requested. The zero Block is
// none.
type Block struct {
	foundBlock
	Items int
}

// foundBlock is a Block within the engine. The compiler passes a struct of four words in registers; a fifth makes an allocation of a traced build take twice as
// long.
type foundBlock struct {
	Ptr    unsafe.Pointer
	Addr   uint64
	Origin uint64
	Offset uint64
}

// BlockAt returns a block of n items at an address, in memory that Go code cannot address. The caller does not hold e.mu.
func BlockAt(addr uint64, n int) Block { return Block{foundBlock{Addr: addr}, n} }

// Place returns the address of a block in memory that Go code can address, as a number.
func Place(block unsafe.Pointer) uint64 { return uint64(uintptr(block)) }

// Addr returns the address of such a block as the core knows it: its place or, in programs built with the tag pooldebug, its place divided by [Spacing].
func Addr(block unsafe.Pointer) uint64 {
	if Debug {
		return Place(block) / Spacing
	}
	return uint64(uintptr(block))
}

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

// allocNow takes a block that was freed on the request's stream, or one of the existing chunks. While ranges are in flight it may release the lock.
func (e *Engine) allocNow(r request) (foundBlock, bool) {
	if e.streams.resting || e.lacks(r) {
		return foundBlock{}, false
	}
	if r.stream != nil && e.core.stream != nil {
		if slot, off, ok := e.order.reuse(r); ok {
			return e.chunks.block(slot, off, e.observed.debug.apart()), true
		}
	}
	if len(e.streams.inFlight) > 0 {
		return e.order.allocInFlight(r)
	}
	return e.allocCore(r)
}

// allocCore takes a block of the existing chunks. A request that is far searches all of a shared core.
func (e *Engine) allocCore(r request) (foundBlock, bool) {
	var slot uint32
	var off uint64
	var ok bool
	if e.core.spread != nil && r.stream != nil && r.align == 1 {
		slot, off, ok = e.core.spread.AllocOn(r.stream.ID, r.bytes)
	}
	switch {
	case ok:
	case e.core.shared == nil || !r.far:
		slot, off, ok = e.core.Alloc(r.bytes, r.align)
	case r.spares && e.core.slabs != nil:
		slot, off, ok = e.core.slabs.AllocSparing(r.bytes, r.align)
	default:
		slot, off, ok = e.core.shared.AllocAny(r.bytes, r.align)
	}
	if !ok {
		return foundBlock{}, false
	}
	return e.chunks.block(slot, off, e.observed.debug.apart()), true
}
