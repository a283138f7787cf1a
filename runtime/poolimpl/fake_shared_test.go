package poolimpl

import (
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// sharedStreamCore is fakeStreamCore for many goroutines, with a lock of its own.
type sharedStreamCore struct {
	mu   sync.Mutex
	core *fakeStreamCore
}

// locked calls f with the lock held.
func (c *sharedStreamCore) locked(f func(core *fakeStreamCore)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.core)
}

func (c *sharedStreamCore) Add(slot uint32, base, size uint64) {
	c.locked(func(core *fakeStreamCore) { core.Add(slot, base, size) })
}

func (c *sharedStreamCore) Remove(slot uint32) { c.Evict(slot) }

func (c *sharedStreamCore) Used(slot uint32) (n uint64) {
	c.locked(func(core *fakeStreamCore) { n = core.Used(slot) })
	return n
}

func (c *sharedStreamCore) Need(bytes, align uint64) uint64 { return c.core.Need(bytes, align) }

func (c *sharedStreamCore) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	c.locked(func(core *fakeStreamCore) { slot, off, ok = core.Alloc(bytes, align) })
	return slot, off, ok
}

func (c *sharedStreamCore) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	return c.Alloc(bytes, align)
}

func (c *sharedStreamCore) Free(addr, bytes uint64) (slot uint32, v Verdict) {
	c.locked(func(core *fakeStreamCore) {
		if _, ok := core.pending[addr]; ok {
			v = Double
			return
		}
		slot, v = core.Free(addr, bytes)
	})
	return slot, v
}

func (c *sharedStreamCore) Undo(addr, bytes uint64) (slot uint32, v Verdict) {
	return c.Free(addr, bytes)
}

func (c *sharedStreamCore) Defer(addr, bytes uint64) (v Verdict) {
	c.locked(func(core *fakeStreamCore) { v = core.Defer(addr, bytes) })
	return v
}

func (c *sharedStreamCore) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	c.locked(func(core *fakeStreamCore) {
		if _, ok := core.pending[addr]; !ok {
			panic("the block is not pending")
		}
		slot, off = core.Reuse(addr, bytes)
	})
	return slot, off
}

func (c *sharedStreamCore) Reclaim(addr, bytes uint64) (slot uint32, v Verdict) {
	c.locked(func(core *fakeStreamCore) {
		if _, ok := core.pending[addr]; !ok {
			panic("the block is not pending")
		}
		slot, v = core.Reclaim(addr, bytes)
	})
	return slot, v
}

func (c *sharedStreamCore) Flush() bool { return false }

func (c *sharedStreamCore) Usage() (u Usage) {
	c.locked(func(core *fakeStreamCore) { u = core.Usage() })
	return u
}

func (c *sharedStreamCore) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.locked(func(core *fakeStreamCore) { core.Walk(slot, from, see) })
}

func (c *sharedStreamCore) Evict(slot uint32) (empty bool) {
	c.locked(func(core *fakeStreamCore) {
		if empty = core.fakeCore.Used(slot) == 0; empty {
			core.Remove(slot)
		}
	})
	return empty
}

func (c *sharedStreamCore) Steal() bool { return false }

func (c *sharedStreamCore) Shut(force bool) (ended bool) {
	c.locked(func(core *fakeStreamCore) {
		if len(core.pending) > 0 && !force {
			panic("blocks are pending")
		}
		if ended = force || core.live == 0; ended {
			*core = fakeStreamCore{fakeCore: fakeCore{emptied: core.emptied}}
		}
	})
	return ended
}
