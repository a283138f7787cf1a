// Package shards makes a suballocator scale with cores: it holds several of them, each with a lock of its own, and gives each processor one.
// So goroutines on different processors take different locks and write to different lines of the cache.
//
// A chunk belongs to one shard. A block goes back to the shard whose chunk it lies in, whoever frees it; the shard is found through a table of
// all chunks that is never changed, only replaced. An allocation starts at the shard of its processor. When that has no room, the slow
// path looks into every other one before the pool grows or fails, and leads the processor on to the one that had some.
package shards

import (
	"math/bits"
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/runtime"
	core "github.com/poolgen/poolgen/templates/classes"
)

// Core is the shards together. It is safe for concurrent use, save that calls that bring or take chunks must not overlap each other. Its zero
// value has no chunks and is ready.
type Core struct {
	table atomic.Pointer[table]
	shape core.Core     // stays empty: what it needs of a chunk, each shard does
	spent runtime.Usage // of shards that were emptied
}

// shard is one suballocator. The space behind it keeps the next one's words off its last line.
type shard struct {
	mu    sync.Mutex
	leads atomic.Uint32 // the shard that had room when this one had none
	core  core.Core
	_     [128]byte
}

// home returns the shard that the caller's processor starts at, locked. If that is taken by somebody else, as when a goroutine was stopped
// there, another one that is not will do.
func (t *table) home() *shard {
	n := runtime.Proc()
	s := &t.shards[t.shards[n%t.count].leads.Load()]
	if s.mu.TryLock() {
		return s
	}
	return t.another(s, n)
}

// another returns a shard near one that is taken, or that one if they all are.
//
//go:noinline
func (t *table) another(taken *shard, n uint32) *shard {
	for k := uint32(1); k <= min(3, t.count-1); k++ {
		s := &t.shards[t.shards[(n+k)%t.count].leads.Load()]
		if s.mu.TryLock() {
			return s
		}
	}
	taken.mu.Lock()
	return taken
}

// Take takes a block of bytes bytes, aligned as every block is, from the shard that the caller's processor starts at.
func (c *Core) Take(bytes uint64) (slot uint32, off uint64, ok bool) {
	t := c.now()
	if t == nil {
		return 0, 0, false
	}
	s := t.home()
	slot, off, ok = s.core.Take(bytes)
	s.mu.Unlock()
	return slot, off, ok
}

// Alloc is Take for an address that is a multiple of align.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	t := c.now()
	if t == nil {
		return 0, 0, false
	}
	s := t.home()
	slot, off, ok = s.core.Alloc(bytes, align)
	s.mu.Unlock()
	return slot, off, ok
}

// Search takes a block of bytes bytes whose address is a multiple of align from any shard that has room, that of the caller's processor
// first.
func (c *Core) Search(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	t := c.now()
	if t == nil {
		return 0, 0, false
	}
	first := runtime.Proc() % t.count
	for k := range t.count {
		n := (first + k) % t.count
		s := &t.shards[n]
		s.mu.Lock()
		slot, off, ok = s.core.Alloc(bytes, align)
		s.mu.Unlock()
		if ok {
			t.shards[first].leads.Store(n)
			break
		}
	}
	return slot, off, ok
}

// Free gives back the block at addr, which was asked for with that many bytes, to the shard that it came from.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	s := c.owner(addr)
	if s == nil {
		return 0, runtime.Foreign
	}
	s.mu.Lock()
	slot, v = s.core.Free(addr, bytes)
	s.mu.Unlock()
	return slot, v
}

// Give is for blocks that a few instructions in the caller can take back. Here there are none.
func (c *Core) Give(_, _ uint64) bool { return false }

// Flush has all shards give back what they keep for one size or class.
func (c *Core) Flush() bool {
	any := false
	c.each(func(s *shard) { any = s.core.Flush() || any })
	return any
}

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, align uint64) uint64 { return c.shape.Need(bytes, align) }

// each calls f with each shard, locked.
func (c *Core) each(f func(*shard)) {
	t := c.now()
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

// processors returns how many shards to make.
func processors() uint32 {
	return min(uint32(1)<<bits.Len32(uint32(rt.GOMAXPROCS(0)-1)), maxShards)
}
