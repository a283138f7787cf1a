package classes

// Resize makes the block at addr, of bytes bytes, one of n bytes. It reports false, and changes nothing, if there is no such block, if n bytes are
// of another class or, for a block without a class, if the heap has no room behind the block.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	link := c.Space.Find(addr)
	if link == nil || !c.Space.Live(*link) || c.Space.Asked(*link) != bytes {
		return false
	}
	i := *link
	k := int(c.nodes[i])
	if c.classOf(n) != k {
		return false
	}
	if k < len(c.classes) {
		c.Space.SetAsked(i, n)
	} else if !c.Space.Resize(i, n) {
		return false
	}
	c.grow()
	c.CountResize(bytes, n)
	return true
}
