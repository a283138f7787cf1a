package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"slices"
)

// table has the shards and their chunks for all goroutines. It does not change.
type table struct {
	shards []shard
	count  uint32 // of the shards, a power of two
	starts []uint64
	chunks []chunk // by address, as starts
}

// chunk is where a chunk lies and whose it is.
type chunk struct {
	size  uint64
	shard *shard
	slot  uint32
}

// shard returns the shard that belongs to a place.
func (t *table) shard(n uint32) *shard { return &t.shards[n&(t.count-1)] }

// load returns the table as it is, nil before the first chunk.
func (c *Core) load() *table { return c.table.Load() }

// owner returns the shard that has the chunk of an address, nil if there is none.
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

// chunkOf returns the chunk of a slot, which must have one.
func (c *Core) chunkOf(slot uint32) (t *table, at int) {
	t = c.load()
	return t, slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })
}

// Add makes a chunk available. It becomes the caller's: the shard of the processor that it runs on gets it.
func (c *Core) Add(slot uint32, base, size uint64) {
	t := c.load()
	if t == nil {
		n := processors()
		t = &table{shards: make([]shard, n), count: n}
		for i := range c.homes {
			c.homes[i].Store(t.shard(uint32(i)))
		}
	}
	n := procIndex()
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

// Remove takes away a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict is Remove for a chunk that others may be using: if a block of it is live, it stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	t, at := c.chunkOf(slot)
	s := t.chunks[at].shard
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

// Steal moves an empty chunk of another shard to that of the caller's processor, if there is any.
func (c *Core) Steal() bool {
	t := c.load()
	if t == nil {
		return false
	}
	mine := t.shard(procIndex())
	for at, ch := range t.chunks {
		if ch.shard != mine && c.Evict(ch.slot) {
			c.Add(ch.slot, t.starts[at], ch.size)
			return true
		}
	}
	return false
}
