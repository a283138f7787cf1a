// Package span is the shell of pools that hand out n items a call. It joins a suballocator of blocks of any size (heap, binned, classes, ring, bump,
// direct, or one of those behind slabs, shards or strips), a memory (hostmem, devmem, tilemem, numbers) and the engine of the runtime into a typed
// pool. The package functions of a pool call that.
//
// The shell has the fast path and the first step off it. Limits, growth, waiting and errors are in poolimpl.Engine. In programs built with the
// tag pooldebug or pooltrace each call goes to the engine at once, which observes the blocks.
package span

import (
	"context"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/heap"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Pool hands out blocks. If [bytes], their lengths are in bytes. Unless [bytes], their lengths are in items. The zero value is ready to use;
// it must not be copied after first use.
type Pool struct {
	engine poolimpl.Engine
	core   core.Core
}

const (
	// exclusive: the fast path takes the pool's lock.
	exclusive = feature.Locked && !feature.Sharded

	// sharded: the engine has a lock, which the fast path does not take.
	sharded = feature.Sharded

	// fast: the core has free blocks, so there is a fast path. Where the device clears blocks, there is none: that takes a call of the driver, which the engine makes.
	fast = !feature.ZeroDevice && !feature.ByDriver

	// ordered: AllocOn is little more than a call of the driver.
	ordered = feature.ByDriver && !feature.ZeroDevice

	// zeroed: blocks are zero when they are handed out.
	zeroed = feature.ZeroAlways || feature.ZeroDevice

	// clears: goroutines clear the blocks that they take without the lock, and say so before they take them.
	clears = feature.ZeroAlways && feature.Sharded

	// A pool with a lock checks whether a range is in flight before it takes a block; without the lock, only a check afterwards is safe. The same check
	// keeps a pool asleep from handing out blocks.
	inFlightBefore = (feature.Streams || feature.Sleeps) && !feature.Sharded
	inFlightAfter  = feature.Streams && feature.Sharded

	// counts: the shell counts requests on the way to the next sample. The core of a sharded pool does so itself, for each processor.
	counts      = feature.Sampled && !feature.Sharded
	countsApart = feature.Sampled && feature.Sharded

	// profiled: a free has to look whether its block is in a profile.
	profiled = feature.Sampled && feature.SampleByte > 0
)

const _ = zeroed || sharded || bytes // only comments use them

// ready returns the engine, initialised. The fast path does not call it.
func (p *Pool) ready() *poolimpl.Engine { return p.engine.Init(&config, &p.core) }

// Alloc returns a block of length n. If [zeroed], the block is zero. Unless [zeroed], its content is unspecified.
//
//go:nosplit
func (p *Pool) Alloc(n int) (mem.Span, error) {
	if fast {
		// Alloc does not check the stack, which would be a good part of a short call. Its frame is small, and what it calls checks the stack.
		if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
			return p.allocSlow(n, 1)
		}
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		if counts {
			if p.engine.Spend(weight(n)) {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocSlow(n, 1)
			}
		}
		if inFlightBefore {
			if p.engine.InFlight() {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocSlow(n, 1)
			}
		}
		if clears {
			if !p.engine.BeginClear() {
				if countsApart {
					p.count(n)
				}
				return p.allocSlow(n, 1)
			}
		}
		slot, off, ok := p.core.AllocFast(uint64(n) * mem.ItemSize)
		if !ok {
			if clears {
				p.engine.EndClear()
			}
			if exclusive {
				p.engine.Unlock()
			}
			return p.allocSlow(n, 1)
		}
		s := mem.SpanAt(&p.engine, slot, off, n)
		if inFlightAfter {
			if p.engine.SharedInFlightAt(mem.SpanAddr(s), mem.SpanBytes(s)) {
				if clears {
					p.engine.EndClear()
				}
				p.engine.Undo(mem.SpanAddr(s), mem.SpanBytes(s))
				return p.allocSlow(n, 1)
			}
		}
		if feature.ZeroAlways {
			mem.ZeroSpan(&p.engine, s)
		}
		if clears {
			p.engine.EndClear()
		}
		if exclusive {
			p.engine.Unlock()
		}
		return s, nil
	} else {
		if feature.Sampled {
			p.count(n)
		}
		return p.allocSlow(n, 1)
	}
}

