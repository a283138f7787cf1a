package slabs

import (
	"math/bits"
	"sync/atomic"
)

// live returns the number of live blocks, and the sum of the bytes asked for. It looks at each.
func (s *slab) live() (blocks, bytes uint64) {
	for w := range uint64(s.words) {
		n, b := s.liveIn(w, s.word(w).Load())
		blocks, bytes = blocks+n, bytes+b
	}
	return blocks, bytes
}

// liveIn is live for the blocks of word w.
func (s *slab) liveIn(w, word uint64) (blocks, bytes uint64) {
	for rest := word & all &^ s.absent(w); rest != 0; rest &= rest - 1 {
		blocks++
		bytes += uint64(atomic.LoadUint32(s.asked(w*perWord + uint64(bits.TrailingZeros64(rest)))))
	}
	return blocks, bytes
}

// free returns the bytes of the slab that live blocks do not take up.
func (s *slab) free() uint64 {
	return s.taken - uint64(s.liveBlocks())*s.size
}

// liveBlocks returns the number of live blocks.
func (s *slab) liveBlocks() (n int64) {
	for w := range uint64(s.words) {
		n += int64(bits.OnesCount64(s.word(w).Load() & all &^ s.absent(w)))
	}
	return n
}

// run returns the bytes of the longest row of free blocks.
func (s *slab) run() (most uint64) {
	n := uint64(0)
	for i := range uint64(s.count) {
		n += s.size
		if s.word(i/perWord).Load()>>(i%perWord)&1 != 0 {
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
	for w := range uint64(s.words) {
		sum += s.word(w).Load() &^ sealed / once
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
