// Package shards makes a suballocator scale with processors: it has several instances, the shards, each with a lock of its own, and gives each
// processor one. So goroutines on different processors take different locks and write to different cache lines.
//
// A chunk belongs to one shard. A block goes back to the shard of its chunk, whichever goroutine frees it. An allocation starts at the shard of its processor. If that has no room, the slow path tries all others before the
// pool grows or fails. The processor then starts at the shard that had room.
package shards

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is all shards. It is safe for concurrent use, except that calls of Add, Remove, Evict, Steal, AnyEmpty and Shut must not overlap each other. The zero
// value has no chunks and is ready for use.
type Core struct {
	shards atomic.Pointer[[]shard] // nil before the first chunk; its length is a power of two
	chunks poolimpl.ChunkMap[chunk]
	// homes has the shard that each processor starts at: its own, or the one that had room when its own had none. All are nil before the first chunk.
	homes   [maxShards]atomic.Pointer[shard]
	params  Params
	empty   func() Behind                  // returns an empty suballocator, without parameters
	shape   Behind                         // without chunks, for Need alone
	retired atomic.Pointer[poolimpl.Usage] // counts of the shards before Shut; nil before
	early   poolimpl.Early
}

// shard is one suballocator. The padding keeps the next shard off its last cache line, and off the line that processors fetch with it.
type shard struct {
	mu        sync.Mutex
	core      Behind
	stream    poolimpl.StreamCore // core, if it is one
	freed     []*chunk            // those of which a block was freed since Steal or AnyEmpty looked at them
	anyFreed  atomic.Bool         // len(freed) > 0, for readers without mu
	used      atomic.Bool         // it has had a chunk; if not, there is nothing in it
	countdown poolimpl.Countdown  // AllocFast spends of it with the lock held
	_         [128]byte
}

// procIndex returns the index in homes of the caller's processor.
func procIndex() uint32 { return poolimpl.Proc() % maxShards }

// home locks and returns the shard that the caller's processor starts at, or nil before the first chunk. If the shard is locked, home waits instead
// of trying another one: a free of the block would then contend for the lock of that shard.
func (c *Core) home() *shard {
	s := c.homes[procIndex()].Load()
	if s != nil && !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	return s
}

// AllocFast allocates a block of bytes bytes, aligned as all blocks are, from the shard that the caller's processor starts at. It waits for the lock of
// the shard.
//
// If blocks are sampled, it fails if the block is to be sampled.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	s := c.homes[procIndex()].Load() // a copy of home, which the compiler does not inline
	if s == nil {
		c.early.Note(bytes)
		return 0, 0, false
	}
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	if c.params.Samples.Any() && s.countdown.Spend(c.params.Samples.Of(bytes)) {
		s.mu.Unlock()
		return 0, 0, false
	}
	slot, off, ok = s.core.AllocFast(bytes)
	s.mu.Unlock()
	return slot, off, ok
}

// Alloc allocates a block of bytes bytes at a multiple of align from the shard that the caller's processor starts at.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	s := c.home()
	if s == nil {
		return 0, 0, false
	}
	slot, off, ok = s.core.Alloc(bytes, align)
	s.mu.Unlock()
	return slot, off, ok
}

// AllocAny allocates a block of bytes bytes at a multiple of align from any shard. It tries that which the caller's processor starts at first, and then the
// others. Costs one lock for each that has had a chunk.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	first := procIndex()
	home := c.homes[first].Load()
	if home == nil {
		return 0, 0, false
	}
	if slot, off, ok = home.alloc(bytes, align); ok {
		return slot, off, true
	}
	for k := range uint32(len(c.all())) {
		s := c.shard(first + k)
		if s == home || !s.used.Load() {
			continue
		}
		if slot, off, ok = s.alloc(bytes, align); ok {
			c.homes[first].Store(s)
			return slot, off, true
		}
	}
	return 0, 0, false
}

// alloc allocates a block from a shard.
func (s *shard) alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Alloc(bytes, align)
}

// AllocOrCount is AllocAny after Flush. If it finds no block, it returns what Usage does, with the same lock of each shard.
func (c *Core) AllocOrCount(bytes, align uint64) (slot uint32, off uint64, u poolimpl.Usage, ok bool) {
	first := procIndex()
	u = c.before()
	for k := range uint32(len(c.all())) {
		s := c.shard(first + k)
		if !s.used.Load() {
			continue
		}
		s.mu.Lock()
		slot, off, ok = s.core.Alloc(bytes, align)
		for !ok && s.core.Flush() {
			slot, off, ok = s.core.Alloc(bytes, align)
		}
		if !ok {
			u = addUsage(u, s.core.Usage())
		}
		s.mu.Unlock()
		if ok {
			c.homes[first].Store(s)
			break
		}
	}
	return slot, off, u, ok
}

// Free frees the block at addr, which was allocated with a length of bytes bytes, in its shard.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunkOf(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	s := ch.shard
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	slot, v = s.core.Free(addr, bytes)
	if v <= poolimpl.Emptied {
		s.noteFreed(ch)
	}
	s.mu.Unlock()
	return slot, v
}

// Undo is Free for a block that no caller has received: the allocation does not count. A new peak stays.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunkOf(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	s := ch.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot, v = s.core.Undo(addr, bytes); v <= poolimpl.Emptied {
		s.noteFreed(ch)
	}
	return slot, v
}

// Flush flushes all shards, and reports whether any had cached blocks.
func (c *Core) Flush() bool {
	any := false
	c.each(func(s *shard) { any = s.core.Flush() || any })
	return any
}

// Need returns the size of a chunk that is sure to serve a request, or 0 if no chunk could.
func (c *Core) Need(bytes, align uint64) uint64 { return c.shape.Need(bytes, align) }

// each calls f with each shard that has had a chunk. The lock of the shard is held meanwhile.
func (c *Core) each(f func(*shard)) {
	all := c.all()
	for i := range all {
		s := &all[i]
		if !s.used.Load() {
			continue
		}
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}
