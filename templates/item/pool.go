// Package item is the shell of pools that hand out one block a call. It joins a suballocator of equal blocks (fixed, strict), a memory
// (hostmem, devmem, tilemem, numbers) and the engine of the runtime into a typed pool. The package functions of a pool call that.
//
// The shell has the fast path and the first step off it. Limits, growth, waiting and errors are in poolimpl.Engine. In programs built with the
// tag pooldebug or pooltrace each call goes to the engine at once, which observes the blocks.
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
	// exclusive: the fast path takes the pool's lock.
	exclusive = feature.Locked && !feature.Sharded

	// sharded: the engine has a lock, which the fast path does not take.
	sharded = feature.Sharded

	// fast: there is a fast path. Where the device clears blocks there is none: that takes a call of the driver, which the engine makes.
	fast = !feature.ZeroDevice

	// zeroed: blocks are zero when they are handed out.
	zeroed = feature.ZeroAlways || feature.ZeroDevice

	// clears: goroutines clear the blocks that they take without the lock, and say so before they take them.
	clears = feature.ZeroAlways && feature.Sharded

	// A pool with a lock checks whether a range is in flight before it takes a block; without the lock, only a check afterwards is safe.
	inFlightBefore = feature.Streams && !feature.Sharded
	inFlightAfter  = feature.Streams && feature.Sharded

	// counts: the shell counts requests on the way to the next sample. The core of a sharded pool does so itself, for each processor.
	counts      = feature.Sampled && !feature.Sharded
	countsApart = feature.Sampled && feature.Sharded
	countsFirst = feature.Sampled && (!feature.Sharded || !fast) // requests that do not begin with a call of the core that counts

	// profiled: a free has to look whether its block is in a profile.
	profiled = feature.Sampled && feature.SampleByte > 0
)

const _ = zeroed || sharded // only comments use them

// ready returns the engine, initialised. The fast path does not call it.
func (p *Pool) ready() *poolimpl.Engine { return p.engine.Init(&config, p.core.Common()) }

// Alloc returns a free block. If [zeroed], the block is zero. Unless [zeroed], its content is unspecified.
//
//go:nosplit
func (p *Pool) Alloc() (mem.Ref, error) {
	if fast {
		// Alloc and Free do not check the stack, which would take a tenth of their time. Their frames are small, and what they call checks it.
		if poolimpl.Observed {
			return p.allocCold()
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		if counts {
			if p.engine.Spend(weight) {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocCold()
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
		if clears {
			if !p.engine.BeginClear() {
				if countsApart {
					p.count()
				}
				return p.allocCold()
			}
		}
		if feature.Owns {
			n := poolimpl.Pin()
			if m, word := p.core.Own(n); word != nil {
				if slot, off, ok := p.core.AllocOwn(m, word); ok {
					poolimpl.Unpin()
					return mem.At(&p.engine, slot, off), nil
				}
			}
			poolimpl.Unpin()
			slot, off, ok := p.core.AllocShared(n)
			if !ok {
				return p.allocSlow()
			}
			return mem.At(&p.engine, slot, off), nil
		}
		slot, off, ok := p.core.AllocFast()
		if !ok {
			if clears {
				p.engine.EndClear()
			}
			if exclusive {
				p.engine.Unlock()
			}
			return p.allocSlow()
		}
		r := mem.At(&p.engine, slot, off)
		if inFlightAfter {
			if p.engine.SharedInFlightAt(mem.Addr(r), mem.ItemSize) {
				if clears {
					p.engine.EndClear()
				}
				p.engine.Undo(mem.Addr(r), mem.ItemSize)
				return p.allocCold()
			}
		}
		if feature.ZeroAlways {
			mem.Zero(&p.engine, r)
		}
		if clears {
			p.engine.EndClear()
		}
		if exclusive {
			p.engine.Unlock()
		}
		return r, nil
	} else {
		if feature.Sampled {
			p.count()
		}
		return p.allocCold()
	}
}

// allocSlow takes a free block of any chunk, and leaves the request to the engine if there is none.
//
//go:noinline
//poolgen:if fast
func (p *Pool) allocSlow() (mem.Ref, error) {
	if r, ok := p.take(true); ok {
		return r, nil
	}
	return p.allocCold()
}

// allocCold leaves the request to the engine.
func (p *Pool) allocCold() (mem.Ref, error) {
	b, err := p.ready().Alloc(1, mem.ItemSize, 1)
	return mem.Of(b), err
}

// AllocContext is like Alloc, but waits for a free block until ctx ends; the error then matches both ctx.Err() and poolrt.ErrLimit. Unless
// [feature.Locked], nobody can free a block meanwhile, so AllocContext fails at once.
func (p *Pool) AllocContext(ctx context.Context) (mem.Ref, error) {
	if countsFirst {
		p.count()
	}
	if fast {
		if r, ok := p.take(false); ok {
			return r, nil
		}
	}
	b, err := p.ready().AllocContext(ctx, 1, mem.ItemSize)
	return mem.Of(b), err
}

// TryAlloc returns a free block, and reports false if there is none. It does not grow the pool or wait.
func (p *Pool) TryAlloc() (mem.Ref, bool) {
	if countsFirst {
		p.count()
	}
	if fast {
		if feature.Sampled {
			if r, ok := p.take(false); ok {
				return r, true
			}
		} else {
			if !poolimpl.Observed {
				return p.take(false)
			}
		}
	}
	b, ok := p.ready().TryAlloc(1, mem.ItemSize)
	return mem.Of(b), ok
}

// take returns a free block of the chunks that the pool has. tried: AllocFast has found none.
//
// If [feature.Sampled], it leaves a block that is to be sampled to the engine.
//
//poolgen:if fast
func (p *Pool) take(tried bool) (r mem.Ref, ok bool) {
	if poolimpl.Observed {
		return r, false
	}
	if clears {
		if !p.engine.BeginClear() {
			if countsApart {
				if !tried {
					p.count()
				}
			}
			return r, false
		}
	}
	if exclusive {
		p.engine.Lock()
	}
	if counts {
		if p.engine.Due() {
			if exclusive {
				p.engine.Unlock()
			}
			return r, false
		}
	}
	if inFlightBefore {
		if p.engine.InFlight() {
			if exclusive {
				p.engine.Unlock()
			}
			return r, false
		}
	}
	var slot uint32
	var off uint64
	if !tried {
		slot, off, ok = p.core.AllocFast()
	}
	if !ok {
		if countsApart {
			if p.ready().Countdown(mem.ItemSize).Due() {
				if clears {
					p.engine.EndClear()
				}
				return r, false
			}
		}
		slot, off, ok = p.core.Common().Alloc(1, 1)
	}
	if ok {
		r = mem.At(&p.engine, slot, off)
	}
	if inFlightAfter {
		if ok && p.engine.SharedInFlightAt(mem.Addr(r), mem.ItemSize) {
			if clears {
				p.engine.EndClear()
			}
			p.engine.Undo(mem.Addr(r), mem.ItemSize)
			var none mem.Ref
			return none, false
		}
	}
	if feature.ZeroAlways {
		if ok {
			mem.Zero(&p.engine, r)
		}
	}
	if clears {
		p.engine.EndClear()
	}
	if exclusive {
		p.engine.Unlock()
	}
	return r, ok
}
