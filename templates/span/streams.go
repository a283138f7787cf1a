package span

import (
	"context"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocOn is like Alloc, for a block that is used on the stream s first. If [feature.ByDriver], it is one call of the driver, which waits for nothing; the
// memory may be that of a block that was freed on s and that the work of s still uses. Unless [feature.ByDriver], the block may be one that was freed on s and
// that the work of s still uses; if it had the same length, that costs no call of the driver. If [feature.Rounds], lengths that are rounded up to the same
// size are the same here. Unless [feature.ByDriver], at the limit, s is made to wait for other streams.
//
// Unless [feature.Captures], AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported on a stream that is being captured: see
// [cuda.Stream.BeginCapture]. If [feature.Captures], on a stream that is being captured the block belongs to the graph, if [cuda.Stream.BeginCaptureWith]
// names the pool; otherwise AllocOn, FreeOn and FreeAsync are refused with poolrt.ErrUnsupported. The pool cannot detect captures that were not begun by
// package cuda: do not call the three methods during those.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocOn(n int, s cuda.Stream) (block mem.Span, _ error) {
	if feature.Captures {
		if cuda.Capturing() {
			if b, captured, err := p.allocCaptured(n, 1, s); captured {
				return b, err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				return block, err
			}
		}
	}
	if ordered {
		if feature.Sampled {
			p.count(n)
			if p.engine.Due() {
				return p.allocOnSlow(n, s)
			}
		}
		if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
			return p.allocOnSlow(n, s)
		}
		addr, err := p.engine.AllocInOrder(s.Key(), uint64(n)*mem.ItemSize)
		if addr == 0 {
			return p.allocAfter(err, n, s)
		}
		return mem.SpanOf(poolimpl.BlockAt(addr, n)), nil
	}
	if feature.ZeroAlways {
		return p.Alloc(n) // Go code clears the block, so the work of the stream on it must have ended
	}
	if fast {
		if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
			return p.allocOnSlow(n, s)
		}
		if feature.Sharded {
			if countsApart {
				if p.ready().Countdown(uint64(n) * mem.ItemSize).Spend(weight(n)) {
					return p.allocOnSlow(n, s)
				}
			}
			size := uint64(n) * mem.ItemSize
			if feature.Rounds {
				size = p.core.Rounded(size)
			}
			q, addr := p.engine.LockReuse(s.ID(), size)
			if q == nil {
				return p.allocOnSlow(n, s)
			}
			slot, off := p.core.Reuse(addr, uint64(n)*mem.ItemSize)
			q.Unlock()
			block = mem.SpanAt(&p.engine, slot, off, n)
			return block, nil
		} else {
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
					return p.allocOnSlow(n, s)
				}
			}
			addr, ok := p.engine.Reuse(s.Key(), uint64(n)*mem.ItemSize)
			if !ok {
				if exclusive {
					p.engine.Unlock()
				}
				return p.allocOnSlow(n, s)
			}
			slot, off := p.core.Reuse(addr, uint64(n)*mem.ItemSize)
			block = mem.SpanAt(&p.engine, slot, off, n)
			if exclusive {
				p.engine.Unlock()
			}
			return block, nil
		}
	} else {
		if feature.Sampled {
			p.count(n)
		}
		return p.allocOnSlow(n, s)
	}
}

// allocCaptured allocates a block for a graph. It reports false on a stream that is not being captured.
//
//go:noinline
//poolgen:if feature.Captures
func (p *Pool) allocCaptured(n int, align uint64, s cuda.Stream) (block mem.Span, captured bool, _ error) {
	b, captured, err := cuda.AllocCaptured(p.ready(), s, n, mem.ItemSize, align)
	return mem.SpanOf(b), captured, err
}

// allocAfter leaves a request to the engine that the driver, or the limit, has refused.
//
//go:noinline
//poolgen:if ordered && feature.AllocsOn
func (p *Pool) allocAfter(err error, n int, s cuda.Stream) (mem.Span, error) {
	b, err := p.ready().AllocAfter(err, s.Key(), n, mem.ItemSize)
	return mem.SpanOf(b), err
}

