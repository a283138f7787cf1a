package item

import (
	"errors"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocBatch fills dst with free blocks and returns their number: all of them, or none and an error, and then dst is
// cleared and the pool as it was, save that its peak may tell of the blocks that it had got by then. A batch costs one lock, if the pool has any.
func (p *Pool) AllocBatch(dst []mem.Ref) (int, error) {
	if runtime.Observed {
		return p.watchedBatch(dst)
	}
	if feature.Sharded {
		return p.allocRuns(dst)
	} else {
		n := p.takeBatch(dst)
		if clears {
			return p.growBatch(dst, n)
		}
		if n < len(dst) {
			return p.growBatch(dst, n)
		}
		return n, nil
	}
}

// growBatch fills the rest of dst, from n on, one by one. If that fails, the chunks that came meanwhile go back.
//
//go:noinline
func (p *Pool) growBatch(dst []mem.Ref, n int) (int, error) {
	before := p.ready().Stats().Reserved
	for ; n < len(dst); n++ {
		var err error
		if clears {
			dst[n], err = p.uncleared()
		} else {
			dst[n], err = p.one()
		}
		if err != nil {
			return p.failBatch(dst, n, before, err)
		}
	}
	if clears { // all at once, as each wait takes longer than a clearing
		if err := p.ready().ClearBatch(n, mem.ItemSize, func(i int) uint64 { return mem.Addr(dst[i]) }); err != nil {
			return p.failBatch(dst, n, before, err)
		}
	}
	return n, nil
}

// one is Alloc for a batch that has taken what was at hand.
func (p *Pool) one() (mem.Ref, error) {
	if r, ok := p.take(); ok {
		return r, nil
	}
	return p.allocCold()
}

// failBatch undoes a batch that had got n blocks, in a pool that had so many bytes reserved before.
func (p *Pool) failBatch(dst []mem.Ref, n int, before int64, err error) (int, error) {
	err = errors.Join(err, p.undoBatch(dst[:n]))
	if _, failed := p.ready().Trim(before); !errors.Is(failed, runtime.ErrClosed) {
		err = errors.Join(err, failed)
	}
	clear(dst)
	return 0, err
}

// undoBatch takes back what a batch had got when it failed.
func (p *Pool) undoBatch(dst []mem.Ref) error {
	var errs []error
	for _, r := range dst {
		if exclusive {
			p.engine.Lock()
		}
		slot, v := p.core.Undo(mem.Addr(r), mem.ItemSize)
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
		if v != runtime.Freed { // its chunk is empty now, or it came from another pool
			if err := p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// takeBatch fills as much of dst as the chunks that are there can serve.
//
//poolgen:if !feature.Sharded
func (p *Pool) takeBatch(dst []mem.Ref) int {
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
	rest := p.takeListed(dst)
	for len(rest) > 0 && p.core.Refill(uint64(len(rest))) {
		rest = p.takeListed(rest)
	}
	if exclusive {
		p.engine.Unlock()
	}
	n := len(dst) - len(rest)
	if feature.ZeroAlways {
		for _, r := range dst[:n] {
			mem.Zero(r)
		}
	}
	return n
}

// takeListed fills dst with blocks of the current chunk while its list has any, and returns what is left of dst.
//
//poolgen:if !feature.Sharded
func (p *Pool) takeListed(dst []mem.Ref) []mem.Ref {
	slot, _, list := p.core.FreeList()
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
	p.core.Allocated(list, uint64(n))
	return dst[n:]
}

// FreeBatch gives blocks back. Those that are not live blocks of this pool are refused, the others freed; the errors
// come joined.
func (p *Pool) FreeBatch(refs []mem.Ref) error {
	if runtime.Observed {
		return p.freeEach(refs)
	}
	if feature.Sharded {
		return p.freeRuns(refs)
	} else {
		var errs []error
		for {
			n := p.giveBatch(refs)
			if n == len(refs) {
				return errors.Join(errs...)
			}
			if err := p.freeSlow(refs[n]); err != nil {
				errs = append(errs, err)
			}
			refs = refs[n+1:]
		}
	}
}

// giveBatch frees blocks up to one that needs the slow path, and returns how many.
//
//poolgen:if !feature.Sharded
func (p *Pool) giveBatch(refs []mem.Ref) int {
	n := 0
	if exclusive {
		p.engine.Lock()
	}
	_, base, list := p.core.FreeList()
	for _, r := range refs[:p.core.MaxFrees(len(refs))] {
		longer, ok := list.Push(mem.Addr(r) - base)
		if !ok {
			break
		}
		list = longer
		n++
	}
	p.core.Freed(list, uint64(n))
	if exclusive {
		if p.engine.HasWaiters() {
			p.engine.ServeWaiters()
		}
		p.engine.Unlock()
	}
	return n
}
