package poolimpl

import (
	"errors"
	"sync/atomic"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A block is cleared after the core has handed it out. Others must not free it meanwhile, with all blocks at once: its place would be handed out again, and
// cleared under its new owner, or be gone. So callers that clear are counted, and whoever frees all blocks, or lets the memory go, waits for them in
// awaitClears. A block is taken and its caller counted under one lock, but for the fast path of a [SharedCore]: there the caller is counted before it takes a
// block, unless someone waits.

// clearing counts the callers that clear blocks. If blocks are cleared by Go code, chunks has what was handed out of each.
type clearing struct {
	callers int // that clear with the lock released
	chunks  ChunkMap[clearedChunk]
	fast    *counters // of the callers on the fast path of a shared core
	// fast; nil while someone waits for them, and of a closed pool: they take the slow path then
	open atomic.Pointer[counters]

	activity *activity
}

// counters are one for each processor, in cache lines of its own: processors fetch lines in pairs. A caller may
// be counted in one and leave another, so only their sum has a meaning.
type counters struct {
	_  [128]byte // which all callers read, as the compiler checks whether the pointer is nil
	of [64]struct {
		n atomic.Int64
		_ [120]byte
	}
}

// own returns the counter of the caller's processor.
func (c *counters) own() *atomic.Int64 { return &c.of[Proc()%uint32(len(c.of))].n }

// clearedChunk is a chunk of host memory. What lies behind the blocks that were handed out is as zero as the
// source has supplied it. To clear it would take time, and make its pages resident.
type clearedChunk struct {
	base, size uint64
	used       atomic.Uint64 // offset behind the last byte that was ever handed out
}

// use notes that n bytes from an offset on are handed out, and returns how many of them may not be zero.
func (c *clearedChunk) use(off, n uint64) uint64 {
	for {
		used := c.used.Load()
		if used >= off+n {
			return n
		}
		if c.used.CompareAndSwap(used, off+n) {
			return max(used, off) - off
		}
	}
}

// ClearedLocked is how many bytes are cleared with the lock held: that takes little longer than to release the lock and to take it again.
const ClearedLocked = 4 << 10

// clearMemory clears memory. Tests replace it.
var clearMemory = func(b []byte) { clear(b) }

// Used reports whether all bytes of a block were handed out before. Then the caller may clear up to ClearedLocked bytes itself, in place of Clear. In a pool
// with several chunks it does not know that. Used is inlined.
func (c *clearing) Used(p unsafe.Pointer, bytes uint64) bool {
	x := c.chunks.only()
	return x != nil && Place(p)-x.base+bytes <= x.used.Load()
}

// Clear clears a block that the core has just handed out. Part of the fast path: the caller holds e.mu, which is released meanwhile if that takes long. If the
// core is shared, the caller is between BeginClear and EndClear instead.
func (e *Engine) Clear(p unsafe.Pointer, bytes uint64) {
	b := e.clearing.unclear(p, bytes)
	if e.core.shared == nil {
		e.clearing.clearLocked(b)
	} else {
		clearMemory(b)
	}
}

// clearLocked clears memory. The lock is released meanwhile if that takes long.
func (c *clearing) clearLocked(b []byte) {
	if len(b) > ClearedLocked {
		c.whileClearing(func() { clearMemory(b) })
	} else {
		clearMemory(b)
	}
}

// unclear returns the part of a block that may not be zero. In debug builds that is all, as there are red zones in what was not handed out.
func (c *clearing) unclear(p unsafe.Pointer, bytes uint64) []byte {
	if x := c.chunks.Find(Place(p)); !Debug && x != nil && Place(p)-x.base < x.size {
		bytes = x.use(Place(p)-x.base, bytes)
	}
	return unsafeBytes(p, int64(bytes))
}

// come notes a chunk. fresh: nothing of it was handed out, and it is zero.
func (c *clearing) come(slot uint32, chunk Chunk, fresh bool) {
	x := &clearedChunk{base: chunk.Addr, size: uint64(chunk.Size)}
	if !fresh {
		x.used.Store(x.size)
	}
	c.chunks.Add(slot, x.base, x.size, x)
}

// BeginClear begins an allocation of a block that the caller will clear, in a pool whose core is shared. It reports false if the request has to take the slow
// path. The caller does not hold e.mu; likewise for EndClear.
func (c *clearing) BeginClear() bool {
	open := c.open.Load()
	if open == nil {
		return false
	}
	n := open.own()
	if n.Add(1); c.open.Load() == open {
		return true
	}
	c.endClear(n)
	return false
}

// EndClear ends what BeginClear began.
func (c *clearing) EndClear() { c.endClear(c.fast.own()) }

func (c *clearing) endClear(n *atomic.Int64) {
	if n.Add(-1); c.open.Load() == nil { // someone waits
		c.activity.lock.lock()
		c.activity.wakeIdle()
		c.activity.lock.unlock()
	}
}

// any reports whether a caller is clearing a block. From now on, none begins on the fast path.
func (c *clearing) any() bool {
	n := int64(c.callers)
	if c.fast != nil {
		c.open.Store(nil)
		for i := range c.fast.of {
			n += c.fast.of[i].n.Load()
		}
	}
	return n > 0
}

// awaitClears waits until no caller is clearing a block, and reports whether it had to. Until the lock is
// released, none begins; on the fast path, none begins until admitClears.
func (c *clearing) awaitClears() (waited bool) {
	for !c.activity.lock.none && c.any() {
		c.activity.sleepIdle()
		waited = true
	}
	return waited
}

// admitClears ends awaitClears.
func (e *Engine) admitClears() {
	if !e.life.closed {
		e.clearing.open.Store(e.clearing.fast)
	}
}

// whileClearing calls f, which clears blocks, with the lock released.
func (c *clearing) whileClearing(f func()) {
	c.callers++
	defer func() {
		c.callers--
		c.activity.wakeIdle()
	}()
	c.activity.lock.unlocked(f)
}

// clearEach has the device clear n blocks of bytes bytes each, in the order of the stream or, without one, at
// once: it waits once for all of them, as waiting takes longer than clearing. The lock is released meanwhile.
func (e *Engine) clearEach(n int, bytes uint64, s *Stream, addr func(i int) uint64) (err error) {
	m := e.memory.Bound
	switch {
	case m.Zero == nil:
		return poolrt.ErrClosed
	case e.streams.resting:
		return poolrt.ErrAsleep
	}
	e.clearing.whileClearing(func() {
		for i := 0; i < n && err == nil; i++ {
			c := e.observed.debug.placed(addr(i), bytes)
			if s != nil {
				err = m.ZeroOn(*s, c)
			} else {
				err = m.Zero(c)
			}
		}
		if s == nil {
			err = errors.Join(err, m.Zeroed())
		}
	})
	return err
}
