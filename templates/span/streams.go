package span

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocOn is Alloc for a block that is used on the stream s first. It may be one that was freed on s while s is still at work with it: at once and
// without a call of the driver if it had the same length. At the limit s is made to wait for other streams.
//
// On a stream that is being captured, AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported: see [cuda.Stream.BeginCapture]. The pool does not
// know of captures that package cuda has not begun: do not call the three methods during those.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocOn(n int, s cuda.Stream) (block mem.Span, _ error) {
	if s.Captured() {
		return block, p.ready().Refuse(poolimpl.AllocCaptured)
	}
	if feature.ZeroAlways {
		return p.Alloc(n) // it is Go code that clears the block, so the stream must be done with it
	}
	if fast {
		if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
			return p.allocOnSlow(n, s)
		}
		if feature.Locked {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		addr, ok := p.engine.Reuse(s.Key(), uint64(n)*mem.ItemSize)
		if !ok {
			if feature.Locked {
				p.engine.Unlock()
			}
			return p.allocOnSlow(n, s)
		}
		slot, off := p.core.Reuse(addr, uint64(n)*mem.ItemSize)
		block = mem.SpanAt(&p.engine, slot, off, n)
		if feature.Locked {
			p.engine.Unlock()
		}
		return block, nil
	} else {
		return p.allocOnSlow(n, s)
	}
}

// allocOnSlow finds a block that was not freed on the stream.
//
//go:noinline
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnSlow(n int, s cuda.Stream) (mem.Span, error) {
	if fast {
		if block, ok := p.take(n, 1); ok {
			return block, nil
		}
	}
	b, err := p.ready().AllocOn(s.Key(), n, mem.ItemSize)
	return mem.SpanOf(b), err
}

// FreeOn gives a block back that the stream s is still at work with, as far as it was given work by now. AllocOn on s may hand it out again at
// once; for everybody else it is free when s has passed this point, or, on another stream, when that was made to wait for s. What cannot be freed is refused as by Free.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeOn(block mem.Span, s cuda.Stream) error { return p.FreeAsync(block, s) }

// FreeAsync gives a block back that is free for all once the stream s has passed what it was given by now. Many frees share one event
// of the driver. On a stream that is being captured, FreeAsync is refused with poolrt.ErrUnsupported: see [cuda.Stream.BeginCapture].
//
//poolgen:if feature.Streams
func (p *Pool) FreeAsync(block mem.Span, s cuda.Stream) error {
	if s.Captured() {
		return p.ready().Refuse(poolimpl.FreeCaptured)
	}
	if poolimpl.Observed {
		return p.ready().FreeOn(s.Key(), mem.SpanPlace(block), mem.SpanBytes(block))
	}
	due := false
	if feature.Locked {
		if !p.engine.TryLock() {
			p.engine.LockSlow()
		}
	}
	v := p.core.Defer(mem.SpanAddr(block), mem.SpanBytes(block))
	if v == poolimpl.Freed {
		due = p.engine.Defer(s.Key(), mem.SpanAddr(block), mem.SpanBytes(block))
	}
	if feature.Locked {
		if p.engine.HasWaiters() {
			p.engine.ServeWaiters()
		}
		p.engine.Unlock()
	}
	if v == poolimpl.Freed && !due {
		return nil
	}
	return p.ready().FreeOnSlow(s.Key(), v, mem.SpanAddr(block), mem.SpanBytes(block))
}

// AllocRefOn is AllocOn with an owner for the block, which carries the stream: Release frees the block on it.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocRefOn(n int, s cuda.Stream) (Ref, error) {
	r, err := p.AllocOn(n, s)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.SpanPlace(r)), pool: p, block: r, owns: true, stream: s, onStream: true}, nil
}
