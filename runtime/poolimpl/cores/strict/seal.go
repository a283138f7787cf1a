package strict

// seal makes allocations and frees of all blocks of a chunk fail from now on. If a block is live, it changes nothing and reports false. While it
// runs, free blocks look live.
func (c *Core) seal(ch *Chunk) bool {
	for w := range ch.Words {
		word := &ch.Words[w]
		for {
			old := word.Load()
			if old&c.blocks != ch.absent(uint64(w)) {
				c.unseal(ch, w)
				return false
			}
			if word.CompareAndSwap(old, old|Sealed|c.blocks) {
				break
			}
		}
	}
	return true
}

// unseal undoes seal for the first n words of a chunk, in which no block was live.
func (c *Core) unseal(ch *Chunk, n int) {
	for w := range n {
		word := &ch.Words[w]
		word.Store(word.Load()&CountMask | ch.absent(uint64(w)))
		ch.Full.Clear(uint64(w) / Row)
	}
	c.open.Load().Set(ch.Slot)
}

// shut seals all words of a chunk, also those with live blocks, and adds their counts.
func (c *Core) shut(ch *Chunk, s *counts) {
	for w := range ch.Words {
		old, absent := ch.Words[w].Or(Sealed|c.blocks), ch.absent(uint64(w))
		if old&Sealed != 0 { // seal has set the bits of all blocks, none of which was live
			absent = c.blocks
		}
		c.addWord(s, old, absent, 0)
	}
	ch.overflowMu.Lock()
	s.allocs += ch.overflow
	ch.overflowMu.Unlock()
}

// Evict removes a chunk that other goroutines may be using. If a block of the chunk is live, the chunk stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	ch := c.Chunks.At(slot)
	var s counts
	if c.addChunk(&s, ch); s.taken > 0 && (!c.params.Owns || !c.IsOwning()) { // else an owner may have freed them
		return false
	}
	c.recalls.Lock()
	defer c.recalls.Unlock()
	c.recall()
	c.Gate.Hold()
	defer c.Gate.Release()
	if !c.seal(ch) {
		return false
	}
	s = counts{}
	c.shut(ch, &s)
	c.retired.Allocs += s.allocs
	c.remove(ch)
	return true
}

// Remove removes a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Shut removes all chunks, and reports true. If blocks are live and force is not set, it changes nothing and reports false.
func (c *Core) Shut(force bool) bool {
	c.recalls.Lock()
	defer c.recalls.Unlock()
	c.recall()
	c.Gate.Hold()
	defer c.Gate.Release()
	if !force && !c.sealAll() {
		return false
	}
	var s counts
	for _, ch := range c.Chunks.All() {
		c.shut(ch, &s)
		c.remove(ch)
	}
	c.retired.Live += s.live()
	c.retired.Allocs += s.allocs
	c.retired.LiveBytes, c.retired.Occupied = c.retired.Live*c.params.ItemBytes, c.retired.Live*c.params.BlockSize
	return true
}

// sealAll seals all chunks, or none if a block is live.
func (c *Core) sealAll() bool {
	var done []*Chunk
	for _, ch := range c.Chunks.All() {
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
