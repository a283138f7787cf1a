package item

import (
	"context"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocOn is like Alloc, for a block that is used on the stream s first. The block may be one that was freed on s and that the work of s still
// uses, which costs no call of the driver. At the limit, s is made to wait for other streams.
//
// Unless [feature.Captures], AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported on a stream that is being captured: see
// [cuda.Stream.BeginCapture]. If [feature.Captures], on a stream that is being captured the block belongs to the graph, if [cuda.Stream.BeginCaptureWith]
// names the pool; otherwise AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported. The pool cannot detect captures that were not begun by
// package cuda: do not call the three methods during those.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocOn(s cuda.Stream) (r mem.Ref, _ error) {
	if feature.Captures {
		if cuda.Capturing() {
			if r, captured, err := p.allocCaptured(s); captured {
				return r, err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				return r, err
			}
		}
	}
	if feature.ZeroAlways {
		return p.Alloc() // Go code clears the block, so the work of the stream on it must have ended
	}
	if fast {
		if poolimpl.Observed {
			return p.allocOnSlow(s)
		}
		if feature.Sharded {
			if countsApart {
				if p.ready().Countdown(mem.ItemSize).Spend(weight) {
					return p.allocOnSlow(s)
				}
			}
			q, addr := p.engine.LockReuse(s.ID(), mem.ItemSize)
			if q == nil {
				return p.allocOnSlow(s)
			}
			slot, off := p.core.Common().Reuse(addr, mem.ItemSize)
			q.Unlock()
			r = mem.At(&p.engine, slot, off)
			return r, nil
		} else {
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
					return p.allocOnSlow(s)
				}
			}
			addr, ok := p.engine.Reuse(s.Key(), mem.ItemSize)
			if !ok {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocOnSlow(s)
			}
			slot, off := p.core.Common().Reuse(addr, mem.ItemSize)
			r = mem.At(&p.engine, slot, off)
			if exclusive {
				p.engine.Unlock()
			}
			return r, nil
		}
	} else {
		if feature.Sampled {
			p.count()
		}
		return p.allocOnSlow(s)
	}
}

// allocCaptured allocates a block for a graph. It reports false on a stream that is not being captured.
//
//go:noinline
//poolgen:if feature.Captures
func (p *Pool) allocCaptured(s cuda.Stream) (r mem.Ref, captured bool, _ error) {
	b, captured, err := cuda.AllocCaptured(p.ready(), s, 1, mem.ItemSize, 1)
	return mem.Of(b), captured, err
}

// allocOnSlow takes a free block that was not freed on the stream, and leaves the request to the engine if there is none.
//
//go:noinline
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnSlow(s cuda.Stream) (mem.Ref, error) {
	if fast {
		if inFlightAfter {
			if r, ok := p.takeOn(s); ok {
				return r, nil
			}
		} else if r, ok := p.take(false); ok {
			return r, nil
		}
	}
	b, err := p.ready().AllocOn(s.Key(), 1, mem.ItemSize, 1)
	return mem.Of(b), err
}

// takeOn returns a free block of the chunks that the pool has, away from the blocks of other streams, and not of memory that these may be using.
//
//poolgen:if fast && inFlightAfter && feature.AllocsOn
func (p *Pool) takeOn(s cuda.Stream) (r mem.Ref, ok bool) {
	if poolimpl.Observed {
		return r, false
	}
	if countsApart {
		if p.ready().Countdown(mem.ItemSize).Due() {
			return r, false
		}
	}
	slot, off, ok := p.core.AllocOn(s.ID(), mem.ItemSize)
	if !ok {
		return r, false
	}
	r = mem.At(&p.engine, slot, off)
	if p.engine.SharedInFlightOn(s.ID(), mem.Addr(r), mem.ItemSize) {
		p.engine.Undo(mem.Addr(r), mem.ItemSize)
		var none mem.Ref
		return none, false
	}
	return r, true
}

