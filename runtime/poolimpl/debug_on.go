//go:build pooldebug

package poolimpl

import (
	"strings"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Spacing is the factor by which blocks lie apart: a block is followed by as much memory again, for the red zones. To a core, the address of a block is its
// place divided by Spacing. So limits, chunks and counts are those of a build without the tag, whatever the core, and a block is never directly followed by
// another one.
const Spacing = 2

// Generation distinguishes a block from earlier and later blocks in its place.
type Generation struct{ serial uint64 }

// debugState is what a pool of a debug build records of its blocks. A caller may hold the mu of an engine when it locks a debugState, but does not lock an
// engine while it holds d.mu, and holds d.mu of one pool only.
type debugState struct {
	mu       sync.Mutex
	spacing  uint64 // factor by which blocks lie apart; 1: they do not
	rounding uint64 // the suballocator allocates multiples of so many bytes; 1: all blocks have the same length

	blocks map[uint64]*blockRecord // blocks that are not free in the core, by place; nil: blocks are not watched
	recent recentFrees
	unused []*blockRecord
	serial uint64         // of the block handed out last
	marks  map[any]uint64 // serial at the time of each mark
	since  uint64         // serial of the mark that is being released
	sweeps uint64         // number of times that blocks were freed all at once

	allocs     uint64 // blocks handed out, except those of other pools
	live       int    // live blocks, likewise
	used, peak uint64 // bytes of the live blocks: now and at most

	stacks callStacks
	sites  map[*uintptr]*liveSite // live blocks, those of other pools included, by their call stacks

	held      []*blockRecord // the quarantine, in the order of frees
	heldBytes uint64
	bypassing int      // callers that need what is free: while there are any, no block enters the quarantine
	asleep    bool     // blocks have no memory: see [Engine.Sleep]
	samples   []sample // copies of red zones that streams are making, in the order of frees
	reports   []error  // damage that no call has returned yet

	owner owner
}

// init prepares the state of a pool, and begins to watch its blocks if Config.Spacing is set.
func (d *debugState) init(c *Config) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spacing, d.rounding = max(c.Spacing, 1), max(c.Rounding, 1)
	if c.Spacing > 0 {
		d.blocks = map[uint64]*blockRecord{}
	}
}

// watches reports whether the blocks of the pool are watched. The answer never changes after init.
func (d *debugState) watches() bool { return d.blocks != nil }

// apart returns the factor by which the pool's blocks lie apart.
func (d *debugState) apart() uint64 { return d.spacing }

// owner is the goroutine that is in a call of a pool without a lock.
type owner struct {
	calls int // depth of nested calls
	trace callTrace
}

// beginUse begins a call of a pool. If the pool has no lock and another goroutine is in a call of it, beginUse refuses with [poolrt.ErrOwner]: any goroutine
// may use such a pool, but only one at a time.
//
// All blocks of a batch share one Call, which observed.alloc takes.
func (d *debugState) beginUse(e *Engine, op string) (Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.here()
	if e.generated.Locked {
		return Call{d.sweeps, now}, nil
	}
	if d.owner.calls > 0 && d.owner.trace.goroutine != now.goroutine {
		var b strings.Builder
		b.WriteString("the pool has no lock (concurrency: none)")
		d.owner.trace.write(&b, "a call that has not returned yet was made")
		now.write(&b, "and this one")
		// The figures belong to the other goroutine, so the error has none.
		return Call{}, &poolrt.PoolError{Pool: e.name.get(), Op: op, Err: poolrt.ErrOwner, Detail: b.String(), Limit: e.limits.limit, Unit: "none"}
	}
	if d.owner.calls == 0 {
		d.owner.trace = now
	}
	d.owner.calls++
	return Call{d.sweeps, now}, nil
}

// Call identifies a call of a pool. The zero value stands for a call that begins where it is used.
type Call struct {
	sweeps uint64 // debugState.sweeps when the call began
	trace  callTrace
}

// endUse ends the call that beginUse began.
func (d *debugState) endUse(e *Engine) {
	if e.generated.Locked {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner.calls--
}