// allocOnSlow takes a free block that was not freed on the stream, and leaves the request to the engine if there is none.
//
//go:noinline
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) allocOnSlow(n int, s cuda.Stream) (mem.Span, error) {
	if fast {
		if feature.Rounds {
			if block, ok := p.reuseExact(n, s); ok {
				return block, nil
			}
		}
		if inFlightAfter {
			if block, ok := p.takeOn(n, s); ok {
				return block, nil
			}
		} else if block, ok := p.take(n, 1); ok {
			return block, nil
		}
	}
	b, err := p.ready().AllocOn(s.Key(), n, mem.ItemSize, 1)
	return mem.SpanOf(b), err
}

// takeOn returns a block of the chunks that the pool has, except memory that other streams may be using. If [feature.Rounds], it lies away from the blocks of
// other streams.
//
//poolgen:if fast && inFlightAfter && feature.AllocsOn
func (p *Pool) takeOn(n int, s cuda.Stream) (block mem.Span, ok bool) {
	if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
		return block, false
	}
	if countsApart {
		if p.ready().Countdown(uint64(n) * mem.ItemSize).Due() {
			return block, false
		}
	}
	var slot uint32
	var off uint64
	if feature.Rounds {
		slot, off, ok = p.core.AllocOn(s.ID(), uint64(n)*mem.ItemSize)
	} else if countsApart {
		slot, off, ok = p.core.Alloc(uint64(n)*mem.ItemSize, 1) // which does not count the request once more
	} else {
		slot, off, ok = p.core.AllocFast(uint64(n) * mem.ItemSize)
	}
	if !ok {
		return block, false
	}
	block = mem.SpanAt(&p.engine, slot, off, n)
	if p.engine.SharedInFlightOn(s.ID(), mem.SpanAddr(block), mem.SpanBytes(block)) {
		p.engine.Undo(mem.SpanAddr(block), mem.SpanBytes(block))
		var none mem.Span
		return none, false
	}
	return block, true
}

// reuseExact takes a block of that length that was freed on the stream. It was not rounded up, as memory was short.
//
//poolgen:if feature.Rounds && fast
func (p *Pool) reuseExact(n int, s cuda.Stream) (block mem.Span, ok bool) {
	if poolimpl.Observed || uint64(n)-1 >= mem.MaxItems {
		return block, false
	}
	if countsApart {
		if p.ready().Countdown(uint64(n) * mem.ItemSize).Due() {
			return block, false
		}
	}
	q, addr := p.engine.LockReuse(s.ID(), uint64(n)*mem.ItemSize)
	if q == nil {
		return block, false
	}
	slot, off := p.core.Reuse(addr, uint64(n)*mem.ItemSize)
	q.Unlock()
	return mem.SpanAt(&p.engine, slot, off, n), true
}

// FreeOn frees a block that the work queued on the stream s by now may still use. AllocOn on s may hand the block out again at once. For
// all others it is free when s has completed that work; for another stream also when that stream was made to wait for s. FreeOn refuses
// what Free refuses. If [feature.ByDriver], the block goes back to the driver at once, by one call; if that fails, the block is still live.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeOn(block mem.Span, s cuda.Stream) error { return p.FreeAsync(block, s) }

