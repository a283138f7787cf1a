package strict

import "sync/atomic"

// counts is the sum over the words of some chunks.
type counts struct {
	taken      uint64 // live and pending blocks
	pending    uint64 // blocks freed on a stream
	allocs     uint64 // blocks allocated so far, if words count
	inMagazine uint64 // blocks in magazines, which are neither in taken nor in allocs
}

// live returns the number of live blocks.
func (s *counts) live() uint64 { return s.taken - s.pending }

// addWord counts the blocks of a word, except for the absent ones. Those in a magazine are among some.
func (c *Core) addWord(s *counts, word, absent, some uint64) {
	in := word & some
	s.taken += count(word & c.blocks &^ (absent | in))
	if c.pending > 0 {
		s.pending += count(word >> (c.pending & 63) & c.blocks)
	}
	s.allocs += word&CountMask/Once - count(in)
	s.inMagazine += count(in)
}

// addChunk adds the words of a chunk. The counts of one word are consistent, as they are read in one step; with 32 bits, those of
// an owner at work may not be.
func (c *Core) addChunk(s *counts, ch *Chunk) {
	ch.overflowMu.Lock()
	defer ch.overflowMu.Unlock()
	s.allocs += ch.overflow
	for w := range ch.Words {
		word, some := ch.Words[w].Load(), uint64(0)
		if ch.inMagazine != nil {
			some = uint64(atomic.LoadUint32(&ch.inMagazine[w].some))
		}
		c.addWord(s, word, ch.absent(uint64(w)), some)
	}
}

// addUp adds up the words of all chunks.
func (c *Core) addUp() (s counts) {
	for _, ch := range c.Chunks.All() {
		c.addChunk(&s, ch)
	}
	return s
}

// fullCounts are the counts while the gate is closed. No block is free then. Each free opens the gate, and so does a new chunk or one that is removed:
// a gate that is closed later has another state.
type fullCounts struct {
	state uint64 // of the gate
	sum   counts
}

// countsStay: the counts do not change while the gate is closed. Otherwise blocks become pending meanwhile, leave a magazine, or belong to owners.
func (c *Core) countsStay() bool { return !c.params.Streams && !c.IsOwning() }

// counts adds up the words of all chunks. If [Core.countsStay], it does so only if they may have changed.
func (c *Core) counts() counts {
	if state, is := c.Gate.Closed(); is && c.countsStay() {
		if c.atLimit.state != state {
			c.atLimit = fullCounts{state, c.addUp()}
		}
		return c.atLimit.sum
	}
	return c.addUp()
}
