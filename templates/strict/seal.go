package strict

import "github.com/poolgen/poolgen/templates/feature"

// seal keeps all blocks of a chunk from being handed out or taken back, forever, unless one of them is live: then it changes nothing and
// reports false. While it is at work, free blocks look live.
func (ch *chunk) seal() bool {
	for w := range ch.words {
		word := &ch.words[w]
		for {
			old := word.Load()
			if old&blocks != ch.absent(uint64(w)) {
				ch.unseal(w)
				return false
			}
			if word.CompareAndSwap(old, old|sealed|blocks) {
				break
			}
		}
	}
	return true
}

// unseal undoes seal for the first n words, in which no block was live.
func (ch *chunk) unseal(n int) {
	for w := range n {
		word := &ch.words[w]
		word.Store(word.Load()&counts | ch.absent(uint64(w)))
		ch.full.clear(uint64(w) / row)
	}
}

// end is seal with force, and adds up what the words were.
func (ch *chunk) end(s *sum) {
	for w := range ch.words {
		old, absent := ch.words[w].Or(sealed|blocks), ch.absent(uint64(w))
		if old&sealed != 0 { // none was live before
			absent = blocks
		}
		s.add(old, absent)
	}
	if feature.Counters {
		ch.carry.Lock()
		s.allocs += ch.carried
		ch.carry.Unlock()
	}
}

// unseal undoes seal for some chunks.
func (t *table) unseal(some []*chunk) {
	for _, ch := range some {
		ch.unseal(len(ch.words))
		t.full.clear(uint64(ch.slot))
	}
}

// Evict takes a chunk away that others may be using. If a block of it is live, it stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	t := c.table.Load()
	ch := t.slots[slot]
	var s sum
	if ch.sum(&s); s.taken > 0 {
		return false
	}
	if feature.Magazines {
		c.recalls.Lock()
		defer c.recalls.Unlock()
		c.recall()
	}
	c.gate.hold()
	defer c.gate.release()
	if !ch.seal() {
		t.full.clear(uint64(slot))
		return false
	}
	s = sum{}
	ch.end(&s)
	c.spent.Allocs += s.allocs
	c.table.Store(t.without(ch))
	c.forget(ch)
	return true
}

// Remove takes a chunk away in which nothing is live, and which nobody uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// End has nothing handed out or taken back any more, unless blocks are live and force is not set.
func (c *Core) End(force bool) bool {
	t := c.table.Load()
	if t == nil {
		return true
	}
	if feature.Magazines {
		c.recalls.Lock()
		defer c.recalls.Unlock()
		c.recall()
	}
	c.gate.hold()
	defer c.gate.release()
	for i, ch := range t.order {
		if !force && !ch.seal() {
			t.unseal(t.order[:i])
			return false
		}
	}
	var s sum
	for _, ch := range t.order {
		ch.end(&s)
		c.forget(ch)
	}
	c.spent.Live += s.live()
	c.spent.Allocs += s.allocs
	c.spent.LiveBytes, c.spent.Occupied = c.spent.Live*itemBytes, c.spent.Live*blockSize
	c.table.Store(t.emptied())
	return true
}

// forget makes no processor start at a chunk that is gone.
func (c *Core) forget(ch *chunk) {
	for i := range c.hints {
		c.hints[i].chunk.CompareAndSwap(ch, nil)
	}
}
