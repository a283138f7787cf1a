// Package span is the shell of pools that hand out n items a call. It joins a suballocator of blocks of any size (heap, binned, classes, ring, bump,
// direct, or one of those behind slabs, shards or strips), a memory (hostmem, devmem, tilemem, numbers) and the runtime's engine into the typed pool
// that the package functions of a pool call.
//
// What stands here is the fast path and the first step off it; limits, growth, waiting and errors are in runtime.Engine.
package span

import (
	"math"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/heap"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Pool hands out blocks of n items. Its zero value is ready to use; it must not be copied after first use.
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

// maxItems is the largest count whose bytes an int can express.
const maxItems = uint64(math.MaxInt) / mem.ItemSize

// ready returns the engine, initialised. It is off the fast path.
func (p *Pool) ready() *runtime.Engine {
	e := p.engine.Init(&config, &p.core)
	if runtime.Debug {
		e.SetSpacing(mem.Spacing, granule)
	}
	return e
}

// granule is what the lengths of blocks are rounded up to, at least.
//
//poolgen:param
const granule = 16

// Alloc returns a block of n items. Its content is whatever was left there, unless the pool zeroes.
//
//go:nosplit
func (p *Pool) Alloc(n int) (mem.Span, error) {
	// It needs so little stack that the check for it, a good part of a short call, is left to what it calls.
	if runtime.Observed {
		return p.watched(n, 1, p.allocSlow)
	}
	if uint64(n)-1 >= mem.MaxItems {
		return p.allocSlow(n, 1)
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
			return p.allocCold(n, 1)
		}
	}
	slot, off, ok := p.core.AllocFast(uint64(n) * mem.ItemSize)
	if !ok {
		if exclusive {
			p.engine.Unlock()
		}
		return p.allocSlow(n, 1)
	}
	s := mem.SpanAt(&p.engine, slot, off, n)
	if exclusive {
		p.engine.Unlock()
	}
	if inFlightAfter {
		if p.engine.SharedInFlight() {
			p.undo(s)
			return p.allocCold(n, 1)
		}
	}
	if feature.ZeroAlways {
		mem.ZeroSpan(s)
	}
	if clears {
		return p.cleared(s)
	}
	return s, nil
}

// AllocAligned is Alloc for an address that is a multiple of align bytes: a power of two, up to the chunk size.
func (p *Pool) AllocAligned(n, align int) (mem.Span, error) {
	if align < 1 || align&(align-1) != 0 || int64(align) > config.ChunkSize {
		var none mem.Span
		return none, p.ready().BadAlignment(align)
	}
	if runtime.Observed {
		return p.watched(n, uint64(align), p.allocSlow)
	}
	return p.allocSlow(n, uint64(align))
}

// TryAlloc returns a block of n items if there is room without growing, waiting or failing.
func (p *Pool) TryAlloc(n int) (mem.Span, bool) {
	if runtime.Observed {
		return p.tryWatched(n)
	}
	if clears {
		return p.tryCleared(n, 1)
	}
	return p.take(n, 1)
}

// take returns a block from the chunks that are there. A count that no pool can serve finds none.
func (p *Pool) take(n int, align uint64) (s mem.Span, ok bool) {
	if uint64(n)-1 >= mem.MaxItems {
		return s, false
	}
	if exclusive {
		p.engine.Lock()
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
	if exclusive {
		p.engine.Unlock()
	}
	if inFlightAfter {
		if ok && p.engine.SharedInFlight() {
			p.undo(s)
			var none mem.Span
			return none, false
		}
	}
	if feature.ZeroAlways {
		if ok {
			mem.ZeroSpan(s)
		}
	}
	return s, ok
}

// allocSlow serves what the fast path could not.
//
//go:noinline
func (p *Pool) allocSlow(n int, align uint64) (mem.Span, error) {
	s, ok := p.take(n, align)
	if ok {
		if clears {
			return p.cleared(s)
		}
		return s, nil
	}
	if uint64(n)-1 >= maxItems {
		return s, p.ready().BadCount(n)
	}
	return p.allocCold(n, align)
}

// allocCold has the engine find a block.
func (p *Pool) allocCold(n int, align uint64) (mem.Span, error) {
	b, err := p.ready().Alloc(uint64(n)*mem.ItemSize, align)
	return p.fromEngine(b, n, err)
}

// fromEngine makes the engine's block the pool's.
func (p *Pool) fromEngine(b runtime.Block, n int, err error) (s mem.Span, _ error) {
	if err != nil {
		return s, err
	}
	s = mem.SpanOf(b, n)
	if feature.ZeroAlways {
		mem.ZeroSpan(s)
	}
	if clears {
		return p.cleared(s)
	}
	return s, nil
}

// Free gives a block back, as it was handed out: another start or length is refused, and so is whatever is no live block of this pool.
//
//go:nosplit
//poolgen:if frees
func (p *Pool) Free(s mem.Span) error {
	if runtime.Observed {
		if done, err := p.leaving(s); done {
			return err
		}
	}
	if !exclusive {
		if p.core.FreeFast(mem.SpanAddr(s), mem.SpanBytes(s)) {
			return nil
		}
	}
	if exclusive {
		if !p.engine.TryLock() {
			p.engine.LockSlow()
		}
	}
	slot, v := p.core.Free(mem.SpanAddr(s), mem.SpanBytes(s))
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
	if v != runtime.Freed {
		return p.freeSlow(s, slot, v)
	}
	return nil
}

//go:noinline
//poolgen:if frees
func (p *Pool) freeSlow(s mem.Span, slot uint32, v runtime.Verdict) error {
	return p.ready().FreeSlow(slot, v, mem.SpanAddr(s), mem.SpanBytes(s))
}
