package item

import (
	"errors"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// What stands here is for pools whose suballocator orders its callers by itself, so that no lock is taken.

// freeSharedSlow is the end of a free that somebody waits for, or that was not plainly accepted.
//
//go:noinline
//poolgen:if feature.Sharded
func (p *Pool) freeSharedSlow(slot uint32, v runtime.Verdict, r mem.Ref) error {
	if p.engine.HasWaiters() {
		p.engine.WakeWaiters()
	}
	if v == runtime.Freed {
		return nil
	}
	return p.ready().FreeSlow(slot, v, mem.Addr(r), mem.ItemSize)
}

// undo undoes an allocation that must not be: the block may be on a hot place.
//
//go:noinline
//poolgen:if inFlightAfter
func (p *Pool) undo(r mem.Ref) {
	slot, v := p.core.Undo(mem.Addr(r), mem.ItemSize)
	p.ready().Undo(slot, v, mem.Addr(r), mem.ItemSize)
}

// allocRuns is AllocBatch.
//
//poolgen:if feature.Sharded
func (p *Pool) allocRuns(dst []mem.Ref) (int, error) {
	n := p.takeRuns(dst)
	if inFlightAfter {
		if p.engine.SharedInFlight() {
			for _, r := range dst[:n] {
				p.undo(r)
			}
			n = 0
		}
	}
	if feature.ZeroAlways {
		for _, r := range dst[:n] {
			mem.Zero(r)
		}
	}
	if clears {
		return p.growBatch(dst, n)
	}
	if n < len(dst) {
		return p.growBatch(dst, n)
	}
	return n, nil
}

// takeRuns fills dst with free blocks, those that lie together in one step, and returns how many there were.
//
//poolgen:if feature.Sharded
func (p *Pool) takeRuns(dst []mem.Ref) (n int) {
	for n < len(dst) {
		slot, run := p.core.AllocRun(uint64(len(dst) - n))
		rest, off, ok := run.Next()
		if !ok {
			break
		}
		for ; ok; rest, off, ok = rest.Next() {
			dst[n] = mem.At(&p.engine, slot, off)
			n++
		}
	}
	return n
}

// freeRuns is FreeBatch: neighbours in refs that lie together are freed in one step.
//
//poolgen:if feature.Sharded
func (p *Pool) freeRuns(refs []mem.Ref) error {
	var errs []error
	for len(refs) > 0 {
		n, slot, v := p.giveRun(refs)
		if v != runtime.Freed || p.engine.HasWaiters() {
			if err := p.freeSharedSlow(slot, v, refs[0]); err != nil {
				errs = append(errs, err)
			}
		}
		refs = refs[n:]
	}
	return errors.Join(errs...)
}

// giveRun frees some of the first of refs: all that lie together, or, if one of these is not live, the first alone.
//
//poolgen:if feature.Sharded
func (p *Pool) giveRun(refs []mem.Ref) (n int, slot uint32, v runtime.Verdict) {
	run := p.core.Gather(mem.Addr(refs[0]))
	for n < len(refs) {
		longer, ok := run.Join(mem.Addr(refs[n]))
		if !ok {
			break
		}
		run = longer
		n++
	}
	if n > 1 {
		if slot, v = p.core.FreeRun(run); v == runtime.Freed || v == runtime.Emptied {
			return n, slot, v
		}
	}
	slot, v = p.core.Free(mem.Addr(refs[0]), mem.ItemSize)
	return 1, slot, v
}
