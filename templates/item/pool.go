// Package item is the shell of pools that hand out one block a call. It joins a suballocator of equal blocks (fixed, strict), a memory
// (hostmem, devmem, tilemem, numbers) and the runtime's engine into the typed pool that the package functions of a pool call.
//
// What stands here is the fast path and the first step off it; limits, growth, waiting and errors are in runtime.Engine.
package item

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/fixed"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Pool hands out blocks of one size. Its zero value is ready to use; it must not be copied after first use.
type Pool struct {
	engine runtime.Engine
	core   core.Core
}

const (
	// exclusive: the pool's lock is taken on the fast path.
	exclusive = feature.Locked && !feature.Sharded

	// Whether places are hot is known before a block is taken; without the lock, only afterwards.
	inFlightBefore = feature.Streams && !feature.Sharded
	inFlightAfter  = feature.Streams && feature.Sharded
)

// ready returns the engine, initialised. It is off the fast path.
func (p *Pool) ready() *runtime.Engine {
	e := p.engine.Init(&config, &p.core)
	if runtime.Debug {
		e.SetSpacing(mem.Spacing, 1)
	}
	return e
}

// Alloc returns a free block. Its content is whatever was left there, unless the pool zeroes.
//
//go:nosplit
func (p *Pool) Alloc() (mem.Ref, error) {
	// Neither Alloc nor Free checks the stack, which would cost a tenth of them: their frames are small, and what they call checks it.
	if runtime.Observed {
		return p.watched(p.allocCold)
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
			p.undo(r)
			return p.allocCold()
		}
	}
	if feature.ZeroAlways {
		mem.Zero(r)
	}
	if clears {
		return p.cleared(r)
	}
	return r, nil
}

// TryAlloc returns a free block if there is one without growing, waiting or failing.
func (p *Pool) TryAlloc() (mem.Ref, bool) {
	if runtime.Observed {
		return p.tryWatched()
	}
	if clears {
		return p.tryCleared()
	}
	return p.take()
}

// take returns a block from the chunks that are there.
func (p *Pool) take() (r mem.Ref, ok bool) {
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
			p.undo(r)
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

// allocSlow serves what the first try could not: in a pool that fills up, each block.
//
//go:noinline
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
			p.undo(r)
			return p.allocCold()
		}
	}
	if feature.ZeroAlways {
		mem.Zero(r)
	}
	if clears {
		return p.cleared(r)
	}
	return r, nil
}

// allocCold has the engine find a block.
func (p *Pool) allocCold() (mem.Ref, error) {
	return p.fromEngine(p.ready().Alloc(mem.ItemSize, 1))
}

// fromEngine makes the engine's block the pool's.
func (p *Pool) fromEngine(b runtime.Block, err error) (r mem.Ref, _ error) {
	if err != nil {
		return r, err
	}
	r = mem.Of(b)
	if feature.ZeroAlways {
		mem.Zero(r)
	}
	if clears {
		return p.cleared(r)
	}
	return r, nil
}

// Free gives a block back. The block must be one that this pool handed out and that is live; anything else is refused.
//
//go:nosplit
func (p *Pool) Free(r mem.Ref) error {
	if runtime.Observed {
		if done, err := p.leaving(r); done {
			return err
		}
	}
	if feature.Sharded {
		slot, v := p.core.Free(mem.Addr(r), mem.ItemSize)
		if v == runtime.Freed && !p.engine.HasWaiters() {
			return nil
		}
		return p.freeSharedSlow(slot, v, r)
	} else {
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

// freeSlow takes back what is not in the current chunk, or is the last of its chunk, or no live block at all.
//
//go:noinline
func (p *Pool) freeSlow(r mem.Ref) error {
	if exclusive {
		p.engine.Lock()
	}
	slot, v := p.core.Free(mem.Addr(r), mem.ItemSize)
	if exclusive {
		if p.engine.HasWaiters() {
			p.engine.ServeWaiters()
		}
		p.engine.Unlock()
	}
	if feature.Sharded {
		if p.engine.HasWaiters() {
			p.engine.WakeWaiters()
		}
	}
	if v == runtime.Freed {
		return nil
	}
	return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
}