// FreeOn frees a block that the work queued on the stream s by now may still use. AllocOn on s may hand the block out again at once. For
// all others it is free when s has completed that work; for another stream also when that stream was made to wait for s. FreeOn refuses
// what Free refuses.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeOn(r mem.Ref, s cuda.Stream) error { return p.FreeAsync(r, s) }

// FreeAsync frees a block when the stream s has completed the work queued on it by now. Many frees share one event of the driver.
// Unless [feature.Captures], FreeAsync is refused with poolrt.ErrUnsupported on a stream that is being captured: see [cuda.Stream.BeginCapture]. If
// [feature.Captures], on a stream that is being captured the memory is used again by what comes later in the graph.
//
//poolgen:if feature.Streams
func (p *Pool) FreeAsync(r mem.Ref, s cuda.Stream) error {
	if feature.Captures {
		if cuda.Capturing() {
			if captured, err := cuda.FreeCaptured(p.ready(), s, mem.Addr(r), mem.ItemSize); captured {
				return err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.FreeCaptured); err != nil {
				return err
			}
		}
	}
	if poolimpl.Observed {
		return p.ready().FreeOn(s.Key(), mem.Place(r), mem.ItemSize)
	}
	if profiled {
		if p.engine.Sampled(mem.Place(r)) {
			return p.ready().FreeOn(s.Key(), mem.Place(r), mem.ItemSize)
		}
	}
	if feature.Sharded {
		q := p.engine.LockQueue(s.ID())
		if q == nil {
			return p.ready().FreeOnNew(s.Key(), mem.Addr(r), mem.ItemSize)
		}
		v, due := p.core.Common().Defer(mem.Addr(r), mem.ItemSize), false
		if v == poolimpl.Freed && !q.Push(mem.Addr(r), mem.ItemSize) {
			due = q.PushSlow(mem.Addr(r), mem.ItemSize)
		}
		q.Unlock()
		if v == poolimpl.Freed && !due && !p.engine.HasWaiters() {
			return nil
		}
		return p.ready().FreeOnSlow(s.Key(), v, mem.Addr(r), mem.ItemSize)
	} else {
		due := false
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		v := p.core.Common().Defer(mem.Addr(r), mem.ItemSize)
		if v == poolimpl.Freed {
			due = p.engine.Defer(s.Key(), mem.Addr(r), mem.ItemSize)
		}
		if exclusive {
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
}

// AllocRefOn is like AllocOn, but returns a [Ref] that owns the block. Release frees the block on s.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocRefOn(s cuda.Stream) (Ref, error) {
	r, err := p.AllocOn(s)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.Place(r)), pool: p, block: r, owns: true, stream: s, onStream: true}, nil
}

// AllocContextOn is like AllocOn, but waits until ctx ends for blocks to be freed, and for streams to complete the work before frees on them.
// If ctx ends first, the error matches both ctx.Err() and poolrt.ErrLimit.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocContextOn(ctx context.Context, s cuda.Stream) (r mem.Ref, _ error) {
	if feature.Captures {
		if cuda.Capturing() {
			if r, captured, err := p.allocCaptured(s); captured {
				return r, err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				return r, err
			}
		}
	}
	if feature.ZeroAlways {
		return p.AllocContext(ctx)
	}
	if feature.Sampled {
		p.count()
	}
	b, err := p.ready().AllocContextOn(ctx, s.Key(), 1, mem.ItemSize)
	return mem.Of(b), err
}

// WithOn calls f with a block that is used on the stream s first, and frees the block on s when f returns or panics: work that f has queued on s
// may still use it. A nil f is refused with poolrt.ErrNoFunc.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) WithOn(s cuda.Stream, f func(mem.Ref) error) (err error) {
	if f == nil {
		return p.ready().Refuse(poolimpl.NoFunc)
	}
	r, err := p.AllocOn(s)
	if err != nil {
		return err
	}
	defer func() {
		if failed := p.FreeOn(r, s); failed != nil { // an error of f alone is returned as it is
			err = poolimpl.Join(err, failed)
		}
	}()
	return f(r)
}
