package shards

import (
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// table has the shards and their chunks, for all goroutines. It does not change.
type table struct {
	shards []shard
	count  uint32   // of shards, a power of two
	starts []uint64 // addresses of chunks, ascending
	chunks []chunk  // in the order of starts
}

// chunk is a chunk and its shard.
type chunk struct {
	size  uint64
	shard *shard
	slot  uint32
}

// shard returns shard n, modulo their number.
func (t *table) shard(n uint32) *shard { return &t.shards[n&(t.count-1)] }

// load returns the table, or nil before the first chunk.
func (c *Core) load() *table { return c.table.Load() }

// owner returns the shard of an address, or nil if no chunk contains the address.
func (c *Core) owner(addr uint64) *shard {
	t := c.load()
	if t == nil || len(t.starts) == 0 {
		return nil
	}
	i := poolimpl.Nearest(t.starts, addr)
	if ch := &t.chunks[i]; addr-t.starts[i] < ch.size {
		return ch.shard
	}
	return nil
}

// chunkOf returns the index of the chunk with a slot, in the table that it returns. There must be such a chunk.
func (c *Core) chunkOf(slot uint32) (t *table, at int) {
	t = c.load()
	return t, slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })
}

// Add makes a chunk available, in the shard of the caller's processor.
func (c *Core) Add(slot uint32, base, size uint64) {
	t := c.load()
	if t == nil {
		n := processors()
		t = &table{shards: make([]shard, n), count: n}
		for i := range c.homes {
			c.homes[i].Store(t.shard(uint32(i)))
		}
	}
	c.addTo(t, procIndex(), slot, base, size)
}

// addTo makes a chunk available in the shard of the processor with the number n.
func (c *Core) addTo(t *table, n, slot uint32, base, size uint64) {
	s := t.shard(n)
	at, _ := slices.BinarySearch(t.starts, base)
	c.table.Store(&table{
		shards: t.shards, count: t.count,
		starts: slices.Insert(slices.Clone(t.starts), at, base),
		chunks: slices.Insert(slices.Clone(t.chunks), at, chunk{size, s, slot}),
	})
	s.mu.Lock()
	s.core.Add(slot, base, size)
	s.mu.Unlock()
	c.homes[n].Store(s)
}

// Remove removes a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict removes a chunk that other goroutines may be using. If a block of the chunk is live, the chunk stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	return c.evict(c.chunkOf(slot))
}

// evict is Evict for the chunk at an index of the current table.
func (c *Core) evict(t *table, at int) bool {
	s, slot := t.chunks[at].shard, t.chunks[at].slot
	s.mu.Lock()
	empty := s.core.Used(slot) == 0
	if empty {
		s.core.Remove(slot)
	}
	s.mu.Unlock()
	if empty {
		c.table.Store(&table{
			shards: t.shards, count: t.count,
			starts: slices.Delete(slices.Clone(t.starts), at, at+1),
			chunks: slices.Delete(slices.Clone(t.chunks), at, at+1),
		})
	}
	return empty
}

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 {
	t, at := c.chunkOf(slot)
	s := t.chunks[at].shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Used(slot)
}

// Steal moves an empty chunk of another shard to the shard of the caller's processor. It reports false if there is no empty chunk.
func (c *Core) Steal() bool {
	t := c.load()
	if t == nil {
		return false
	}
	n := procIndex()
	mine := t.shard(n)
	for at, ch := range t.chunks {
		if ch.shard != mine && c.evict(t, at) {
			c.addTo(c.load(), n, ch.slot, t.starts[at], ch.size)
			return true
		}
	}
	return false
}