// AllocAligned is like Alloc, for an address that is a multiple of align bytes: a power of two, up to the chunk size.
func (p *Pool) AllocAligned(n, align int) (s mem.Span, _ error) {
	if align < 1 || align&(align-1) != 0 || int64(align) > config.ChunkSize {
		return s, p.ready().Refuse(poolimpl.BadAlignment, align, config.ChunkSize)
	}
	if feature.Sampled {
		p.count(n)
	}
	return p.allocSlow(n, uint64(align))
}

// allocSlow serves what the fast path could not, and leaves the request to the engine if no chunk has room.
//
//go:noinline
func (p *Pool) allocSlow(n int, align uint64) (mem.Span, error) {
	if fast {
		if s, ok := p.take(n, align); ok {
			return s, nil
		}
	}
	b, err := p.ready().Alloc(n, mem.ItemSize, align)
	return mem.SpanOf(b), err
}

// AllocContext is like Alloc, but waits for blocks to be freed until ctx ends; the error then matches both ctx.Err() and poolrt.ErrLimit.
// Unless [feature.Locked], nobody can free a block meanwhile, so AllocContext fails at once.
func (p *Pool) AllocContext(ctx context.Context, n int) (mem.Span, error) {
	if feature.Sampled {
		p.count(n)
	}
	if fast {
		if s, ok := p.take(n, 1); ok {
			return s, nil
		}
	}
	b, err := p.ready().AllocContext(ctx, n, mem.ItemSize)
	return mem.SpanOf(b), err
}

// TryAlloc returns a block of length n, and reports false if no chunk has room. It does not grow the pool or wait.
func (p *Pool) TryAlloc(n int) (mem.Span, bool) {
	if feature.Sampled {
		p.count(n)
	}
	if fast {
		if feature.Sampled || feature.Sharded {
			if s, ok := p.take(n, 1); ok {
				return s, true
			}
		} else {
			if !poolimpl.Observed {
				return p.take(n, 1)
			}
		}
	}
	b, ok := p.ready().TryAlloc(n, mem.ItemSize)
	return mem.SpanOf(b), ok
}

// take returns a block of the chunks that the pool has. It reports false for a count that no pool can serve.
//
// If [feature.Sampled], it leaves a block that is to be sampled to the engine.
//
//poolgen:if fast
func (p *Pool) take(n int, align uint64) (s mem.Span, ok bool) {
	if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
		return s, false
	}
	if countsApart {
		if p.ready().Countdown(uint64(n) * mem.ItemSize).Due() {
			return s, false
		}
	}
	if clears {
		if !p.engine.BeginClear() {
			return s, false
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
			return s, false
		}
	}
	if inFlightBefore {
		if p.engine.InFlight() {
			if exclusive {
				p.engine.Unlock()
			}
			return s, false
		}
	}
	slot, off, ok := p.core.Alloc(uint64(n)*mem.ItemSize, align)
	if ok {
		s = mem.SpanAt(&p.engine, slot, off, n)
	}
	if inFlightAfter {
		if ok && p.engine.SharedInFlightAt(mem.SpanAddr(s), mem.SpanBytes(s)) {
			if clears {
				p.engine.EndClear()
			}
			p.engine.Undo(mem.SpanAddr(s), mem.SpanBytes(s))
			var none mem.Span
			return none, false
		}
	}
	if feature.ZeroAlways {
		if ok {
			mem.ZeroSpan(&p.engine, s)
		}
	}
	if clears {
		p.engine.EndClear()
	}
	if exclusive {
		p.engine.Unlock()
	}
	return s, ok
}
