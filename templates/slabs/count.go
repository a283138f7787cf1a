package slabs

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// sums are what slabs add to the counts of the suballocator behind.
type sums struct {
	live, bytes, occupied uint64 // of live blocks
	cached                uint64 // bytes of slabs that live blocks do not take up
	allocs                uint64 // blocks handed out
}

// setSums replaces the sums of a slab. c.mu is held.
func (c *Core) setSums(s *slab, now sums) {
	c.sums.live += now.live - s.sums.live
	c.sums.bytes += now.bytes - s.sums.bytes
	c.sums.occupied += now.occupied - s.sums.occupied
	c.sums.cached += now.cached - s.sums.cached
	c.sums.allocs += now.allocs - s.sums.allocs
	s.sums = now
}

// recount brings the sums of a slab up to date. c.mu is held.
func (c *Core) recount(s *slab) {
	var now sums
	switch s.phase {
	case serving:
		n, bytes := s.live()
		now = sums{live: n, bytes: bytes, occupied: n * uint64(s.size), cached: s.taken - n*uint64(s.size)}
		if feature.Counters {
			now.allocs = s.handedOut()
		}
	case dissolved: // the suballocator behind has the blocks, and counts s.size bytes for each
		n, bytes := s.live()
		now.bytes = bytes - n*uint64(s.size)
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
	c.readChanges()
	c.lists.uncounted = slices.DeleteFunc(c.lists.uncounted, func(s *slab) bool {
		c.recount(s)
		s.counts--
		return s.counts == 0
	})
}

// live returns the number of live blocks, and the sum of the bytes asked for. It looks at each.
func (s *slab) live() (blocks, bytes uint64) {
	for w := range s.lines {
		n, b := s.liveIn(w, s.line(w).word.Load())
		blocks, bytes = blocks+n, bytes+b
	}
	return blocks, bytes
}

// liveIn is live for the blocks of word w.
func (s *slab) liveIn(w uint32, word uint64) (blocks, bytes uint64) {
	l, live := s.line(w), word&all&^s.absent(w)
	blocks = uint64(bits.OnesCount64(live))
	bytes = blocks * uint64(s.size)
	for rest := live; rest != 0; rest &= rest - 1 {
		bytes -= uint64(poolimpl.LoadRelaxed16(&l.spare[bits.TrailingZeros64(rest)]))
	}
	return blocks, bytes
}

// free returns the bytes of the slab that live blocks do not take up.
func (s *slab) free() uint64 {
	return s.taken - uint64(s.liveBlocks())*uint64(s.size)
}

// liveBlocks returns the number of live blocks.
func (s *slab) liveBlocks() (n int64) {
	for w := range s.lines {
		n += int64(bits.OnesCount64(s.line(w).word.Load() & all &^ s.absent(w)))
	}
	return n
}

// run returns the bytes of the longest row of free blocks.
func (s *slab) run() (most uint64) {
	n := uint64(0)
	for i := range uint64(s.count) {
		n += uint64(s.size)
		if s.isLive(i) {
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
	for w := range s.lines {
		sum += s.line(w).word.Load() &^ sealed / once
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
		if word.CompareAndSwap(old, old&all) {
			s.overflow += old / once
			return
		}
	}
}
