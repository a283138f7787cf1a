package poolimpl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// freeGuarded frees a block if it is guarded, or refuses the free of what is a part of one. known is false for any other address. The caller does not hold e.mu.
func (e *Engine) freeGuarded(addr, bytes uint64) (known bool, err error) {
	if s := e.generated.Sampling; s != nil {
		return s.freeGuarded(e, addr, bytes)
	}
	return false, nil
}

func (s *Sampling) freeGuarded(e *Engine, addr, bytes uint64) (known bool, err error) {
	if s.PerBlock == 0 {
		return false, nil
	}
	e.lock()
	seat, v, detail := e.guards.free(addr, bytes)
	switch {
	case v == Foreign && detail == "":
		e.unlock()
		return false, nil
	case v == Foreign:
		defer e.unlockAndNotify()
		return true, e.refuseFree(poolrt.ErrForeign, addr, detail)
	case v == Double:
		defer e.unlockAndNotify()
		return true, e.refuseFree(poolrt.ErrDoubleFree, addr, detail)
	}
	slot, v := e.core.Free(seat, bytes)
	if v == Freed && detail == "" && !e.HasWaiters() {
		e.unlock()
		return true, nil
	}
	defer e.unlockAndNotify()
	defer e.wakeNext()
	err = e.follow(slot, v, seat, bytes, nil)
	if detail != "" {
		wrong := e.newError("free", poolrt.ErrCorrupt)
		wrong.Detail = detail
		e.queueEvent(poolrt.EventCorrupt, 0, wrong)
		err = Join(wrong, err)
	}
	return true, err
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
	switch {
	case addr < b.addr:
		return fmt.Sprintf(" is %d before a guarded block", b.addr-addr)
	case addr >= b.addr+b.bytes:
		return fmt.Sprintf(" is byte %d of a guarded block of %d", addr-b.addr, b.bytes)
	case b.freed():
		return fmt.Sprintf(" is byte %d of a guarded block that was freed", addr-b.addr)
	}
	return fmt.Sprintf(" is byte %d of a guarded block", addr-b.addr)
}

// part says why a free of an address with a length is not that of the block.
func (b *guardedBlock) part(addr, bytes uint64) string {
	if addr == b.addr {
		return fmt.Sprintf(", freed with %d bytes: the block that begins there was handed out with another length"+wholeSlice, int64(bytes))
	}
	return b.place(addr)
}

// text describes a block and the calls that allocated and freed it.
func (b *guardedBlock) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n  guarded block at %#x of %d bytes", b.addr, b.bytes)
	b.allocatedAt.write(&s, "handed out")
	if b.freed() {
		b.freedAt.write(&s, "freed")
	}
	return s.String()
}

// annotate adds to the pieces of a chunk that are the places of guarded blocks when these were handed out, and by which calls.
func (g *guards) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for _, b := range g.live {
		i, ok := slices.BinarySearchFunc(pieces, b.seat.Addr, func(p poolrt.Piece, at uint64) int { return cmp.Compare(base+p.Off, at) })
		if ok && pieces[i].State == poolrt.PieceLive {
			pieces[i].Since, pieces[i].Site = now.Add(-now.Sub(b.allocatedAt.time)).UnixNano(), sites.Of(b.allocatedAt.stack)
		}
	}
}
