package item

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Free frees a block. What is not a live block of this pool is refused with poolrt.ErrInvalidFree, or poolrt.ErrClosed after Close.
//
//go:nosplit
func (p *Pool) Free(r mem.Ref) error {
	if feature.Sharded {
		if poolimpl.Observed {
			return p.ready().Free(mem.Place(r), mem.ItemSize)
		}
		if profiled {
			if p.engine.Sampled(mem.Place(r)) {
				return p.freeSampled(r)
			}
		}
		if feature.Owns {
			if p.core.IsOwning() {
				n := poolimpl.Pin()
				m, word := p.core.Own(n)
				ok := word != nil && p.core.FreeOwn(m, word, mem.Addr(r)-m.Base.Load())
				poolimpl.Unpin()
				if ok && !p.engine.HasWaiters() {
					return nil
				}
				if ok {
					return p.ready().FreeSlow(0, poolimpl.Freed, mem.Addr(r), mem.ItemSize)
				}
			}
		}
		slot, v := p.core.Free(mem.Addr(r), mem.ItemSize)
		if v == poolimpl.Freed && !p.engine.HasWaiters() {
			return nil
		}
		return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
	} else {
		if poolimpl.Observed {
			return p.ready().Free(mem.Place(r), mem.ItemSize)
		}
		if profiled {
			if p.engine.Sampled(mem.Place(r)) {
				return p.freeSampled(r)
			}
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
			slot, v := uint32(0), poolimpl.Freed
			if !p.core.FreeFast(mem.Addr(r)) {
				slot, v = p.core.Common().Free(mem.Addr(r), mem.ItemSize)
			}
			if p.engine.HasWaiters() {
				p.engine.ServeWaiters()
			}
			p.engine.Unlock()
			if v == poolimpl.Freed {
				return nil
			}
			return p.freeRest(r, slot, v)
		}
		if p.core.FreeFast(mem.Addr(r)) {
			return nil
		}
		slot, v := p.core.Common().Free(mem.Addr(r), mem.ItemSize)
		if v == poolimpl.Freed {
			return nil
		}
		return p.freeRest(r, slot, v)
	}
}

// freeSampled frees a block that may be sampled.
//
//go:noinline
//poolgen:if profiled
func (p *Pool) freeSampled(r mem.Ref) error { return p.ready().Free(mem.Place(r), mem.ItemSize) }

// freeRest does what is left of a free that the suballocator refused, or that emptied a chunk.
//
//go:noinline
//poolgen:if !feature.Sharded
func (p *Pool) freeRest(r mem.Ref, slot uint32, v poolimpl.Verdict) error {
	return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
}
