// Package shards makes a suballocator scale with cores: it holds several of them, each with a lock of its own, and gives each processor one.
// So goroutines on different processors take different locks and write to different lines of the cache.
//
// A chunk belongs to one shard. A block goes back to the shard whose chunk it lies in, whichever goroutine frees it; the shard is found through a table of
// all chunks that is never changed, only replaced. An allocation starts at the shard of its processor. When that has no room, the slow
// path looks into every other one before the pool grows or fails, and leads the processor on to the one that had some.
package shards

import (
	"math/bits"
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	core "github.com/poolgen/poolgen/templates/classes"
)

// Core is the shards together. It is safe for concurrent use, except that calls that bring or take chunks must not overlap each other. Its zero
// value has no chunks and is ready.
type Core struct {
	table atomic.Pointer[table]
	// homes is where each processor starts, nil before the first chunk: its own shard, or the one that had room when that had none.
	homes   [maxShards]atomic.Pointer[shard]
	shape   core.Core      // stays empty: what it needs of a chunk, each shard does
	retired poolimpl.Usage // of shards that were emptied
}

// shard is one suballocator. The space behind it keeps the next one's words off its last line.
type shard struct {
	mu   sync.Mutex
	core core.Core
	_    [128]byte
}

// procIndex is the number of the caller's processor among the homes.
func procIndex() uint32 { return poolimpl.Proc() % maxShards }

// home locks the shard that the caller's processor starts at; nil before the first chunk. Where that is taken, it waits: a block from another shard
// would make others wait there when it is freed.
func (c *Core) home() *shard {
	s := c.homes[procIndex()].Load()
	if s != nil && !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	return s
}

// AllocFast takes a block of bytes bytes, aligned as every block is, from the shard that the caller's processor starts at.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	s := c.homes[procIndex()].Load() // this is home, which is too long to become part of its callers
	if s == nil {
		return 0, 0, false
	}
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	slot, off, ok = s.core.AllocFast(bytes)
	s.mu.Unlock()
	return slot, off, ok
}

// Alloc takes a block of bytes bytes whose address is a multiple of align from the shard that the caller's processor starts at.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	s := c.home()
	if s == nil {
		return 0, 0, false
	}
	slot, off, ok = s.core.Alloc(bytes, align)
	s.mu.Unlock()
	return slot, off, ok
}

// AllocAny takes a block of bytes bytes whose address is a multiple of align from any shard that has room, that of the caller's processor
// first.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	t := c.load()
	if t == nil {
		return 0, 0, false
	}
	first := procIndex()
	for k := range t.count {
		s := t.shard(first + k)
		s.mu.Lock()
		slot, off, ok = s.core.Alloc(bytes, align)
		s.mu.Unlock()
		if ok {
			c.homes[first].Store(s)
			break
		}
	}
	return slot, off, ok
}

// Free frees the block at addr, of a request for that many bytes, in the shard that it came from.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.owner(addr)
	if s == nil {
		return 0, poolimpl.Foreign
	}
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	slot, v = s.core.Free(addr, bytes)
	s.mu.Unlock()
	return slot, v
}

// Undo is Free for a block that no caller has received: it does not count as handed out. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.owner(addr)
	if s == nil {
		return 0, poolimpl.Foreign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Undo(addr, bytes)
}

// FreeFast is for blocks that a few instructions in the caller can take back. Here there are none.
func (c *Core) FreeFast(_, _ uint64) bool { return false }

// Flush flushes all shards.
func (c *Core) Flush() bool {
	any := false
	c.each(func(s *shard) { any = s.core.Flush() || any })
	return any
}

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, align uint64) uint64 { return c.shape.Need(bytes, align) }

// each calls f with each shard, locked.
func (c *Core) each(f func(*shard)) {
	t := c.load()
	if t == nil {
		return
	}
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

// processors returns how many shards to make: enough for all processors that Go may be told to use one day.
func processors() uint32 {
	n := max(rt.GOMAXPROCS(0), rt.NumCPU())
	return min(uint32(1)<<bits.Len32(uint32(n-1)), maxShards)
}
