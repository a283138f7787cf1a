package poolimpl

import (
	"os"
	"sync"
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
	turns  uint64                   // number of times that a reset has begun or ended: odd during one, and of a closed pool
}

// guard gives a block that was found pages of its own, and returns it there; or as it is, if it cannot have any. The caller does not hold e.mu.
func (e *Engine) guard(of Sample, seat foundBlock, r *request) foundBlock {
	g := &e.guards
	g.mu.Lock()
	defer g.mu.Unlock()
	if guardPages == nil || of.turns%2 == 1 || g.turns != of.turns || r.bytes > guardUpTo || len(g.live) >= mostGuarded {
		return seat
	}
	page := uint64(os.Getpagesize())
	align := max(r.align, e.generated.Sampling.Align, min(r.bytes&-r.bytes, page))
	if align > page {
		return seat
	}
	pages, ok := g.pages(roundUp(int64(r.bytes), int64(page)))
	if !ok {
		return seat
	}
	b := &guardedBlock{bytes: r.bytes, seat: seat, pages: pages, allocatedAt: calls()}
	b.lay(align)
	if e.generated.Zeroes {
		clear(unsafeBytes(b.start(), int64(r.bytes)))
	}
	if g.live == nil {
		g.live = map[uint64]*guardedBlock{}
	}
	g.live[b.addr] = b
	return b.found()
}

// pages returns pages of a size, sealed ones if there are enough. The caller holds g.mu.
func (g *guards) pages(size int64) (c Chunk, ok bool) {
	if len(g.sealed) == mostSealed {
		c = g.forget()
		if c.Size == size && guardPages.Unseal(c) == nil {
			return c, true
		}
		_ = guardPages.FreeApart(c)
	}
	c, err := guardPages.AllocApart(size)
	return c, err == nil
}

// forget removes the sealed block that was freed first, and returns its pages. The caller holds g.mu.
func (g *guards) forget() Chunk {
	c := g.sealed[0].pages
	g.sealed[0] = nil // append moves the others to another array in time
	g.sealed = g.sealed[1:]
	return c
}

// free frees the guarded block at an address, and reports what is wrong with the bytes around it. The caller frees the seat. If the verdict is another one than
// Freed, nothing changes; block is then the one that has the address in its pages or beside them, nil if none has.
func (g *guards) free(addr, bytes uint64) (block *guardedBlock, v Verdict, damage string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.live[addr]
	switch {
	case b == nil:
		if b = g.reaching(addr); b == nil {
			return nil, Foreign, ""
		}
		if b.addr == addr && b.freedAt.stack != nil {
			return b, Double, ""
		}
		return b, Foreign, ""
	case b.bytes != bytes:
		return b, Foreign, ""
	}
	zones := b.zones()
	damage = zoneDamage(zones[0], zones[1], b.bytes)
	b.freedAt = calls()
	g.seal(b)
	return b, Freed, damage
}

// seal has nobody touch a block, whose pages stay sealed for a while. The caller holds g.mu.
func (g *guards) seal(b *guardedBlock) {
	delete(g.live, b.addr)
	if guardPages.Seal(b.pages) != nil { // the system has no room for another mapping
		_ = guardPages.FreeApart(b.pages)
		return
	}
	if len(g.sealed) == mostSealed {
		_ = guardPages.FreeApart(g.forget())
	}
	g.sealed = append(g.sealed, b)
}

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

// count returns the number of live guarded blocks.
func (g *guards) count() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(len(g.live))
}

// reset calls sweep, which frees all blocks at once. A block that is being allocated meanwhile is not guarded: nobody knows whether sweep frees its place.
func (g *guards) reset(sweep func()) {
	g.mu.Lock()
	g.turns++
	freedAt := calls()
	for _, b := range g.live {
		b.freedAt = freedAt
		g.seal(b)
	}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.turns++
	}()
	sweep()
}

// turn returns turns, for [Sample].
func (g *guards) turn() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turns
}

// clear unmaps the pages of all blocks, live or not. No block is guarded afterwards.
func (g *guards) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns++
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
