// Package item is the shell of pools that hand out one block a call. It joins a suballocator of equal blocks (fixed, strict), a memory
// (hostmem, devmem, tilemem, numbers) and the runtime's engine into the typed pool that the package functions of a pool call.
//
// What stands here is the fast path and the first step off it; limits, growth, waiting and errors are in poolimpl.Engine, and so is all that is known
// of blocks in programs built with the tag pooldebug or pooltrace: there each call goes to the engine at once.
package item

import (
	"context"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/fixed"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Pool hands out blocks of one size. Its zero value is ready to use; it must not be copied after first use.
type Pool struct {
	engine poolimpl.Engine
	core   core.Core
}

const (
	// exclusive: the pool's lock is taken on the fast path.
	exclusive = feature.Locked && !feature.Sharded

	// fast: there is a fast path. A block that the device clears costs a call of the driver, which is the engine's to make.
	fast = !feature.ZeroDevice

	// zeroed: blocks are zero when they are handed out.
	zeroed = feature.ZeroAlways || feature.ZeroDevice

	// Whether a range is in flight is known before a block is taken; without the lock, only afterwards.
	inFlightBefore = feature.Streams && !feature.Sharded
	inFlightAfter  = feature.Streams && feature.Sharded
)

const _ = zeroed // which comments alone ask for

// ready returns the engine, initialised. It is off the fast path.
func (p *Pool) ready() *poolimpl.Engine { return p.engine.Init(&config, &p.core) }

// Alloc returns a free block. If [zeroed], it is zero. Unless [zeroed], its content is whatever was left there.
//
//go:nosplit
func (p *Pool) Alloc() (mem.Ref, error) {
	if fast {
		// Neither Alloc nor Free checks the stack, which would cost a tenth of them: their frames are small, and what they call checks it.
		if poolimpl.Observed {
			return p.allocCold()
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		if inFlightBefore {
			if p.engine.InFlight() {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocCold()
			}
		}
		slot, off, ok := p.core.AllocFast()
		if !ok {
			if exclusive {
				p.engine.Unlock()
			}
			return p.allocSlow()
		}
		r := mem.At(&p.engine, slot, off)
		if exclusive {
			p.engine.Unlock()
		}
		if inFlightAfter {
			if p.engine.SharedInFlight() {
				p.engine.Undo(mem.Addr(r), mem.ItemSize)
				return p.allocCold()
			}
		}
		if feature.ZeroAlways {
			mem.Zero(r)
		}
		return r, nil
	} else {
		return p.allocCold()
	}
}

// allocSlow takes a block of another chunk than the current one, and has the engine find one if none is free.
//
//go:noinline
//poolgen:if fast
func (p *Pool) allocSlow() (mem.Ref, error) {
	if exclusive {
		p.engine.Lock()
	}
	slot, off, ok := p.core.Alloc(1, 1)
	if !ok {
		if exclusive {
			p.engine.Unlock()
		}
		return p.allocCold()
	}
	r := mem.At(&p.engine, slot, off)
	if exclusive {
		p.engine.Unlock()
	}
	if inFlightAfter {
		if p.engine.SharedInFlight() {
			p.engine.Undo(mem.Addr(r), mem.ItemSize)
			return p.allocCold()
		}
	}
	if feature.ZeroAlways {
		mem.Zero(r)
	}
	return r, nil
}

// allocCold has the engine find a block.
func (p *Pool) allocCold() (mem.Ref, error) {
	b, err := p.ready().Alloc(1, mem.ItemSize, 1)
	return mem.Of(b), err
}

// AllocContext is Alloc that waits for a block to be freed until ctx ends. The error then matches both ctx.Err() and poolrt.ErrLimit. Unless
// [feature.Locked], nobody could free one meanwhile, and it fails at once.
func (p *Pool) AllocContext(ctx context.Context) (mem.Ref, error) {
	if fast {
		if r, ok := p.take(); ok {
			return r, nil
		}
	}
	b, err := p.ready().AllocContext(ctx, 1, mem.ItemSize)
	return mem.Of(b), err
}

// TryAlloc returns a free block if there is one without growing, waiting or failing.
func (p *Pool) TryAlloc() (mem.Ref, bool) {
	if fast {
		if !poolimpl.Observed {
			return p.take()
		}
	}
	b, ok := p.ready().TryAlloc(1, mem.ItemSize)
	return mem.Of(b), ok
}

// take returns a block of the chunks that are there.
//
//poolgen:if fast
func (p *Pool) take() (r mem.Ref, ok bool) {
	if poolimpl.Observed {
		return r, false
	}
	if exclusive {
		p.engine.Lock()
	}
	if inFlightBefore {
		if p.engine.InFlight() {
			if exclusive {
				p.engine.Unlock()
			}
			return r, false
		}
	}
	slot, off, ok := p.core.AllocFast()
	if !ok {
		slot, off, ok = p.core.Alloc(1, 1)
	}
	if ok {
		r = mem.At(&p.engine, slot, off)
	}
	if exclusive {
		p.engine.Unlock()
	}
	if inFlightAfter {
		if ok && p.engine.SharedInFlight() {
			p.engine.Undo(mem.Addr(r), mem.ItemSize)
			var none mem.Ref
			return none, false
		}
	}
	if feature.ZeroAlways {
		if ok {
			mem.Zero(r)
		}
	}
	return r, ok
}
