package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// chunk is a chunk and its shard. Only the field freed changes.
type chunk struct {
	base, size uint64
	shard      *shard
	slot       uint32
	paged      bool   // it is a range with pages, which stays where it is
	freed      uint32 // 1 + index in shard.freed, 0 if it is not there; the lock of the shard guards it
}

// shard returns shard n, modulo their number. There must be shards.
func (c *Core) shard(n uint32) *shard {
	all := c.all()
	return &all[n&uint32(len(all)-1)]
}

// all returns the shards: none before the first chunk.
func (c *Core) all() []shard {
	if all := c.shards.Load(); all != nil {
		return *all
	}
	return nil
}

// chunkOf returns the chunk that contains an address, nil if there is none.
func (c *Core) chunkOf(addr uint64) *chunk {
	if ch := c.chunks.Find(addr); ch != nil && addr-ch.base < ch.size {
		return ch
	}
	return nil
}

// SetShards sets the parameters, before all other calls but AllocFast. empty returns a suballocator for a shard, without parameters of its own.
func (c *Core) SetShards(params *Params, empty func() Behind) {
	c.params, c.empty = *params, empty
	c.shape = c.newBehind()
}

// newBehind returns an empty suballocator for a shard.
func (c *Core) newBehind() Behind {
	b := c.empty()
	if p, ok := b.(poolimpl.ParamCore); ok {
		p.Set(c.params.Behind)
	}
	return b
}

// behind sets the suballocator of a shard.
func (s *shard) behind(b Behind) {
	s.core = b
	s.stream, _ = b.(poolimpl.StreamCore)
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	_, classes := c.shape.(poolimpl.ClassCore)
	f := poolimpl.Features{Streams: c.params.Streams, Shares: c.params.Shareable, Samples: c.params.Samples.Any(), Classes: classes}
	if behind, ok := c.shape.(poolimpl.FeaturedCore); ok {
		has := behind.Features()
		f.Pages, f.Moves, f.Hoards = has.Pages, has.Moves, has.Hoards
	}
	return f
}

// Add makes a chunk available, in the shard of the caller's processor.
func (c *Core) Add(slot uint32, base, size uint64) {
	c.begin(poolimpl.Processors(maxShards))
	c.addTo(procIndex(), slot, base, size)
}

// begin makes n shards, a power of two, unless there are some.
func (c *Core) begin(n uint32) {
	if c.shards.Load() != nil {
		return
	}
	all := make([]shard, n)
	for i := range all {
		all[i].behind(c.newBehind())
	}
	c.shards.Store(&all)
	for i := range c.homes {
		c.homes[i].Store(c.shard(uint32(i)))
	}
}

// addTo makes a chunk available in the shard of the processor with the number n.
func (c *Core) addTo(n, slot uint32, base, size uint64) {
	s := c.shard(n)
	ch := &chunk{base: base, size: size, shard: s, slot: slot}
	c.chunks.Add(slot, base, size, ch)
	s.mu.Lock()
	s.used.Store(true)
	s.core.Add(slot, base, size)
	s.noteFreed(ch)
	s.mu.Unlock()
	c.homes[n].Store(s)
}

// Remove removes a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict removes a chunk that other goroutines may be using. If a block of the chunk is live, the chunk stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	ch := c.chunks.At(slot)
	s := ch.shard
	s.mu.Lock()
	empty := s.core.Used(slot) == 0
	if empty {
		s.core.Remove(slot)
		s.forgetFreed(ch)
	}
	s.mu.Unlock()
	if empty {
		c.chunks.Remove(slot)
	}
	return empty
}

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 {
	s := c.chunks.At(slot).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Used(slot)
}
