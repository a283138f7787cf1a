package item

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocOn is Alloc for a block that is used on the stream s first. It may be one that was freed on s while s is still at work with it, which costs
// no call of the driver; at the limit s is made to wait for other streams.
//
// On a stream that is being captured, AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported: see [cuda.Stream.BeginCapture]. The pool does not
// know of captures that package cuda has not begun: do not call the three methods during those.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocOn(s cuda.Stream) (r mem.Ref, _ error) {
	if s.Captured() {
		return r, p.ready().Refuse(poolimpl.AllocCaptured)
	}
	if feature.ZeroAlways {
		return p.Alloc() // it is Go code that clears the block, so the stream must be done with it
	}
	if fast {
		if poolimpl.Observed {
			return p.allocOnSlow(s)
		}
		if feature.Locked {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		addr, ok := p.engine.Reuse(s.Key(), mem.ItemSize)
		if !ok {
			if feature.Locked {
				p.engine.Unlock()
			}
			return p.allocOnSlow(s)
		}
		slot, off := p.core.Reuse(addr, mem.ItemSize)
		r = mem.At(&p.engine, slot, off)
		if feature.Locked {
			p.engine.Unlock()
		}
		return r, nil
	} else {
		return p.allocOnSlow(s)
	}
}

// allocOnSlow finds a block that was not freed on the stream.
//
//go:noinline
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnSlow(s cuda.Stream) (mem.Ref, error) {
	if fast {
		if r, ok := p.take(); ok {
			return r, nil
		}
	}
	b, err := p.ready().AllocOn(s.Key(), 1, mem.ItemSize)
	return mem.Of(b), err
}

// FreeOn gives a block back that the stream s is still at work with, as far as it was given work by now. AllocOn on s may hand it out again at
// once; for everybody else it is free when s has passed this point, or, on another stream, when that was made to wait for s. What cannot be freed is refused as by Free.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeOn(r mem.Ref, s cuda.Stream) error { return p.FreeAsync(r, s) }

// FreeAsync gives a block back that is free for all once the stream s has passed what it was given by now. Many frees share one event
// of the driver. On a stream that is being captured, FreeAsync is refused with poolrt.ErrUnsupported: see [cuda.Stream.BeginCapture].
//
//poolgen:if feature.Streams
func (p *Pool) FreeAsync(r mem.Ref, s cuda.Stream) error {
	if s.Captured() {
		return p.ready().Refuse(poolimpl.FreeCaptured)
	}
	if poolimpl.Observed {
		return p.ready().FreeOn(s.Key(), mem.Place(r), mem.ItemSize)
	}
	due := false
	if feature.Locked {
		if !p.engine.TryLock() {
			p.engine.LockSlow()
		}
	}
	v := p.core.Defer(mem.Addr(r), mem.ItemSize)
	if v == poolimpl.Freed {
		due = p.engine.Defer(s.Key(), mem.Addr(r), mem.ItemSize)
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
	return p.ready().FreeOnSlow(s.Key(), v, mem.Addr(r), mem.ItemSize)
}

// AllocRefOn is AllocOn with an owner for the block, which carries the stream: Release frees the block on it.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocRefOn(s cuda.Stream) (Ref, error) {
	r, err := p.AllocOn(s)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.Place(r)), pool: p, block: r, owns: true, stream: s, onStream: true}, nil
}
