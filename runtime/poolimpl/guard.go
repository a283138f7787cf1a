package poolimpl

import (
	"os"
	"sync"
	"sync/atomic"
)

// Guarded blocks find a use after a free, or beyond an end, where it happens: Sampling chooses them. A guarded block has its place in a chunk as any other block,
// so limits, figures and failures are those of a pool without guards. But what the caller gets are other pages, between pages that nobody may touch. Its address
// lies in no chunk, so its free misses the fast path, and a free of any other block pays nothing.
//
// After its free the pages cannot be touched either. They stay so until some more guarded blocks were freed, and then serve another one. So a sample costs two calls
// of the system, which change what may be done with the pages.

// pagesApart maps pages between others that nobody may touch. host_unix.go and host_windows.go set guardPages; on other systems it is nil, and no block is guarded.
type pagesApart interface {
	// AllocApart maps size bytes, and a page before and behind them that nobody may touch.
	AllocApart(size int64) (Chunk, error)
	// Seal has nobody touch the pages, and Unseal ends that. What is in them stays.
	Seal(Chunk) error
	Unseal(Chunk) error
	// FreeApart unmaps the pages, sealed or not.
	FreeApart(Chunk) error
}

var guardPages pagesApart

const (
	mostGuarded = 64       // live blocks of a pool that are guarded at a time; others are not
	mostSealed  = 64       // freed blocks of a pool whose pages stay sealed
	guardUpTo   = 64 << 10 // bytes of the largest block that is guarded
)

// guards are the guarded blocks of a pool. A caller may hold the mu of an engine when it locks guards. The zero value has none.
type guards struct {
	mu     sync.Mutex               // guards the fields below, and the fields of each block
	live   map[uint64]*guardedBlock // by address
	sealed []*guardedBlock          // freed, the oldest first
	turns  atomic.Uint64            // number of times that a reset has begun or ended: odd during one, and of a closed pool; written with mu held
}

// guard gives a block that was found pages of its own, and returns it there; or as it is, if it cannot have any. The caller does not hold e.mu.
func (s *Sampling) guard(e *Engine, of Sample, seat foundBlock, bytes, align uint64) foundBlock {
	g := &e.guards
	g.mu.Lock()
	defer g.mu.Unlock()
	if guardPages == nil || of.turns%2 == 1 || g.turns.Load() != of.turns || bytes > guardUpTo || len(g.live) >= mostGuarded {
		return seat
	}
	page := uint64(os.Getpagesize())
	align = max(align, s.Align, min(bytes&-bytes, page))
	if align > page {
		return seat
	}
	b := g.take(roundUp(int64(bytes), int64(page)))
	if b == nil {
		return seat
	}
	b.seat = seat
	b.allocatedAt.note()
	b.lay(bytes, align)
	if e.generated.Zeroes {
		clear(unsafeBytes(b.start(), int64(bytes)))
	}
	if g.live == nil {
		g.live = map[uint64]*guardedBlock{}
	}
	g.live[b.addr] = b
	return b.found()
}

// take returns a block with pages of a size: the one that was freed first, if enough are sealed, or a new one; nil if the system has no pages. The caller holds g.mu.
func (g *guards) take(size int64) *guardedBlock {
	if len(g.sealed) == mostSealed {
		b := g.forget()
		if b.pages.Size == size && guardPages.Unseal(b.pages) == nil {
			b.freedAt.stack = b.freedAt.stack[:0]
			return b
		}
		_ = guardPages.FreeApart(b.pages)
	}
	pages, err := guardPages.AllocApart(size)
	if err != nil {
		return nil
	}
	return &guardedBlock{pages: pages}
}

// forget removes the sealed block that was freed first, and returns it. The caller holds g.mu.
func (g *guards) forget() *guardedBlock {
	b := g.sealed[0]
	g.sealed[0] = nil // append moves the others to another array in time
	g.sealed = g.sealed[1:]
	return b
}

