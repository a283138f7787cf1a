package shards

// Steal moves an empty chunk of another shard to the shard of the caller's processor. It reports false if there is no empty chunk. It looks at the chunks of
// which a block was freed since it or AnyEmpty looked last.
func (c *Core) Steal() bool {
	n, all := procIndex(), c.all()
	for i := range all {
		s := &all[i]
		if s == c.shard(n) || !s.anyFreed.Load() {
			continue
		}
		if ch := c.takeEmpty(s); ch != nil {
			c.chunks.Remove(ch.slot)
			c.addTo(n, ch.slot, ch.base, ch.size)
			return true
		}
	}
	return false
}

// takeEmpty takes an empty chunk from a shard, and returns nil if the shard has none.
func (c *Core) takeEmpty(s *shard) *chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.freed) > 0 {
		ch := s.freed[len(s.freed)-1]
		s.forgetFreed(ch)
		if c.chunks.At(ch.slot) == ch && !ch.paged && s.core.Used(ch.slot) == 0 {
			s.core.Remove(ch.slot)
			return ch
		}
	}
	return nil
}

// AnyEmpty reports whether any chunk is empty. It looks at the chunks of which a block was freed since it or Steal looked last.
func (c *Core) AnyEmpty() bool {
	all := c.all()
	for i := range all {
		if s := &all[i]; s.anyFreed.Load() && c.anyEmptyOf(s) {
			return true
		}
	}
	return false
}

// anyEmptyOf is AnyEmpty for the chunks of one shard.
func (c *Core) anyEmptyOf(s *shard) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.freed) > 0 {
		ch := s.freed[len(s.freed)-1]
		if c.chunks.At(ch.slot) == ch && s.core.Used(ch.slot) == 0 {
			return true
		}
		s.forgetFreed(ch)
	}
	return false
}

// noteFreed notes that a block of a chunk was freed, so the chunk may be empty. The lock of the shard is held.
func (s *shard) noteFreed(ch *chunk) {
	if ch.freed == 0 {
		s.freed = append(s.freed, ch)
		ch.freed = uint32(len(s.freed))
		s.anyFreed.Store(true)
	}
}

// forgetFreed undoes noteFreed. The lock of the shard is held.
func (s *shard) forgetFreed(ch *chunk) {
	if ch.freed == 0 {
		return
	}
	last := s.freed[len(s.freed)-1]
	s.freed[ch.freed-1], last.freed = last, ch.freed
	s.freed[len(s.freed)-1], s.freed = nil, s.freed[:len(s.freed)-1]
	ch.freed = 0
	s.anyFreed.Store(len(s.freed) > 0)
}
