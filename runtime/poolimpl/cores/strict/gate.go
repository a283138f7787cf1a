package strict

import "sync/atomic"

// gate makes sure that an allocation fails only if no block was free at some moment. A search that finds every word full does not prove that: a block
// behind the search may have been freed before the last block ahead of it was taken. So a search announces itself in the gate first, and each free
// withdraws all announcements once its block is free. Only if the announcement still stands at the end does the search close the gate. Then all blocks
// are taken, except those whose frees are under way. While the gate is closed, allocations fail at once.
//
// The gate also says that free blocks are short: a search found none in the chunk of its processor, and had to go to a chunk with few. Frees then help, see
// [Core.offer].
//
// As long as the pool is not full, a free reads one word for this that nobody writes.
type gate struct {
	state    atomic.Uint64
	_        [120]byte
	clearing atomic.Int32 // number of goroutines that clear flags
}

const (
	closed    uint64 = 1
	announced uint64 = 2
	held      uint64 = 4  // free blocks may look live
	short     uint64 = 8  // until announcements are withdrawn
	round     uint64 = 16 // added whenever announcements are withdrawn
)

// announce announces a search. It returns the state to pass to close, or reports that the gate is closed already.
func (g *gate) announce() (state uint64, isClosed bool) {
	for {
		s := g.state.Load()
		switch {
		case s&closed != 0:
			return 0, true
		case s&announced != 0 || g.state.CompareAndSwap(s, s|announced):
			return s | announced, false
		}
	}
}

// close closes the gate, unless the announcement that returned the state was withdrawn, or flags are being cleared: then there may be a free block.
func (g *gate) close(state uint64) bool {
	return g.clearing.Load() == 0 && g.state.CompareAndSwap(state, state|closed)
}

// open opens the gate and withdraws all announcements: there is a free block.
func (g *gate) open() {
	for {
		s := g.state.Load()
		if s&(closed|announced) == 0 || g.state.CompareAndSwap(s, s&held+s&^(round-1)+round) {
			return
		}
	}
}

// hold begins a time in which free blocks may look live.
func (g *gate) hold() { g.next(held) }

// release ends a time in which free blocks may look live.
func (g *gate) release() { g.next(0) }

// next opens the gate and withdraws all announcements. now is held or 0.
func (g *gate) next(now uint64) {
	for {
		s := g.state.Load()
		if g.state.CompareAndSwap(s, s&^(round-1)+round+now) {
			return
		}
	}
}

// needsOpen reports whether a free has to open the gate.
func (g *gate) needsOpen() bool { return g.state.Load()&(closed|announced) != 0 }

// isQuiet reports whether a free has nothing to do for the gate.
func (g *gate) isQuiet() bool { return g.state.Load()&(closed|announced|short) == 0 }

// isClosed reports whether no block is free.
func (g *gate) isClosed() bool { return g.state.Load()&closed != 0 }

// setShort says that blocks are short.
func (g *gate) setShort() {
	for {
		s := g.state.Load()
		if s&(short|closed) != 0 || g.state.CompareAndSwap(s, s|short) {
			return
		}
	}
}

// isShort reports whether blocks are short.
func (g *gate) isShort() bool { return g.state.Load()&short != 0 }
