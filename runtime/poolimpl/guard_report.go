package poolimpl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// freeGuarded frees a block if it is guarded, or refuses the free of what is a part of one. known is false for any other address. The caller does not hold e.mu.
func (e *Engine) freeGuarded(addr, bytes uint64) (known bool, err error) {
	if s := e.generated.Sampling; s == nil || s.PerBlock == 0 {
		return false, nil
	}
	e.lock()
	b, v, damage := e.guards.free(addr, bytes)
	switch {
	case b == nil:
		e.unlock()
		return false, nil
	case v != Freed:
		defer e.unlockAndNotify()
		return true, e.refuseGuarded(b, v, addr, bytes)
	}
	slot, v := e.core.Free(b.seat.Addr, bytes)
	if v == Freed && damage == "" && !e.HasWaiters() {
		e.unlock()
		return true, nil
	}
	defer e.unlockAndNotify()
	defer e.wakeNext()
	err = e.follow(slot, v, b.seat.Addr, bytes, nil)
	if damage != "" {
		wrong := e.newError("free", poolrt.ErrCorrupt)
		wrong.Detail = damage + b.text()
		e.queueEvent(poolrt.EventCorrupt, 0, wrong)
		err = Join(wrong, err)
	}
	return true, err
}

// refuseGuarded returns the error of a free that is not that of a guarded block, but has a part of it or was made before.
func (e *Engine) refuseGuarded(b *guardedBlock, v Verdict, addr, bytes uint64) error {
	if v == Double {
		return e.refuseFree(poolrt.ErrDoubleFree, addr, b.text())
	}
	return e.refuseFree(poolrt.ErrForeign, addr, b.part(addr, bytes)+b.text())
}

// Fault returns the error of a fault at an address in the pages of a guarded block or beside them; nil for any other address. The caller may hold e.mu or not. The
// error has no figures of the pool, which another goroutine may be using.
func (e *Engine) Fault(addr uint64) *poolrt.PoolError {
	e.guards.mu.Lock()
	defer e.guards.mu.Unlock()
	b := e.guards.reaching(addr)
	if b == nil {
		return nil
	}
	return &poolrt.PoolError{Pool: e.name.get(), Op: "use", Err: poolrt.ErrFault, Detail: fmt.Sprintf("address %#x", addr) + b.place(addr) + b.text(), Unit: "none"}
}

// place says where an address lies in relation to a block.
func (b *guardedBlock) place(addr uint64) string {
	switch freed := b.freedAt.stack != nil; {
	case addr < b.addr:
		return fmt.Sprintf(" is %d before a guarded block", b.addr-addr)
	case addr >= b.addr+b.bytes:
		return fmt.Sprintf(" is byte %d of a guarded block of %d", addr-b.addr, b.bytes)
	case freed:
		return fmt.Sprintf(" is byte %d of a guarded block that was freed", addr-b.addr)
	}
	return fmt.Sprintf(" is byte %d of a guarded block", addr-b.addr)
}

// part says why a free of an address with a length is not that of the block.
func (b *guardedBlock) part(addr, bytes uint64) string {
	if addr == b.addr {
		return fmt.Sprintf(", freed with %d bytes: the block that begins there was handed out with another length", int64(bytes))
	}
	return b.place(addr)
}

// text describes a block and the calls that allocated and freed it.
func (b *guardedBlock) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n  guarded block at %#x of %d bytes", b.addr, b.bytes)
	b.allocatedAt.write(&s, "handed out")
	if b.freedAt.stack != nil {
		b.freedAt.write(&s, "freed")
	}
	return s.String()
}

// annotate adds to the pieces of a chunk that are the places of guarded blocks when these were handed out, and by which calls.
func (g *guards) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, b := range g.live {
		i, ok := slices.BinarySearchFunc(pieces, b.seat.Addr, func(p poolrt.Piece, at uint64) int { return cmp.Compare(base+p.Off, at) })
		if ok && pieces[i].State == poolrt.PieceLive {
			pieces[i].Since, pieces[i].Site = b.allocatedAt.time.UnixNano(), sites.Of(b.allocatedAt.stack)
		}
	}
}
