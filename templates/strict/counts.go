package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/templates/feature"
)

// counts is what the words of chunks add up to.
type counts struct {
	taken   uint64 // blocks that are
	pending uint64 // of these, those freed on a stream. Unless [feature.Streams], always 0.
	allocs  uint64 // blocks handed out so far
	//poolgen:if feature.Magazines
	inMagazine uint64 // blocks in magazines; they do not count as taken or handed out
}

// live returns how many blocks are.
func (s *counts) live() uint64 { return s.taken - s.pending }

// add counts a word, whose blocks that are not there are not taken into account.
func (s *counts) add(word, absent uint64) {
	s.taken += taken(word &^ absent)
	if feature.Streams {
		s.pending += uint64(bits.OnesCount64(word >> perWord & blocks))
	}
	if feature.Counters {
		s.allocs += word & countMask / once
	}
}

// addInMagazine is add for a word some of whose blocks may lie in a magazine.
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

// addCounts adds up the words of a chunk. What it finds of one word belongs together.
func (ch *chunk) addCounts(s *counts) {
	if feature.Counters {
		ch.overflowMu.Lock()
		defer ch.overflowMu.Unlock()
		s.allocs += ch.overflow
	}
	for w := range ch.words {
		if feature.Magazines {
			s.addInMagazine(ch.words[w].Load(), ch.absent(uint64(w)), &ch.inMagazine[w])
		} else {
			s.add(ch.words[w].Load(), ch.absent(uint64(w)))
		}
	}
}

// counts adds up the words of all chunks.
func (t *table) counts() (s counts) {
	for _, ch := range t.order {
		ch.addCounts(&s)
	}
	return s
}
