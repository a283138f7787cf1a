package poolimpl

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

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
		e.figures.queueEvent(poolrt.EventCorrupt, 0, wrong)
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
