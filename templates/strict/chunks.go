package strict

// Add makes a chunk available, of at most [MaxBlocks] blocks: the engine adds no larger one.
func (c *Core) Add(slot uint32, base, size uint64) {
	count := size / blockSize
	if count > MaxBlocks {
		panic("poolgen: chunk has more blocks than its words can be numbered for")
	}
	c.chunks.Add(slot, base, size, newChunk(slot, base, count))
	c.openSlot(uint64(slot))
	c.count.Add(count) // after the flag is cleared, for mostLive
	c.gate.open()
}

// remove removes a chunk whose words are sealed.
func (c *Core) remove(ch *chunk) {
	c.chunks.Remove(ch.slot)
	c.count.Add(-ch.count)
	c.clearHints(ch)
}

// openSlot clears the flag of a slot that has got a chunk. If there is no flag for the slot yet, longer flags replace all, and searches set them again.
func (c *Core) openSlot(slot uint64) {
	if full := c.slots(); slot < full.len() {
		full.clear(slot)
		return
	}
	more := newFlags(2 * (slot + 1))
	c.full.Store(&more)
}

// slots returns the flags of all slots.
func (c *Core) slots() flags {
	if full := c.full.Load(); full != nil {
		return *full
	}
	return nil
}

// flagSlot sets the flag of a slot with a chunk whose rows all have a flag, or without a chunk, in which case ch is nil. The caller holds c.flagging.
func (c *Core) flagSlot(full flags, slot uint64, ch *chunk) {
	full.set(slot)
	if c.chunks.At(uint32(slot)) != ch || ch != nil && ch.full.next(0, ch.rows()) < ch.rows() {
		full.clear(slot)
	}
}
