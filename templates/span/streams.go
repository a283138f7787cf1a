package span

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocOn is Alloc for a block that is used on the stream s first. It may be one that was freed on s while s is still at work with it: at once and
// without a call of the driver if it had the same length. At the limit s is made to wait for other streams.
//
// On a stream that is being captured it is refused with runtime.ErrUnsupported, and so are FreeOn and FreeAsync, while a capture that package cuda began is
// under way. The pool does not know of other captures: do not call the three during those. What captured work uses is to be allocated without
// a stream and freed when the graph is of no use any more, as each launch uses it again.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocOn(n int, s cuda.Stream) (mem.Span, error) {
	if s.Captured() {
		var none mem.Span
		return none, p.ready().AllocCaptured()
	}
	if feature.ZeroAlways {
		return p.Alloc(n) // it is Go code that clears the block, so the stream must be done with it
	}
	if runtime.Observed {
		return p.watchedOn(n, s)
	}
	if uint64(n)-1 >= mem.MaxItems {
		return p.allocSlow(n, 1)
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
	block := mem.SpanAt(&p.engine, slot, off, n)
	if feature.Locked {
		p.engine.Unlock()
	}
	if clearsOn {
		return p.clearedOn(block, s)
	}
	return block, nil
}

// allocOnSlow finds a block that was not freed on the stream.
//
//go:noinline
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnSlow(n int, s cuda.Stream) (mem.Span, error) {
	if block, ok := p.take(n, 1); ok {
		if clearsOn {
			return p.clearedOn(block, s)
		}
		return block, nil
	}
	return p.allocOnCold(n, s)
}

// allocOnCold has the engine find a block.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnCold(n int, s cuda.Stream) (mem.Span, error) {
	if uint64(n)-1 >= maxItems {
		return p.allocSlow(n, 1)
	}
	b, err := p.ready().AllocOn(s.Key(), uint64(n)*mem.ItemSize, 1)
	if clearsOn {
		if err == nil {
			return p.clearedOn(mem.SpanOf(b, n), s)
		}
	}
	return p.fromEngine(b, n, err)
}

// FreeOn gives a block back that the stream s is still at work with, as far as it was given work by now. AllocOn on s may hand it out again at
// once; for everybody else it is free when s has passed this point, or, on another stream, when that was made to wait for s. What cannot be freed is refused as by Free.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeOn(block mem.Span, s cuda.Stream) error { return p.FreeAsync(block, s) }

// FreeAsync gives a block back that is free for all once the stream s has passed what it was given by now. Many frees share one event
// of the driver. What stands at AllocOn of captures, or else in package cuda at BeginCapture, holds here too.
//
//poolgen:if feature.Streams
func (p *Pool) FreeAsync(block mem.Span, s cuda.Stream) error {
	if s.Captured() {
		return p.ready().FreeCaptured()
	}
	if runtime.Observed {
		if done, err := p.leavingOn(block, s); done {
			return err
		}
	}
	due := false
	if feature.Locked {
		if !p.engine.TryLock() {
			p.engine.LockSlow()
		}
	}
	v := p.core.Defer(mem.SpanAddr(block), mem.SpanBytes(block))
	if v == runtime.Freed {
		due = p.engine.Defer(s.Key(), mem.SpanAddr(block), mem.SpanBytes(block))
	}
	if feature.Locked {
		if p.engine.HasWaiters() {
			p.engine.ServeWaiters()
		}
		p.engine.Unlock()
	}
	if v != runtime.Freed || due {
		return p.deferSlow(block, v, s)
	}
	return nil
}

// deferSlow has the engine follow a free on a stream: it was refused, or many have gathered.
//
//go:noinline
//poolgen:if feature.Streams
func (p *Pool) deferSlow(block mem.Span, v runtime.Verdict, s cuda.Stream) error {
	if v == runtime.Freed {
		p.ready().ReclaimDue()
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
	return Ref{gen: p.generation(r), pool: p, block: r, owns: true, stream: s, onStream: true}, nil
}

// watchedOn is AllocOn in programs that are built with the tag pooldebug or pooltrace.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) watchedOn(n int, s cuda.Stream) (block mem.Span, err error) {
	e := p.observer()
	turn, err := e.BeginUse("alloc")
	if err != nil {
		return block, err
	}
	defer e.EndUse()
	e.BypassQuarantine()
	defer e.EndBypass()
	if block, err = p.allocOnCold(n, s); err == nil {
		on := s.Key()
		e.ObserveAlloc(turn, mem.SpanPlace(block), mem.SpanPointer(block), mem.SpanBytes(block), &on)
	}
	return block, err
}

// leavingOn sees to a free on a stream there, which goes on unless done is set.
//
//poolgen:if feature.Streams
func (p *Pool) leavingOn(block mem.Span, s cuda.Stream) (done bool, err error) {
	on := s.Key()
	return p.observer().ObserveFree(runtime.Call{}, mem.SpanPlace(block), mem.SpanBytes(block), &on, func() error { return p.FreeAsync(block, s) })
}
