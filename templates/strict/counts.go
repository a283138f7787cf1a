package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/templates/feature"
)

// counts is the sum over the words of some chunks.
type counts struct {
	taken   uint64 // live and pending blocks
	pending uint64 // blocks freed on a stream. Unless [feature.Streams], there are none.
	allocs  uint64 // blocks allocated so far
	//poolgen:if feature.Magazines
	inMagazine uint64 // blocks in magazines, which are neither in taken nor in allocs
}

// live returns the number of live blocks.
func (s *counts) live() uint64 { return s.taken - s.pending }

// add counts the blocks of a word, except for the absent ones.
func (s *counts) add(word, absent uint64) {
	s.taken += taken(word &^ absent)
	if feature.Streams {
		s.pending += uint64(bits.OnesCount64(word >> perWord & blocks))
	}
	if feature.Counters {
		s.allocs += word & countMask / once
	}
}

// addInMagazine is add for a word with blocks that may be in a magazine.
//
//poolgen:if feature.Magazines
func (s *counts) addInMagazine(word, absent uint64, c *inMagazine) {
	in := word & uint64(atomic.LoadUint32(&c.some))
	n := uint64(bits.OnesCount64(in))
	s.add(word&^in, absent)
	s.inMagazine += n
	if feature.Counters {
		s.allocs -= n
	}
}

// addCounts adds the words of a chunk. The counts of one word are consistent, as they are read in one step.
func (ch *chunk) addCounts(s *counts) {
	if feature.Counters {
		ch.overflowMu.Lock()
		defer ch.overflowMu.Unlock()
		s.allocs += ch.overflow
	}
	for w := range ch.Words {
		if feature.Magazines {
			s.addInMagazine(ch.Words[w].Load(), ch.absent(uint64(w)), &ch.inMagazine[w])
		} else {
			s.add(ch.Words[w].Load(), ch.absent(uint64(w)))
		}
	}
}

// addUp adds up the words of all chunks.
func (c *Core) addUp() (s counts) {
	for _, ch := range c.chunks.All() {
		ch.addCounts(&s)
	}
	return s
}
