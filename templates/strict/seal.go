package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// seal makes allocations and frees of all blocks of a chunk fail from now on. If a block is live, it changes nothing and reports false. While it
// runs, free blocks look live.
func (c *Core) seal(ch *chunk) bool {
	for w := range ch.Words {
		word := &ch.Words[w]
		for {
			old := word.Load()
			if old&blocks != ch.absent(uint64(w)) {
				c.unseal(ch, w)
				return false
			}
			if word.CompareAndSwap(old, old|sealed|blocks) {
				break
			}
		}
	}
	return true
}

// unseal undoes seal for the first n words of a chunk, in which no block was live.
func (c *Core) unseal(ch *chunk, n int) {
	for w := range n {
		word := &ch.Words[w]
		word.Store(word.Load()&countMask | ch.absent(uint64(w)))
		ch.Full.Clear(uint64(w) / strict.Row)
	}
	c.open.Load().Set(ch.slot)
}

// shut seals all words, also those with live blocks, and adds their counts.
func (ch *chunk) shut(s *counts) {
	for w := range ch.Words {
		old, absent := ch.Words[w].Or(sealed|blocks), ch.absent(uint64(w))
		if old&sealed != 0 { // seal has set the bits of all blocks, none of which was live
			absent = blocks
		}
		s.add(old, absent)
	}
	if feature.Counters {
		ch.overflowMu.Lock()
		s.allocs += ch.overflow
		ch.overflowMu.Unlock()
	}
}

// Evict removes a chunk that other goroutines may be using. If a block of the chunk is live, the chunk stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	ch := c.chunks.At(slot)
	var s counts
	if ch.addCounts(&s); s.taken > 0 {
		return false
	}
	if feature.Magazines {
		c.recalls.Lock()
		defer c.recalls.Unlock()
		c.recall()
	}
	c.gate.Hold()
	defer c.gate.Release()
	if !c.seal(ch) {
		return false
	}
	s = counts{}
	ch.shut(&s)
	c.retired.Allocs += s.allocs
	c.remove(ch)
	return true
}

// Remove removes a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Shut removes all chunks, and reports true. If blocks are live and force is not set, it changes nothing and reports false.
func (c *Core) Shut(force bool) bool {
	if feature.Magazines {
		c.recalls.Lock()
		defer c.recalls.Unlock()
		c.recall()
	}
	c.gate.Hold()
	defer c.gate.Release()
	if !force && !c.sealAll() {
		return false
	}
	var s counts
	for _, ch := range c.chunks.All() {
		ch.shut(&s)
		c.remove(ch)
	}
	c.retired.Live += s.live()
	c.retired.Allocs += s.allocs
	c.retired.LiveBytes, c.retired.Occupied = c.retired.Live*itemBytes, c.retired.Live*blockSize
	return true
}

// sealAll seals all chunks, or none if a block is live.
func (c *Core) sealAll() bool {
	var done []*chunk
	for _, ch := range c.chunks.All() {
		if !c.seal(ch) {
			for _, ch := range done {
				c.unseal(ch, len(ch.Words))
			}
			return false
		}
		done = append(done, ch)
	}
	return true
}

// clearHints removes all hints that point at a chunk.
func (c *Core) clearHints(ch *chunk) {
	for i := range c.hints {
		c.hints[i].chunk.CompareAndSwap(ch, nil)
		if feature.AllocsOn {
			c.streamHints[i].chunk.CompareAndSwap(ch, nil)
		}
	}
}
