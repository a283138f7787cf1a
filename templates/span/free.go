package span

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Free gives a block back, as it was handed out: another start or length is refused, and so is whatever is no live block of this pool.
//
//go:nosplit
//poolgen:if frees
func (p *Pool) Free(s mem.Span) error {
	if poolimpl.Observed {
		return p.ready().Free(mem.SpanPlace(s), mem.SpanBytes(s))
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
	if v != poolimpl.Freed {
		return p.freeSlow(s, slot, v)
	}
	return nil
}

// freeSlow has the engine follow up what the suballocator said of a free.
//
//go:noinline
//poolgen:if frees
func (p *Pool) freeSlow(s mem.Span, slot uint32, v poolimpl.Verdict) error {
	return p.ready().FreeSlow(slot, v, mem.SpanAddr(s), mem.SpanBytes(s))
}
