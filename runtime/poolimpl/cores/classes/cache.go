package classes

// canKeep reports whether a class may keep one more block of that size.
func (c *Core) canKeep(k, room uint64) bool {
	return k < uint64(len(c.classes)) && (!c.bounded || uint64(c.classes[k].kept) < c.perBin && c.cached()+room <= c.bytes)
}

// cached returns the bytes of the kept blocks.
func (c *Core) cached() uint64 { return c.added - c.removed }

// hold makes a live block a kept one. If Trims, the heap does not count the block, as each free has to know whether a chunk has
// become empty. Unless Trims, the heap still counts it, and [Core.Used] subtracts it.
func (c *Core) hold(i, note uint32) uint64 {
	if c.Trims {
		return c.Space.Hold(i, note)
	}
	return c.Space.HoldCounted(i, note)
}

// resume undoes hold.
func (c *Core) resume(i uint32, bytes uint64) (note uint32, room uint64) {
	if c.Trims {
		return c.Space.Resume(i, bytes)
	}
	return c.Space.ResumeCounted(i, bytes)
}

// push keeps a live block for class k.
func (c *Core) push(k uint64, i uint32) {
	in := &c.classes[k]
	h := in.head
	in.head = i
	in.kept++
	c.prevs[h] = i
	c.added += c.hold(i, h)
}

// pop makes the block that class k kept last live again, for a request of bytes bytes.
func (c *Core) pop(k int, i uint32, bytes uint64) {
	next, room := c.resume(i, bytes)
	in := &c.classes[k]
	in.head = next
	in.kept--
	c.removed += room
}

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
	c.resume(i, c.Space.Room(i))
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
