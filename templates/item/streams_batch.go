package item

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Streams // the condition of the declarations below

// AllocBatchOn fills dst with blocks that are used on the stream s first and returns len(dst), or it returns 0 and an error. With an error dst is
// cleared, and the blocks that were found are freed on s: they count as allocated and freed. All blocks that were freed on s cost one lock, and all
// others that need no new chunk cost another.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) AllocBatchOn(dst []mem.Ref, s cuda.Stream) (int, error) {
	if feature.Captures {
		if s.Captured() {
			return p.allocBatchCaptured(dst, s)
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.AllocCaptured); err != nil {
				clear(dst)
				return 0, err
			}
		}
	}
	if feature.ZeroAlways {
		return p.AllocBatch(dst) // Go code clears the blocks, so the work of the stream on them must have ended
	}
	n := p.takeBatchOn(dst, s)
	if n < len(dst) {
		take := func(rest []mem.Ref) int { return p.takeBatchOn(rest, s) }
		return poolimpl.CompleteBatchOn(p.ready(), s.Key(), dst, n, mem.ItemSize, mem.Of, mem.Addr, take)
	}
	return n, nil
}

// allocBatchCaptured fills dst with blocks for a graph.
//
//poolgen:if feature.Captures
func (p *Pool) allocBatchCaptured(dst []mem.Ref, s cuda.Stream) (n int, err error) {
	for n < len(dst) {
		if dst[n], err = p.AllocOn(s); err != nil {
			break
		}
		n++
	}
	if err == nil {
		return n, nil
	}
	err = poolimpl.Join(err, p.FreeBatchOn(dst[:n], s))
	clear(dst)
	return 0, err
}

// takeBatchOn fills dst with blocks that were freed on the stream, then with those that are free for all, and returns the number of blocks. If [feature.Sampled],
// it stops before a block that is to be sampled.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) takeBatchOn(dst []mem.Ref, s cuda.Stream) (n int) {
	if fast {
		if poolimpl.Observed {
			return 0
		}
		if feature.Sharded {
			if countsApart {
				dst = dst[:p.ready().Countdown(mem.ItemSize).SpendSome(len(dst), weight)]
			}
			if q := p.engine.LockQueue(s.ID()); q != nil {
				for n < len(dst) {
					addr, ok := q.Reuse(mem.ItemSize)
					if !ok {
						break
					}
					slot, off := p.core.Common().Reuse(addr, mem.ItemSize)
					dst[n] = mem.At(&p.engine, slot, off)
					n++
				}
				q.Unlock()
			}
			if countsApart {
				p.ready().Countdown(mem.ItemSize).Return(len(dst)-n, weight)
			}
			return n + p.takeRuns(dst[n:], func(some uint64) (uint32, strict.Run) { return p.core.AllocRunOn(s.ID(), some) })
		} else {
			if exclusive {
				p.engine.Lock()
			}
			if counts {
				dst = dst[:p.engine.SpendSome(len(dst), weight)]
			}
			for n < len(dst) {
				addr, ok := p.engine.Reuse(s.Key(), mem.ItemSize)
				if !ok {
					break
				}
				slot, off := p.core.Common().Reuse(addr, mem.ItemSize)
				dst[n] = mem.At(&p.engine, slot, off)
				n++
			}
			if counts {
				p.engine.Return(len(dst)-n, weight)
			}
			if exclusive {
				p.engine.Unlock()
			}
			return n + p.takeBatch(dst[n:])
		}
	} else {
		return 0
	}
}

// FreeBatchOn frees blocks that the work queued on the stream s by now may still use, as FreeOn does. What is not a live block of this pool is
// refused, the others are freed; the errors are joined. Unless [feature.Captures], nothing is freed on a
// stream that is being captured, and the error is poolrt.ErrUnsupported.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) FreeBatchOn(blocks []mem.Ref, s cuda.Stream) error {
	if feature.Captures {
		if s.Captured() {
			free := func(r mem.Ref) error { return p.FreeAsync(r, s) }
			return poolimpl.FreeRest(blocks, free, func([]mem.Ref) int { return 0 })
		}
	} else {
		if cuda.Capturing() {
			if err := cuda.RefuseCaptured(p.ready(), s, poolimpl.FreeCaptured); err != nil {
				return err
			}
		}
	}
	if poolimpl.Observed {
		return poolimpl.FreeEachOn(p.ready(), s.Key(), blocks, mem.ItemSize, mem.Place)
	}
	n := p.giveBatchOn(blocks, s)
	if n == len(blocks) {
		return nil
	}
	free := func(r mem.Ref) error { return p.FreeAsync(r, s) }
	give := func(rest []mem.Ref) int { return p.giveBatchOn(rest, s) }
	return poolimpl.FreeRest(blocks[n:], free, give)
}

// giveBatchOn frees blocks on the stream up to the first one that is refused, or with which an epoch of a stream is full. It returns how many.
//
//poolgen:if feature.Streams && feature.AllocsOn
func (p *Pool) giveBatchOn(blocks []mem.Ref, s cuda.Stream) (n int) {
	if profiled {
		if len(blocks) > 0 && p.engine.Sampled(mem.Place(blocks[0])) {
			return 0
		}
	}
	if feature.Sharded {
		q := p.engine.LockQueue(s.ID())
		if q == nil {
			return 0
		}
		due := false
		for n < len(blocks) && !due && p.core.Common().Defer(mem.Addr(blocks[n]), mem.ItemSize) == poolimpl.Freed {
			due = q.Defer(mem.Addr(blocks[n]), mem.ItemSize)
			n++
			if profiled {
				if n < len(blocks) && p.engine.Sampled(mem.Place(blocks[n])) {
					break
				}
			}
		}
		q.Unlock()
		if due || p.engine.HasWaiters() {
			_ = p.ready().FreeOnSlow(s.Key(), poolimpl.Freed, 0, 0) // no error, as the blocks were freed
		}
	} else {
		due := false
		if exclusive {
			p.engine.Lock()
		}
		for n < len(blocks) && !due && p.core.Common().Defer(mem.Addr(blocks[n]), mem.ItemSize) == poolimpl.Freed {
			due = p.engine.Defer(s.Key(), mem.Addr(blocks[n]), mem.ItemSize)
			n++
			if profiled {
				if n < len(blocks) && p.engine.Sampled(mem.Place(blocks[n])) {
					break
				}
			}
		}
		if exclusive {
			p.engine.UnlockFreed()
		}
		if due {
			_ = p.ready().FreeOnSlow(s.Key(), poolimpl.Freed, mem.Addr(blocks[n-1]), mem.ItemSize) // no error, as the block was freed
		}
	}
	return n
}