// FreeAsync frees a block when the stream s has completed the work queued on it by now. Unless [feature.ByDriver], many frees share one event of the driver.
// Unless [feature.Captures], FreeAsync is refused with poolrt.ErrUnsupported on a stream that is being captured: see [cuda.Stream.BeginCapture]. If
// [feature.Captures], on a stream that is being captured the memory is used again by what comes later in the graph.
//
//poolgen:if feature.Streams
func (p *Pool) FreeAsync(block mem.Span, s cuda.Stream) error {
	if feature.Captures {
		if cuda.Capturing() {
			if captured, err := cuda.FreeCaptured(p.ready(), s, mem.SpanAddr(block), mem.SpanBytes(block)); captured {
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
		return p.ready().FreeOn(s.Key(), mem.SpanPlace(block), mem.SpanBytes(block))
	}
	if profiled {
		if p.engine.Sampled(mem.SpanPlace(block)) {
			return p.ready().FreeOn(s.Key(), mem.SpanPlace(block), mem.SpanBytes(block))
		}
	}
	if feature.ByDriver {
		if known, err := p.engine.FreeInOrder(s.Key(), mem.SpanPlace(block), mem.SpanBytes(block)); known {
			return err
		}
		return p.ready().FreeOn(s.Key(), mem.SpanPlace(block), mem.SpanBytes(block))
	}
	if feature.Sharded {
		q := p.engine.LockQueue(s.ID())
		if q == nil {
			return p.ready().FreeOnNew(s.Key(), mem.SpanAddr(block), mem.SpanBytes(block))
		}
		var size uint64 // of requests that can have the block
		var v poolimpl.Verdict
		if feature.Rounds {
			size, v = p.core.DeferRounded(mem.SpanAddr(block), mem.SpanBytes(block))
		} else {
			size, v = mem.SpanBytes(block), p.core.Defer(mem.SpanAddr(block), mem.SpanBytes(block))
		}
		due := false
		if v == poolimpl.Freed && !q.Push(mem.SpanAddr(block), size) {
			due = q.PushSlow(mem.SpanAddr(block), size)
		}
		q.Unlock()
		if v == poolimpl.Freed && !due && !p.engine.HasWaiters() {
			return nil
		}
		return p.ready().FreeOnSlow(s.Key(), v, mem.SpanAddr(block), mem.SpanBytes(block))
	} else {
		due := false
		if exclusive {
			if !p.engine.TryLock() {
				p.engine.LockSlow()
			}
		}
		v := p.core.Defer(mem.SpanAddr(block), mem.SpanBytes(block))
		if v == poolimpl.Freed {
			due = p.engine.Defer(s.Key(), mem.SpanAddr(block), mem.SpanBytes(block))
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
		return p.ready().FreeOnSlow(s.Key(), v, mem.SpanAddr(block), mem.SpanBytes(block))
	}
}

// AllocRefOn is like AllocOn, but returns a [Ref] that owns the block. Release frees the block on s.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocRefOn(n int, s cuda.Stream) (Ref, error) {
	r, err := p.AllocOn(n, s)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.SpanPlace(r)), pool: p, block: r, owns: true, stream: s, onStream: true}, nil
}

// AllocAlignedOn is like AllocOn, for an address that is a multiple of align bytes: a power of two, up to the chunk size.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocAlignedOn(n, align int, s cuda.Stream) (block mem.Span, _ error) {
	if align < 1 || align&(align-1) != 0 || int64(align) > config.ChunkSize {
		return block, p.ready().Refuse(poolimpl.BadAlignment, align, config.ChunkSize)
	}
	if feature.Captures {
		if cuda.Capturing() {
			if b, captured, err := p.allocCaptured(n, uint64(align), s); captured {
				return b, err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				return block, err
			}
		}
	}
	if feature.ZeroAlways {
		if feature.Sampled {
			p.count(n)
		}
		return p.allocSlow(n, uint64(align))
	}
	if feature.Sampled {
		p.count(n)
	}
	b, err := p.ready().AllocOn(s.Key(), n, mem.ItemSize, uint64(align))
	return mem.SpanOf(b), err
}

// AllocContextOn is like AllocOn, but waits until ctx ends for blocks to be freed, and for streams to complete the work before frees on them.
// If ctx ends first, the error matches both ctx.Err() and poolrt.ErrLimit.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocContextOn(ctx context.Context, n int, s cuda.Stream) (block mem.Span, _ error) {
	if feature.Captures {
		if cuda.Capturing() {
			if b, captured, err := p.allocCaptured(n, 1, s); captured {
				return b, err
			}
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				return block, err
			}
		}
	}
	if feature.ZeroAlways {
		return p.AllocContext(ctx, n)
	}
	if feature.Sampled {
		p.count(n)
	}
	b, err := p.ready().AllocContextOn(ctx, s.Key(), n, mem.ItemSize)
	return mem.SpanOf(b), err
}

// WithOn calls f with a block that is used on the stream s first, and frees the block on s when f returns or panics: work that f has queued on s
// may still use it. A nil f is refused with poolrt.ErrNoFunc.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) WithOn(n int, s cuda.Stream, f func(mem.Span) error) (err error) {
	if f == nil {
		return p.ready().Refuse(poolimpl.NoFunc)
	}
	block, err := p.AllocOn(n, s)
	if err != nil {
		return err
	}
	defer func() {
		if failed := p.FreeOn(block, s); failed != nil { // an error of f alone is returned as it is
			err = poolimpl.Join(err, failed)
		}
	}()
	return f(block)
}
