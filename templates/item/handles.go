package item

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Handles // the condition of the declarations below

// Handle stands for one life of a block: the number of the block, counted from 0, in its 32 low bits, and above it a generation. A handle whose block was
// freed, in whatever way, is refused from then on, also after the block is handed out again. It is a value that can be copied, compared and stored. The zero
// Handle stands for no block.
//
//poolgen:if feature.Handles
type Handle uint64

// AllocHandle is like Alloc, and also returns a handle of the block.
//
//go:nosplit
//poolgen:if feature.Handles
func (p *Pool) AllocHandle() (h Handle, r mem.Ref, err error) {
	if fast {
		if poolimpl.Observed {
			return p.allocHandleSlow()
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		if counts {
			if p.engine.Spend(weight) {
				p.engine.Return(1, weight) // Alloc counts the request
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocHandleSlow()
			}
		}
		slot, off, ok := p.core.AllocFast()
		if !ok {
			if counts {
				p.engine.Return(1, weight)
			}
			if exclusive {
				p.engine.Unlock()
			}
			return p.allocHandleSlow()
		}
		h = Handle(p.core.Handle(off))
		r = mem.At(&p.engine, slot, off)
		if feature.ZeroAlways {
			mem.Zero(&p.engine, r)
		}
		if exclusive {
			p.engine.Unlock()
		}
		return h, r, nil
	} else {
		return p.allocHandleSlow()
	}
}

// allocHandleSlow is AllocHandle for a block that the fast path does not find.
//
//go:noinline
//poolgen:if feature.Handles
func (p *Pool) allocHandleSlow() (h Handle, r mem.Ref, err error) {
	if r, err = p.Alloc(); err != nil {
		return 0, r, err
	}
	base, _ := p.engine.OnlyChunk()
	return Handle(p.core.Handle(mem.Addr(r) - base)), r, nil
}

// Get returns the block of a handle, and reports false if that block was freed. It takes no lock. The block must not be freed while the caller uses it. A handle
// that is not of this pool may fit a block here, live or free.
//
//go:nosplit
//poolgen:if feature.Handles
func (p *Pool) Get(h Handle) (r mem.Ref, ok bool) {
	if !p.core.Fits(uint64(h)) {
		return // "return r, false" costs so much more that Get would not be inlined
	}
	if poolimpl.Debug {
		return p.found(h)
	}
	return mem.OnlyAt(&p.engine, p.core.HandleOffset(uint64(h))), true
}

// found returns the block of a handle if the block is live. In programs built with the tag pooldebug, a block keeps its generation while it is in the
// quarantine. The block that is live may be a later one there, unless the handle still fits.
//
//poolgen:if feature.Handles
func (p *Pool) found(h Handle) (live mem.Ref, ok bool) {
	b, err := p.ready().Find(mem.Place(mem.OnlyAt(&p.engine, p.core.HandleOffset(uint64(h)))), mem.ItemSize)
	if err != nil || !p.core.Fits(uint64(h)) {
		return live, false
	}
	return mem.Of(b), true
}

// FreeHandle frees the block of a handle. A handle whose block was freed is refused with poolrt.ErrDoubleFree, and so is any other one that fits a free block.
// One that no block has had yet is refused with poolrt.ErrForeign, and any handle after Close with poolrt.ErrClosed.
//
//go:nosplit
//poolgen:if feature.Handles
func (p *Pool) FreeHandle(h Handle) error {
	if poolimpl.Observed {
		return p.freeHandleSlow(h)
	}
	if profiled {
		base, _ := p.engine.OnlyChunk()
		if p.engine.Sampled(base + p.core.HandleOffset(uint64(h))) {
			return p.freeHandleObserved(h)
		}
	}
	if exclusive {
		if !p.engine.TryLock() {
			p.engine.LockSlow()
		}
	}
	ok := p.core.FreeHandle(uint64(h))
	if exclusive {
		if p.engine.HasWaiters() {
			p.engine.ServeWaiters()
		}
		p.engine.Unlock()
	}
	if ok {
		return nil
	}
	return p.freeHandleSlow(h)
}

// freeHandleSlow frees a block that the fast path could not free, or refuses the handle.
//
//go:noinline
//poolgen:if feature.Handles
func (p *Pool) freeHandleSlow(h Handle) error {
	if poolimpl.Observed {
		return p.freeHandleObserved(h)
	}
	if exclusive {
		p.engine.Lock()
	}
	slot, v := p.core.Common().FreeLast(uint64(h))
	if exclusive {
		p.engine.UnlockFreed()
	}
	switch v {
	case poolimpl.Freed:
		return nil
	case poolimpl.Emptied:
		return p.ready().FreeSlow(slot, v, 0, mem.ItemSize)
	}
	return p.ready().RefuseHandle(uint64(h), v)
}

// freeHandleObserved is FreeHandle in programs built with the tag pooldebug or pooltrace. A handle that is stale at first, and fits when it is judged, was not
// handed out before the call.
//
// If [profiled], it also frees a block that may be sampled.
//
//poolgen:if feature.Handles
func (p *Pool) freeHandleObserved(h Handle) error {
	if p.core.Fits(uint64(h)) {
		r := mem.OnlyAt(&p.engine, p.core.HandleOffset(uint64(h)))
		fits := func() bool { return p.core.Fits(uint64(h)) }
		if known, err := p.ready().FreeLife(mem.Place(r), mem.ItemSize, fits); known {
			return err
		}
	}
	if exclusive {
		p.engine.Lock()
	}
	v := p.core.Common().Judge(uint64(h))
	if exclusive {
		p.engine.Unlock()
	}
	if v == poolimpl.Freed {
		v = poolimpl.Double
	}
	return p.ready().RefuseHandle(uint64(h), v)
}
