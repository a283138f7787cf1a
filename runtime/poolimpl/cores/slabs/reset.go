package slabs

// Reset frees all live blocks and keeps the chunks. All slabs go back to the suballocator behind. Other goroutines may allocate and free meanwhile: a block
// that they allocate may be freed too. Costs O(slabs), and what the suballocator behind says.
func (c *Core) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all() {
		for w := range uint32(s.lines) {
			s.line(w).word.Or(sealed | all)
		}
		c.removeSlab(s)
		c.clearPages(s)
	}
	for _, s := range c.dissolved {
		c.clearPages(s)
		c.setGone(s)
	}
	c.readChanges(every) // of slabs that are gone
	c.lists = lists{partial: make([][]*slab, len(c.bins))}
	c.dissolved = nil
	c.count, c.bytes, c.taken = 0, 0, 0
	c.back.Reset()
	c.moves.Add(1)
	c.looked = false
	c.setRoom(roomy)
}
