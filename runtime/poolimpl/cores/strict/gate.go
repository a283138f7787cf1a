package strict

import "sync/atomic"

// Gate makes sure that an allocation fails only if no block was free at some moment. A search that finds every word full does not prove that: a
// block behind the search may have been freed before the last block ahead of it was taken. So a search announces itself in the gate first, and each
// free withdraws all announcements once its block is free, but one by an owner: no word has an owner in a search that counts. Only if the
// announcement still stands at the end does the search close the gate. Then all blocks are taken, except those whose frees are under way. While the
// gate is closed, allocations fail at once.
//
// The gate also says that free blocks are short: a search found none in the chunk of its processor, and had to go to a chunk or a cache line with few. Frees
// then help: they point the hint of their processor at the word of the block. That ends when cache lines have many free blocks.
//
// As long as the pool is not full, a free reads one word for this that nobody writes.
type Gate struct {
	state    atomic.Uint64
	_        [120]byte
	clearing atomic.Int32 // number of goroutines that clear flags
}

const (
	closed    uint64 = 1
	announced uint64 = 2
	held      uint64 = 4  // free blocks may look live
	short     uint64 = 8  // until announcements are withdrawn, or SetPlenty
	round     uint64 = 16 // added whenever announcements are withdrawn
)

// Announce announces a search. It returns the state to pass to Close, or reports that the gate is closed already.
func (g *Gate) Announce() (state uint64, isClosed bool) {
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

// Close closes the gate, unless the announcement that returned the state was withdrawn, or flags are being cleared: then there may be a free block.
func (g *Gate) Close(state uint64) bool {
	return g.clearing.Load() == 0 && g.state.CompareAndSwap(state, state|closed)
}

// Open opens the gate and withdraws all announcements: there is a free block.
func (g *Gate) Open() {
	for {
		s := g.state.Load()
		if s&(closed|announced) == 0 || g.state.CompareAndSwap(s, s&held+s&^(round-1)+round) {
			return
		}
	}
}

// Hold begins a time in which free blocks may look live.
func (g *Gate) Hold() { g.next(held) }

// Release ends a time in which free blocks may look live.
func (g *Gate) Release() { g.next(0) }

// next opens the gate and withdraws all announcements. now is held or 0.
func (g *Gate) next(now uint64) {
	for {
		s := g.state.Load()
		if g.state.CompareAndSwap(s, s&^(round-1)+round+now) {
			return
		}
	}
}

// NeedsOpen reports whether a free has to open the gate.
func (g *Gate) NeedsOpen() bool { return g.state.Load()&(closed|announced) != 0 }

// IsQuiet reports whether a free has nothing to do for the gate.
func (g *Gate) IsQuiet() bool { return g.state.Load()&(closed|announced|short) == 0 }

// IsClosed reports whether no block is free.
func (g *Gate) IsClosed() bool { return g.state.Load()&closed != 0 }

// SetShort says that blocks are short.
func (g *Gate) SetShort() {
	for {
		s := g.state.Load()
		if s&(short|closed) != 0 || g.state.CompareAndSwap(s, s|short) {
			return
		}
	}
}

// SetPlenty says that blocks are not short.
func (g *Gate) SetPlenty() {
	for {
		s := g.state.Load()
		if s&short == 0 || g.state.CompareAndSwap(s, s&^short) {
			return
		}
	}
}

// IsShort reports whether blocks are short.
func (g *Gate) IsShort() bool { return g.state.Load()&short != 0 }

// Closed returns the state, and whether no block is free. A gate that is closed later has another state.
func (g *Gate) Closed() (state uint64, is bool) {
	state = g.state.Load()
	return state, state&closed != 0
}

// Held reports whether a state is from a time in which free blocks may look live.
func Held(state uint64) bool { return state&held != 0 }

// Clear calls f, which clears flags. Until it has returned, the gate cannot be closed.
func (g *Gate) Clear(f func()) {
	g.clearing.Add(1)
	f()
	g.clearing.Add(-1)
}
