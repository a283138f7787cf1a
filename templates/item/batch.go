package item

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocBatch fills dst with free blocks and returns len(dst), or it returns 0 and an error. With an error dst is cleared, and the pool is
// as before, except that its peak may include the blocks. If [exclusive], all blocks that need no new chunk cost one lock.
func (p *Pool) AllocBatch(dst []mem.Ref) (int, error) {
	n := p.takeBatch(dst)
	if n < len(dst) {
		return poolimpl.CompleteBatch(p.ready(), dst, n, mem.ItemSize, mem.Of, mem.Addr, p.takeBatch)
	}
	return n, nil
}

// takeBatch fills dst as far as the chunks of the pool have free blocks, and returns the number of blocks.
//
// If [feature.Sampled], it stops before a block that is to be sampled.
func (p *Pool) takeBatch(dst []mem.Ref) int {
	if fast {
		if poolimpl.Observed {
			return 0
		}
		if feature.Sharded {
			return p.takeRuns(dst, p.core.AllocRun)
		} else {
			if exclusive {
				p.engine.Lock()
			}
			if inFlightBefore {
				if p.engine.InFlight() {
					if exclusive {
						p.engine.Unlock()
					}
					return 0
				}
			}
			if counts {
				dst = dst[:p.engine.SpendSome(len(dst), weight)]
			}
			rest := p.takeListed(dst)
			for len(rest) > 0 && p.core.Common().Refill(uint64(len(rest))) {
				rest = p.takeListed(rest)
			}
			if counts {
				p.engine.Return(len(rest), weight)
			}
			if feature.ZeroAlways {
				for _, r := range dst[:len(dst)-len(rest)] {
					mem.Zero(&p.engine, r)
				}
			}
			if exclusive {
				p.engine.Unlock()
			}
			return len(dst) - len(rest)
		}
	} else {
		return 0
	}
}

// takeListed fills dst with blocks from the list of the current chunk, and returns the rest of dst.
//
//poolgen:if fast && !feature.Sharded
func (p *Pool) takeListed(dst []mem.Ref) []mem.Ref {
	slot, list := p.core.FreeList()
	n := 0
	for n < len(dst) {
		rest, off, ok := list.Pop()
		if !ok {
			break
		}
		list = rest
		dst[n] = mem.At(&p.engine, slot, off)
		n++
	}
	p.core.Common().TookFrom(list.Head, uint64(n))
	return dst[n:]
}

// takeRuns is takeBatch for blocks that lie together, which alloc takes in one step.
//
//poolgen:if fast && feature.Sharded
func (p *Pool) takeRuns(dst []mem.Ref, alloc func(n uint64) (slot uint32, r strict.Run)) (n int) {
	if clears {
		if !p.engine.BeginClear() {
			return 0
		}
	}
	if countsApart {
		dst = dst[:p.ready().Countdown(mem.ItemSize).SpendSome(len(dst), weight)]
	}
	for n < len(dst) {
		slot, run := alloc(uint64(len(dst) - n))
		rest, off, ok := p.core.Next(run)
		if !ok {
			break
		}
		for ; ok; rest, off, ok = p.core.Next(rest) {
			dst[n] = mem.At(&p.engine, slot, off)
			n++
		}
	}
	if inFlightAfter {
		if p.engine.SharedInFlight() {
			if clears {
				p.engine.EndClear()
			}
			for _, r := range dst[:n] {
				p.engine.Undo(mem.Addr(r), mem.ItemSize)
			}
			if countsApart {
				p.ready().Countdown(mem.ItemSize).Return(len(dst), weight)
			}
			return 0
		}
	}
	if countsApart {
		p.ready().Countdown(mem.ItemSize).Return(len(dst)-n, weight)
	}
	if feature.ZeroAlways {
		for _, r := range dst[:n] {
			mem.Zero(&p.engine, r)
		}
	}
	if clears {
		p.engine.EndClear()
	}
	return n
}

// FreeBatch frees blocks. What is not a live block of this pool is refused, the others are freed; the errors are joined.
func (p *Pool) FreeBatch(blocks []mem.Ref) error {
	if poolimpl.Observed {
		return poolimpl.FreeEach(p.ready(), blocks, mem.ItemSize, mem.Place)
	}
	n := p.giveBatch(blocks)
	if n == len(blocks) {
		return nil
	}
	return poolimpl.FreeRest(blocks[n:], p.Free, p.giveBatch)
}

// giveBatch frees blocks up to the first one that needs the slow path, and returns how many.
func (p *Pool) giveBatch(blocks []mem.Ref) (n int) {
	if feature.Sharded {
		return p.giveRuns(blocks)
	} else {
		if exclusive {
			p.engine.Lock()
		}
		base, list := p.core.NearList()
		for _, r := range blocks[:p.core.Common().MaxFrees(len(blocks))] {
			if profiled {
				if p.engine.Sampled(mem.Place(r)) {
					break
				}
			}
			longer, ok := list.Push(mem.Addr(r) - base)
			if !ok {
				break
			}
			list = longer
			n++
		}
		p.core.Common().PutOn(list.Head, uint64(n))
		if exclusive {
			p.engine.UnlockFreed()
		}
		return n
	}
}

// giveRuns is giveBatch for runs: neighbours in blocks that lie together are freed in one step.
//
//poolgen:if feature.Sharded
func (p *Pool) giveRuns(blocks []mem.Ref) (n int) {
	for n < len(blocks) {
		run, first := p.core.Gather(mem.Addr(blocks[n])), n
		for n < len(blocks) {
			if profiled {
				if p.engine.Sampled(mem.Place(blocks[n])) {
					break
				}
			}
			longer, ok := p.core.Join(run, mem.Addr(blocks[n]))
			if !ok {
				break
			}
			run = longer
			n++
		}
		slot, v := p.core.FreeRun(run)
		if v != poolimpl.Freed && v != poolimpl.Emptied {
			return first
		}
		if v == poolimpl.Emptied || p.engine.HasWaiters() {
			p.ready().FreeSlow(slot, v, mem.Addr(blocks[first]), mem.ItemSize) // no error, as the run was freed
		}
	}
	return n
}
