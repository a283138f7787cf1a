package strict

import "sync/atomic"

// gate makes a failure certain. That every word was full when it was looked at does not mean that there ever was a time without a free block: one may
// have been freed behind a searcher before the last one ahead was taken. So a searcher announces itself first, in the gate; every free
// withdraws all announcements, once its block is free; and only if its own still stands at the end does the searcher shut the gate. Then all blocks are
// taken, save those whose frees are under way. While the gate is shut, allocations fail at once.
//
// As long as the pool is not full, it costs a free one read of a word that is not written.
type gate struct{ state atomic.Uint64 }

const (
	closed    uint64 = 1
	announced uint64 = 2
	held      uint64 = 4 // blocks may look live that are not
	round     uint64 = 8 // added whenever announcements are withdrawn
)

// announce returns what to shut the gate with later, and whether it is shut already.
func (g *gate) announce() (ticket uint64, isClosed bool) {
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

// close shuts the gate, unless there may be a free block that was not seen.
func (g *gate) close(ticket uint64) bool { return g.state.CompareAndSwap(ticket, ticket|closed) }

// open says that there is a free block.
func (g *gate) open() {
	for {
		s := g.state.Load()
		if s&(closed|announced) == 0 || g.state.CompareAndSwap(s, s&held+s&^(round-1)+round) {
			return
		}
	}
}

// hold begins a time in which free blocks may look live, and release ends it.
func (g *gate) hold() { g.next(held) }

func (g *gate) release() { g.next(0) }

// next withdraws all announcements, and says whether blocks may look live from now on.
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

// isClosed reports whether no block is free.
func (g *gate) isClosed() bool { return g.state.Load()&closed != 0 }
