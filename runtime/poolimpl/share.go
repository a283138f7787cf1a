package poolimpl

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// SharingCore is the core of a pool whose blocks can be shared with other processes: it tells which blocks are live.
type SharingCore interface {
	Core
	// Lookup returns the verdict that a free of the block would get, and leaves the block as it is. Where blocks are not freed one by one, all that
	// lies in what was handed out is live.
	Lookup(addr, bytes uint64) Verdict
}

// Export calls f with the driver's pool behind the pool, with the lock released, and keeps the pool from being closed meanwhile. A pool that was not
// used is bound to its device before. Package cuda calls Export for shareable pools.
func (e *Engine) Export(f func(pool any) error) error {
	e.lock()
	defer e.unlockAndNotify()
	if err := e.shareable(); err != nil {
		return e.newError("export", err)
	}
	return e.use("export", true, f)
}

// Share calls f with the chunk that a live block of so many bytes lies in, with the lock released, and keeps the pool from being closed meanwhile. If f
// reports that another process may use the chunk from now on, the chunk stays until the pool is closed, whatever becomes of the block: memory that
// another process has open must not be given back. Share refuses a block that is not live with [poolrt.ErrDoubleFree] or [poolrt.ErrForeign], and one that another
// pool lent with [poolrt.ErrUnsupported]. Package cuda calls Share for shareable pools.
func (e *Engine) Share(addr, bytes uint64, f func(pool any, c Chunk) (used bool, err error)) error {
	if Debug {
		e.observed.debug.flushQuarantine(e) // what is in the quarantine cannot be shared
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
	defer func() { // also when f panics
		if !used {
			e.letGo(h)
		}
	}()
	err = e.activity.visit(&e.poolLock, e.memory.Driver, func(pool any) (err error) {
		used, err = f(pool, h.chunk)
		return err
	})
	if err != nil {
		return e.newError("share", err)
	}
	if Debug {
		e.observed.debug.noteShared(addr * e.observed.debug.apart())
	}
	return nil
}

// shareable says why the pool can never share anything.
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
var errImportedMemory = &causedBy{poolrt.ErrUnsupported, errors.New("the memory is another process's, which has to share it")}

// errBorrowed refuses to share a block that another pool lent.
var errBorrowed = &causedBy{poolrt.ErrUnsupported, errors.New("the block came from another pool, of the rung pool")}

// hold keeps the chunk of a block with the pool.
type hold struct {
	chunk  Chunk
	slot   uint32
	direct bool // the chunk is a direct block, and has no slot
}

// hold makes a hold on the chunk of a live block.
func (e *Engine) hold(addr, bytes uint64) (hold, error) {
	if e.core.sharing == nil {
		return hold{}, poolrt.ErrUnsupported
	}
	switch e.core.sharing.Lookup(addr, bytes) {
	case Foreign:
		return e.foreign.hold(addr, bytes)
	case Double:
		return hold{}, poolrt.ErrDoubleFree
	}
	slot, ok := e.chunks.find(addr)
	if !ok {
		return hold{}, poolrt.ErrForeign
	}
	e.chunks.cold[slot].shares++
	return hold{chunk: e.chunks.hot[slot], slot: slot}, nil
}

// hold makes a hold on the memory of a direct block.
func (f *foreign) hold(addr, bytes uint64) (hold, error) {
	b, known := f.blocks[addr]
	switch {
	case !known || b.bytes != 0 && b.bytes != bytes:
		return hold{}, poolrt.ErrForeign
	case b.bytes == 0:
		return hold{}, poolrt.ErrDoubleFree
	case b.lender != nil:
		return hold{}, errBorrowed
	}
	d := &f.direct
	if d.shares == nil {
		d.shares = make(map[uint64]int)
	}
	d.shares[b.chunk.Addr]++
	return hold{chunk: b.chunk, direct: true}, nil
}

// letGo ends a hold: nobody else got to know the chunk. The chunk goes back if it would have gone meanwhile.
func (e *Engine) letGo(h hold) {
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
	if e.config.Direct || e.config.Trim.onFree() != nil {
		e.memory.layout.emptied(vacancy{h.slot, h.chunk.Addr, uint64(h.chunk.Size)})
	}
}

// letGo ends a hold of a direct block, and returns its memory if that is to go back now.
func (d *direct) letGo(c Chunk) []Chunk {
	if d.shares[c.Addr]--; d.shares[c.Addr] > 0 {
		return nil
	}
	delete(d.shares, c.Addr)
	for i, k := range d.kept {
		if k.Addr == c.Addr {
			d.kept = append(d.kept[:i], d.kept[i+1:]...)
			return []Chunk{k}
		}
	}
	return nil
}
