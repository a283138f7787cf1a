package slabs

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// sums are what slabs add to the counts of the suballocator behind.
type sums struct {
	live, bytes, occupied uint64 // of live blocks
	cached                uint64 // bytes of slabs that live blocks do not take up
	allocs                uint64 // blocks handed out
}

// plus adds sums up; a difference may be less than nothing, modulo 2^64.
func (a sums) plus(b sums) sums {
	return sums{a.live + b.live, a.bytes + b.bytes, a.occupied + b.occupied, a.cached + b.cached, a.allocs + b.allocs}
}

// minus subtracts sums.
func (a sums) minus(b sums) sums {
	return sums{a.live - b.live, a.bytes - b.bytes, a.occupied - b.occupied, a.cached - b.cached, a.allocs - b.allocs}
}

// setSums replaces the sums of a slab. c.mu is held.
func (c *Core) setSums(s *slab, now sums) {
	c.sums = c.sums.plus(now.minus(s.sums))
	s.sums = now
}

// addSums changes the sums of a slab. c.mu is held.
func (c *Core) addSums(s *slab, more sums) { c.setSums(s, s.sums.plus(more)) }

// recount brings the sums of a slab up to date. c.mu is held.
func (c *Core) recount(s *slab) {
	var now sums
	size := uint64(s.size)
	switch s.phase {
	case serving:
		n := s.count()
		now = sums{live: n.live, bytes: n.bytes, occupied: n.live * size, cached: s.taken - (n.live+n.pending)*size}
		if c.params.Counters {
			now.allocs = s.handedOut()
		}
	case dissolved: // the suballocator behind counts each of these blocks as a live one of that size
		n := s.count()
		now = sums{live: -n.pending, bytes: n.bytes - (n.live+n.pending)*size, occupied: -n.pending * size}
	}
	c.setSums(s, now)
}

// setGone takes the sums of a slab away. c.mu is held.
func (c *Core) setGone(s *slab) {
	s.phase = gone
	c.lists.gone++
	c.recount(s)
}

// countChanged brings the sums of all slabs up to date. c.mu is held.
func (c *Core) countChanged() {
	c.readChanges(every)
	c.lists.uncounted = slices.DeleteFunc(c.lists.uncounted, func(s *slab) bool {
		c.recount(s)
		s.counts--
		return s.counts == 0
	})
}

// blockCounts are numbers of blocks, and the bytes that the live ones were asked for with.
type blockCounts struct {
	live    uint64
	pending uint64 // freed on a stream
	bytes   uint64
}

// count looks at each block.
func (s *slab) count() (sum blockCounts) {
	for w := range uint32(s.lines) {
		n := s.countIn(w, s.line(w).word.Load())
		sum = blockCounts{sum.live + n.live, sum.pending + n.pending, sum.bytes + n.bytes}
	}
	return sum
}

// countIn is count for the blocks of line w, with its word.
func (s *slab) countIn(w uint32, word uint64) (n blockCounts) {
	l, pending := s.line(w), word&s.pendings()>>perLine&all
	live := word & all &^ s.absent(w) &^ pending
	n.pending = uint64(bits.OnesCount64(pending))
	n.live = uint64(bits.OnesCount64(live))
	n.bytes = n.live * uint64(s.size)
	for ; live != 0; live &= live - 1 {
		n.bytes -= uint64(poolimpl.LoadRelaxed16(l.spareOf(uint64(bits.TrailingZeros64(live)))))
	}
	return n
}

// free returns the bytes of the slab that no block takes up which is live or pending.
func (s *slab) free() uint64 {
	taken := 0
	for w := range uint32(s.lines) {
		taken += bits.OnesCount64(s.line(w).word.Load() & all &^ s.absent(w))
	}
	return s.taken - uint64(taken)*uint64(s.size)
}

// run returns the bytes of the longest row of free blocks.
func (s *slab) run() (most uint64) {
	n := uint64(0)
	for i := range uint64(s.blocks) {
		n += uint64(s.size)
		if s.block(i).isTaken() {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// handedOut returns how many blocks the slab has handed out.
func (s *slab) handedOut() uint64 {
	s.overflowMu.Lock()
	defer s.overflowMu.Unlock()
	sum := s.overflow
	for w := range uint32(s.lines) {
		sum += s.line(w).word.Load() & s.countFull() / s.once()
	}
	return sum
}

// moveOverflow moves the count of a word to overflow.
func (s *slab) moveOverflow(word *atomic.Uint64) {
	s.overflowMu.Lock()
	defer s.overflowMu.Unlock()
	for {
		old := word.Load()
		if old&sealed != 0 {
			return
		}
		if word.CompareAndSwap(old, old&^s.countFull()) {
			s.overflow += old & s.countFull() / s.once()
			return
		}
	}
}
