package classes

import (
	"github.com/poolgen/poolgen/templates/feature"
)

// canKeep reports whether a class may keep one more block of that size.
func (c *Core) canKeep(k, room uint64) bool {
	if k >= uint64(len(bins)) {
		return false
	}
	if boundedBins {
		if uint64(c.kept[k]) >= cachePerBin {
			return false
		}
	}
	if boundedBytes {
		if c.cached()+room > cacheBytes {
			return false
		}
	}
	return true
}

// cached returns the bytes of the kept blocks.
func (c *Core) cached() uint64 { return c.added - c.removed }

// hold makes a live block a kept one. If [feature.Trims], the heap does not count the block, as each free has to know whether a chunk has
// become empty. Unless [feature.Trims], the heap still counts it, and [Core.Used] subtracts it.
func (c *Core) hold(i, note uint32) uint64 {
	if feature.Trims {
		return c.space.Hold(i, note)
	}
	return c.space.HoldCounted(i, note)
}

// resume undoes hold.
func (c *Core) resume(i uint32, bytes uint64) (note uint32, room uint64) {
	if feature.Trims {
		return c.space.Resume(i, bytes)
	}
	return c.space.ResumeCounted(i, bytes)
}

// push keeps a live block for class k.
func (c *Core) push(k uint64, i uint32) {
	h := c.heads[k]
	c.heads[k] = i
	c.prevs[h] = i
	if boundedBins {
		c.kept[k]++
	}
	c.added += c.hold(i, h)
}

// pop makes the block that class k kept last live again, for a request of bytes bytes.
func (c *Core) pop(k int, i uint32, bytes uint64) {
	next, room := c.resume(i, bytes)
	c.heads[k] = next
	c.removed += room
	if boundedBins {
		c.kept[k]--
	}
}

// unlink removes a kept block from the list of its class. The heap still holds it.
func (c *Core) unlink(i uint32) {
	k, next := c.classes[i], c.space.Note(i)
	c.prevs[next] = c.prevs[i]
	if c.heads[k] != i {
		c.space.SetNote(c.prevs[i], next)
	} else {
		c.heads[k] = next
	}
	c.removed += c.space.Room(i)
	if boundedBins {
		c.kept[k]--
	}
}

// release gives a kept block back to the heap and returns the free range that it is part of afterwards.
func (c *Core) release(i uint32) uint32 {
	c.unlink(i)
	c.resume(i, c.space.Room(i))
	return c.space.Free(c.space.Find(c.space.Address(i)))
}

// releaseChunk gives the kept blocks of a chunk back to the heap. Costs O(nodes of the chunk).
func (c *Core) releaseChunk(slot uint32) {
	for i := c.space.First(slot); i != 0; i = c.space.Next(i) {
		if c.space.Held(i) {
			i = c.release(i)
		}
	}
}
