package classes

// canKeep reports whether a class may keep one more block of that size.
func (c *Core) canKeep(in *class, room uint64) bool {
	return !c.bounded || uint64(in.kept) < c.perBin && c.cached()+room <= c.bytes
}

// cached returns the bytes of the kept blocks.
func (c *Core) cached() uint64 { return c.added - c.removed }

// Hoard returns the bytes of the kept blocks.
func (c *Core) Hoard() uint64 { return c.cached() }

// KeepLarge makes the heap keep empty chunks that are larger than the usual ones for requests that take up most of them.
func (c *Core) KeepLarge() { c.Space.PreferUsed = true }

// unlink removes a kept block from the list of its class. The heap still holds it.
func (c *Core) unlink(i uint32) {
	in, next := &c.classes[c.nodes[i]], c.Space.Note(i)
	c.prevs[next] = c.prevs[i]
	if in.head != i {
		c.Space.SetNote(c.prevs[i], next)
	} else {
		in.head = next
	}
	in.kept--
	c.removed += c.Space.Room(i)
}

// release gives a kept block back to the heap and returns the free range that it is part of afterwards.
func (c *Core) release(i uint32) uint32 {
	c.unlink(i)
	c.Resume(i, c.Space.Room(i), !c.Trims)
	return c.Space.Free(c.Space.Find(c.Space.Address(i)))
}

// releaseChunk gives the kept blocks of a chunk back to the heap. Costs O(nodes of the chunk).
func (c *Core) releaseChunk(slot uint32) {
	for i := c.Space.First(slot); i != 0; i = c.Space.Next(i) {
		if c.Space.Held(i) {
			i = c.release(i)
		}
	}
}
