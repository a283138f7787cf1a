package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/templates/feature"
)

// sum is what the words of chunks add up to.
type sum struct {
	taken  uint64 // blocks that are
	parked uint64 // of these; 0 in pools that are not ordered with streams
	allocs uint64 // blocks handed out so far
	//poolgen:if feature.Magazines
	covered uint64 // blocks in magazines; they do not count as taken or handed out
}

// live returns how many blocks are.
func (s *sum) live() uint64 { return s.taken - s.parked }

// add counts a word, whose blocks that are not there are not taken into account.
func (s *sum) add(word, absent uint64) {
	s.taken += taken(word &^ absent)
	if feature.Streams {
		s.parked += uint64(bits.OnesCount64(word >> perWord & blocks))
	}
	if feature.Counters {
		s.allocs += word & counts / once
	}
}

// addCovered is add for a word some of whose blocks may lie in a magazine.
//
//poolgen:if feature.Magazines
func (s *sum) addCovered(word, absent uint64, c *cover) {
	in := word & uint64(atomic.LoadUint32(&c.some))
	n := uint64(bits.OnesCount64(in))
	s.add(word&^in, absent)
	s.covered += n
	if feature.Counters {
		s.allocs -= n
	}
}

// sum adds up the words of a chunk. What it finds of one word belongs together.
func (ch *chunk) sum(s *sum) {
	if feature.Counters {
		ch.carry.Lock()
		defer ch.carry.Unlock()
		s.allocs += ch.carried
	}
	for w := range ch.words {
		if feature.Magazines {
			s.addCovered(ch.words[w].Load(), ch.absent(uint64(w)), &ch.covers[w])
		} else {
			s.add(ch.words[w].Load(), ch.absent(uint64(w)))
		}
	}
}

// sum adds up the words of all chunks.
func (t *table) sum() (s sum) {
	for _, ch := range t.order {
		ch.sum(&s)
	}
	return s
}
