package span

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Free frees a block, as it was handed out: another start or length is refused. So is what is no live block of this pool: with
// poolrt.ErrInvalidFree, or poolrt.ErrClosed after Close.
//
//go:nosplit
//poolgen:if frees
func (p *Pool) Free(s mem.Span) error {
	if poolimpl.Observed || feature.ByDriver {
		return p.ready().Free(mem.SpanPlace(s), mem.SpanBytes(s))
	}
	if profiled {
		if p.engine.Sampled(mem.SpanPlace(s)) {
			return p.freeSampled(s)
		}
	}
	if !feature.Locked {
		// No other goroutine uses the pool meanwhile, so nobody waits for a block.
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
		// Waiters are served under the lock of the engine, which FreeSlow takes.
		if v == poolimpl.Freed && !p.engine.HasWaiters() {
			return nil
		}
	} else {
		if v == poolimpl.Freed {
			return nil
		}
	}
	return p.ready().FreeSlow(slot, v, mem.SpanAddr(s), mem.SpanBytes(s))
}

// freeSampled frees a block that may be sampled.
//
//go:noinline
//poolgen:if profiled && frees && !feature.ByDriver
func (p *Pool) freeSampled(s mem.Span) error {
	return p.ready().Free(mem.SpanPlace(s), mem.SpanBytes(s))
}
