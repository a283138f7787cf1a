package poolimpl

import (
	"os"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A chunk with one live block stays, and so would all of its pages that were ever written to. [Engine.Trim] gives those back in which no block lies. The chunk keeps its
// addresses and counts as reserved; a page comes back, zero, when it is written to. So this concerns memory of the system alone, which no driver knows.

// dropPages tells the system that it may have pages back. The system has them at once; an error means that it keeps them. It is nil on systems without such a call.
var dropPages func([]byte) error

// residentPages returns how many bytes of memory are in pages that exist. It is nil on systems that do not say.
var residentPages func(addr, bytes uint64) uint64

// dropFree gives back the pages without a block, of one chunk after the other. Cost: that of a walk of the chunk and of a call of the system for each run of pages, during
// which the caller holds e.mu. Between chunks it is released.
func (e *Engine) dropFree() {
	if dropPages == nil || !e.memory.onSystem() || e.memory.registrars != nil || e.core.stream != nil || e.core.shared != nil {
		return
	}
	for slot := 0; slot < len(e.chunks.hot); slot++ { // there may be fewer or more of them after each
		if e.chunks.holds(uint32(slot)) && e.chunks.cold[slot].shares == 0 {
			e.chunks.dropFree(e.core.Core, uint32(slot))
			e.unlocked(func() {})
		}
	}
}

// onSystem reports whether chunks are such memory.
func (m *memory) onSystem() bool {
	_, host := m.Source.(hostSource)
	return host && mapped()
}

// dropFreeOf gives back the pages of a chunk that lie in one free piece, or in several in a row.
func (t *chunks) dropFree(core Core, slot uint32) {
	c, page := t.hot[slot], uint64(os.Getpagesize())
	memory := unsafeBytes(c.Ptr, c.Size)
	var start, end uint64 // of the free pieces in a row
	drop := func() {
		from, to := (start+page-1)&^(page-1), end&^(page-1) // chunks begin at pages
		if from < to {
			_ = dropPages(memory[from:to])
		}
	}
	core.Walk(slot, 0, func(p poolrt.Piece) bool {
		if p.State == poolrt.PieceFree {
			if p.Off != end {
				drop()
				start = p.Off
			}
			end = p.Off + p.Size
		}
		return true
	})
	drop()
}

// resident returns how many bytes of a chunk are in pages that exist, 0 if nothing says so. The caller does not hold e.mu, so the chunk may be gone.
func (m *memory) resident(c poolrt.ChunkSnapshot) uint64 {
	if residentPages == nil || !m.onSystem() {
		return 0
	}
	return residentPages(c.Addr, c.Size)
}
