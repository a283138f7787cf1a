//go:build pooldebug

package runtime

import "unsafe"

// Handed begins to watch a block that is about to be handed out, and fills it and its red zones. turn is what Enter said. s is the stream that it is
// for, which fills it behind what it still does there; nil if it is for all. Where all blocks were taken back meanwhile, the memory may be gone, and is left alone.
func (e *Engine) Handed(turn Turn, place uint64, ptr unsafe.Pointer, bytes uint64, s *Stream) {
	if turn.call == nil {
		now := here()
		turn.call = &now
	}
	ground := e.ground(place, bytes)
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serial++
	b := &sighting{place: place, bytes: bytes, ptr: ptr, far: ground.far, serial: w.serial, bare: ground.bare || turn.sweeps != w.sweeps, lent: ground.lent, born: *turn.call}
	if old := w.blocks[place]; old != nil { // on its way, or in a pool that was reset
		w.past.add(old)
	}
	w.blocks[place] = b
	w.count(b, 1)
	if !b.lent {
		w.allocs++
	}
	if s != nil {
		b.fenceOn(*s, w, ground, !e.config.Zeroes)
		return
	}
	b.fence(w, ground)
	if !e.config.Zeroes {
		b.fill(0, b.bytes, fillFresh)
	}
	b.settle()
}

// count follows what is live: one block more, or less.
func (w *watching) count(b *sighting, n int) {
	if b.lent {
		return
	}
	w.live += n
	w.used += uint64(n) * b.bytes
	w.peak = max(w.peak, w.used)
}

// account makes the figures of the suballocator those of the pool's user: for it, what is in the quarantine, and on its way there and back, is live.
func (w *watching) account(u *Usage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blocks == nil {
		return
	}
	u.Live, u.LiveBytes = uint64(w.live), w.used
	if u.Allocs > 0 { // else nobody counts
		u.Allocs, u.PeakBytes = w.allocs, w.peak
	}
}

// ground is what is known of the chunk that a block lies in.
type ground struct {
	lent  bool // another pool counts the block
	bare  bool // nothing may be written there but by the block's owner
	far   Inspector
	first bool   // nothing of the chunk lies in front of the block
	room  uint64 // bytes that the block takes up for the suballocator, at least
}

func (e *Engine) ground(place, bytes uint64) ground {
	e.lock()
	defer e.unlock()
	addr := place / e.apart()
	if l, ok := e.loans.blocks[addr]; ok && l.bytes != 0 {
		return ground{lent: l.lender != nil, bare: l.lender != nil || e.config.Imported, far: e.memory.Inspector, first: true, room: uint64(l.chunk.Size)}
	}
	at, first := e.chunks.search(addr)
	g := ground{bare: e.numbers() || e.config.Imported, far: e.memory.Inspector, first: first, room: e.watch.rounded(bytes)}
	switch {
	case g.bare:
	case e.config.Exact && first:
		g.room = uint64(e.chunks.list[e.chunks.sorted[at]].Size)
	case e.watch.unit == 1:
		g.room = e.core.Need(bytes, 1)
	}
	return g
}

// rounded is what a length is rounded up to, at least.
func (w *watching) rounded(bytes uint64) uint64 { return (bytes + w.unit - 1) / w.unit * w.unit }

// taken makes what a source gave the chunk that the suballocator sees.
func (e *Engine) taken(c Chunk, size int64) Chunk {
	c.Addr, c.Size = c.Addr/e.apart(), size
	return c
}

// given makes such a chunk what the source gave.
func (e *Engine) given(c Chunk) Chunk {
	c.Addr *= e.apart()
	c.Size = e.spreadSize(c.Size)
	return c
}

// spreadSize is what the source is asked for when the suballocator is to see so many bytes. It is beyond all that there is if an int64 cannot express it.
func (e *Engine) spreadSize(size int64) int64 {
	n := int64(e.apart())
	switch {
	case n == 1:
		return size
	case size > (NoLimit-zoneUnit)/n:
		return NoLimit
	}
	return roundUp(size, zoneUnit) * n
}
