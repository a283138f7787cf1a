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
		slot, v := p.core.Free(mem.Addr(r), mem.ItemSize)
		if v == poolimpl.Freed && !p.engine.HasWaiters() {
			return nil
		}
		return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
	} else {
		if poolimpl.Observed {
			return p.freeSlow(r)
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		ok := p.core.FreeFast(mem.Addr(r))
		if exclusive {
			if p.engine.HasWaiters() {
				p.engine.ServeWaiters()
			}
			p.engine.Unlock()
		}
		if ok {
			return nil
		}
		return p.freeSlow(r)
	}
}

// freeSlow frees a block that the fast path could not free, or refuses it.
//
//go:noinline
//poolgen:if !feature.Sharded
func (p *Pool) freeSlow(r mem.Ref) error {
	if poolimpl.Observed {
		return p.ready().Free(mem.Place(r), mem.ItemSize)
	}
	if exclusive {
		p.engine.Lock()
	}
	slot, v := p.core.Free(mem.Addr(r), mem.ItemSize)
	if exclusive {
		p.engine.UnlockFreed()
	}
	if v == poolimpl.Freed {
		return nil
	}
	return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
}
