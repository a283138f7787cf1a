package strict

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Add makes a chunk available, of at most [MaxBlocks] blocks: the engine adds no larger one.
func (c *Core) Add(slot uint32, base, size uint64) {
	blocks := size / c.params.BlockSize
	if blocks > MaxBlocks {
		panic("poolgen: chunk has more blocks than its words can be numbered for")
	}
	c.Chunks.Add(slot, base, size, c.newChunk(slot, base, blocks))
	c.openSlot(slot)
	c.count.Add(blocks) // after the bit is set, for scan
	c.Gate.Open()
}

// remove removes a chunk whose words are sealed.
func (c *Core) remove(ch *Chunk) {
	c.Chunks.Remove(ch.Slot)
	c.count.Add(-ch.Blocks)
	c.clearHints(ch)
}

// openSlot sets the bit of a slot that has got a chunk. If there is no bit for the slot yet, more bits replace all. Each of them is set up to the slot, as
// goroutines change the old ones meanwhile. Searches clear those that are wrong.
func (c *Core) openSlot(slot uint32) {
	if open := c.open.Load(); open != nil && slot < open.Len() {
		open.Set(slot)
		return
	}
	more := poolimpl.NewBitmap(2 * (slot + 1))
	for i := range slot + 1 {
		more.Set(i)
	}
	c.open.Store(more)
}

// closeSlot clears the bit of a slot with a chunk whose rows all have a flag, or without a chunk, in which case ch is nil. The caller holds c.flagging.
func (c *Core) closeSlot(open *poolimpl.Bitmap, slot uint32, ch *Chunk) {
	open.Clear(slot)
	if c.Chunks.At(slot) != ch || ch != nil && ch.Full.Next(0, ch.Count()) < ch.Count() {
		open.Set(slot)
	}
}
