package poolimpl

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// SharingCore is the core of a pool whose blocks can be shared with other processes.
type SharingCore interface {
	Core
	// Lookup returns the verdict that a free of the block would get, and does not free it. If the pool has no free for one block, any range within what was
	// handed out counts as live.
	Lookup(addr, bytes uint64) Verdict
}

// Export calls f with the driver's own pool behind the source, with the lock released. The pool is not closed meanwhile. A pool that has not been used is
// first bound to its device. Package cuda calls Export for shareable pools.
func (e *Engine) Export(f func(pool any) error) error {
	e.lock()
	defer e.unlockAndNotify()
	if err := e.shareable(); err != nil {
		return e.newError("export", err)
	}
	return e.use("export", true, f)
}

// Share calls f with the chunk of a live block of so many bytes, with the lock released. The pool is not closed meanwhile. If f reports that another process
// may use the chunk from now on, the chunk stays until the pool is closed, whatever happens to the block: memory that another process has open must not be
// returned. Share refuses a block that is not live with [poolrt.ErrDoubleFree] or [poolrt.ErrForeign], and a block borrowed from another pool with
// [poolrt.ErrUnsupported]. Package cuda calls Share for shareable pools.
func (e *Engine) Share(addr, bytes uint64, f func(pool any, c Chunk) (used bool, err error)) error {
	if Debug {
		e.observed.debug.flushQuarantine(e) // a block in the quarantine must not be shared
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	err := e.shareable()
	var h hold
	if err == nil {
		h, err = e.hold(addr, bytes)
	}
	if err != nil {
		refused := e.newError("share", err)
		refused.Detail = fmt.Sprintf("address %#x", addr)
		return refused
	}
	used := false
	defer func() { // also if f panics
		if !used {
			h.end(e)
		}
	}()
	pool := e.memory.Driver
	e.activity.visit(func() { used, err = f(pool, h.chunk) })
	if err != nil {
		return e.newError("share", err)
	}
	if Debug {
		e.observed.debug.noteShared(addr * e.observed.debug.apart())
	}
	return nil
}

// shareable returns why the pool cannot share anything, nil if it can.
func (e *Engine) shareable() error {
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case e.config.Imported:
		return errImportedMemory
	}
	return nil
}

// errImportedMemory refuses to share memory of another process.
var errImportedMemory = &causedBy{poolrt.ErrUnsupported, errors.New("the memory belongs to another process, and only that process can share it")}

// errBorrowed refuses to share a block of another pool.
var errBorrowed = &causedBy{poolrt.ErrUnsupported, errors.New("the block was borrowed from another pool by the rung pool")}

// hold prevents the chunk of a block from being returned.
type hold struct {
	chunk  Chunk
	slot   uint32
	direct bool // the chunk is that of a direct block, and has no slot
	driver bool // it is a block of the driver, likewise
}

// hold places a hold on the chunk of a live block, so that the chunk stays.
func (e *Engine) hold(addr, bytes uint64) (hold, error) {
	var v Verdict
	var b driverBlock
	switch {
	case e.core.driver != nil:
		b, v = e.core.driver.hold(addr, bytes)
	case e.core.sharing != nil:
		v = e.core.sharing.Lookup(addr, bytes)
	default:
		return hold{}, poolrt.ErrUnsupported
	}
	switch {
	case v == Foreign:
		return e.foreign.hold(addr, bytes)
	case v == Double:
		return hold{}, poolrt.ErrDoubleFree
	case e.core.driver != nil:
		return hold{chunk: b.chunk(), driver: true}, nil
	}
	slot, ok := e.chunks.find(addr)
	if !ok {
		return hold{}, poolrt.ErrForeign
	}
	e.chunks.cold[slot].shares++
	return hold{chunk: e.chunks.hot[slot], slot: slot}, nil
}

// end ends a hold on a chunk that no other process uses. If the chunk should have been returned meanwhile, it is returned now.
func (h hold) end(e *Engine) {
	if h.driver {
		e.core.driver.endHold(e, h.chunk.Addr)
		return
	}
	if h.direct {
		if back := e.foreign.direct.letGo(h.chunk); back != nil {
			_, _ = e.freeDirect(back)
		}
		return
	}
	if !e.chunks.holds(h.slot) || e.chunks.hot[h.slot].Addr != h.chunk.Addr { // the pool was closed
		return
	}
	e.chunks.cold[h.slot].shares--
	if e.config.Direct || e.life.trim.onFree() != nil {
		e.memory.layout.emptied(vacancy{h.slot, h.chunk.Addr, uint64(h.chunk.Size)})
	}
}