// free frees the guarded block at an address. The caller frees the seat, where the block has its place in a chunk. detail says what is wrong, if anything is. If the
// verdict is another one than Freed, nothing changes; detail is then about the block that has the address in its pages or beside them, and empty if none has.
func (g *guards) free(addr, bytes uint64) (seat uint64, v Verdict, detail string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.live[addr]
	switch {
	case b == nil:
		v, detail = g.refuse(addr, bytes)
		return 0, v, detail
	case b.bytes != bytes:
		return 0, Foreign, b.part(addr, bytes) + b.text()
	}
	zones := b.zones()
	detail = zoneDamage(zones[0], zones[1], b.bytes)
	b.freedAt.note()
	if detail != "" {
		detail += b.text()
	}
	g.seal(b)
	return b.seat.Addr, Freed, detail
}

// refuse says why a free is refused of an address where no live block begins. The caller holds g.mu.
func (g *guards) refuse(addr, bytes uint64) (v Verdict, detail string) {
	b := g.reaching(addr)
	switch {
	case b == nil:
		return Foreign, ""
	case b.addr == addr && b.freed():
		return Double, b.text()
	}
	return Foreign, b.part(addr, bytes) + b.text()
}

// seal has nobody touch a block, whose pages stay sealed for a while. The caller holds g.mu.
func (g *guards) seal(b *guardedBlock) {
	delete(g.live, b.addr)
	if guardPages.Seal(b.pages) != nil { // the system has no room for another mapping
		_ = guardPages.FreeApart(b.pages)
		return
	}
	if len(g.sealed) == mostSealed {
		_ = guardPages.FreeApart(g.forget().pages)
	}
	g.sealed = append(g.sealed, b)
}

func (*Sampling) withdraw(e *Engine, addr uint64) uint64 { return e.guards.withdraw(addr) }

// withdraw takes the guard from the block at an address that was not handed out after all, and returns the address of its seat; of any other address, itself.
func (g *guards) withdraw(addr uint64) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.live[addr]
	if b == nil {
		return addr
	}
	delete(g.live, addr)
	_ = guardPages.FreeApart(b.pages)
	return b.seat.Addr
}

// at returns the live guarded block that starts at an address.
func (g *guards) at(addr uint64) (b foundBlock, bytes uint64, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := g.live[addr]
	if found == nil {
		return foundBlock{}, 0, false
	}
	return found.found(), found.bytes, true
}

// has reports whether an address lies in the pages of a guarded block, live or freed, or beside them.
func (g *guards) has(addr uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reaching(addr) != nil
}

// count returns the number of live guarded blocks.
func (g *guards) count() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(len(g.live))
}

// beginSweep is called before all blocks are freed at once, and endSweep afterwards. A block that is being allocated meanwhile is not guarded: nobody knows whether
// its place is freed.
func (g *guards) beginSweep() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns.Add(1)
	for _, b := range g.live {
		b.freedAt.note()
		g.seal(b)
	}
}

func (g *guards) endSweep() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns.Add(1)
}

func (*Sampling) beginSweep(e *Engine) { e.guards.beginSweep() }
func (*Sampling) endSweep(e *Engine)   { e.guards.endSweep() }

// turn returns turns, for [Sample].
func (g *guards) turn() uint64 { return g.turns.Load() }

// clear unmaps the pages of all blocks, live or not. No block is guarded afterwards.
func (g *guards) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns.Add(1)
	for _, b := range g.live {
		_ = guardPages.FreeApart(b.pages)
	}
	for _, b := range g.sealed {
		_ = guardPages.FreeApart(b.pages)
	}
	g.live, g.sealed = nil, nil
}

// reaching returns the block whose pages, or the pages beside them, have an address; nil if none has. The caller holds g.mu.
func (g *guards) reaching(addr uint64) *guardedBlock {
	page := uint64(os.Getpagesize())
	has := func(b *guardedBlock) bool { return addr-(b.pages.Addr-page) < uint64(b.pages.Size)+2*page }
	for _, b := range g.live {
		if has(b) {
			return b
		}
	}
	for _, b := range g.sealed {
		if has(b) {
			return b
		}
	}
	return nil
}
