package classes

// Reset frees all live blocks and keeps the chunks. The heap gets all kept blocks back. No block may be pending. The cost does not depend on the blocks:
// it is that of the classes, the chunks, and of clearing the index of the heap.
func (c *Core) Reset() {
	c.Core.Reset()
	c.resetClasses()
}
