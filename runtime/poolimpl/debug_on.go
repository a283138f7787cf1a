//go:build pooldebug

package poolimpl

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Spacing is how far apart blocks lie: a block has as much memory again behind it, for the red zones. What a core
// calls an address is the place of the block divided by Spacing. So limits, chunks and counts are those of a build without the tag, whatever the
// core, and what stands behind a block is never another block.
const Spacing = 2

// Generation tells a handle of a block from those of blocks that had its place before.
type Generation struct{ serial uint64 }

// debugState is what a pool of a debug build knows of its blocks. Its lock is taken with any pool's lock held or not, and never the other way
// round; nobody holds those of two pools.
type debugState struct {
	mu       sync.Mutex
	spacing  uint64 // 1 where blocks do not lie apart
	rounding uint64 // blocks are given multiples of so many bytes; 1: they are all equally long

	blocks map[uint64]*blockRecord // those that are not free for the core, by place; nil: blocks are not watched
	recent recentFrees
	serial uint64         // of the block handed out last
	marks  map[any]uint64 // the same, when a mark was made
	since  uint64         // the same, for the mark that is being released
	sweeps uint64         // how often blocks were taken back all at once

	allocs     uint64 // blocks handed out, but for those of other pools
	live       int    // of these
	used, peak uint64 // bytes of these, now and at most

	held      []*blockRecord // the quarantine, in the order of frees
	heldBytes uint64
	bypassing int      // callers that need what is free: no block goes to the quarantine
	samples   []sample // red zones on their way here, in the order of frees on streams
	reports   []error  // what was found when no call could say so

	owner owner
}

// init begins to watch the blocks of a pool.
func (d *debugState) init(c *Config) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spacing, d.rounding = max(c.Spacing, 1), max(c.Rounding, 1)
	if c.Spacing > 0 {
		d.blocks = map[uint64]*blockRecord{}
	}
}

// watches reports whether the blocks of the pool are watched. It does not change.
func (d *debugState) watches() bool { return d.blocks != nil }

// apart is how far apart the pool's blocks lie.
func (d *debugState) apart() uint64 { return d.spacing }

// owner is the goroutine that is in a call of a pool without a lock.
type owner struct {
	calls int // within each other
	trace callTrace
}

// beginUse begins a call of a pool. One without a lock that is in another call, by another goroutine, refuses with [poolrt.ErrOwner]: which goroutine uses such
// a pool is up to the program, but there is one at a time.
//
// The call is for the methods alloc and free of observed: all blocks of a batch have one.
func (d *debugState) beginUse(e *Engine, op string) (Call, error) {
	now := here()
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.config.Locked {
		return Call{d.sweeps, &now}, nil
	}
	if d.owner.calls > 0 && d.owner.trace.goroutine != now.goroutine {
		var b strings.Builder
		b.WriteString("the pool has no lock (concurrency: none)")
		d.owner.trace.write(&b, "a call that has not returned yet was made")
		now.write(&b, "and this one")
		return Call{}, &poolrt.PoolError{Pool: e.name.get(), Op: op, Err: poolrt.ErrOwner, Detail: b.String(), Limit: e.limits.limit, Unit: "none"} // the figures are the other's
	}
	if d.owner.calls == 0 {
		d.owner.trace = now
	}
	d.owner.calls++
	return Call{d.sweeps, &now}, nil
}

// Call is a call of a pool. The zero value stands for one that begins there where it is given.
type Call struct {
	sweeps uint64 // how often all blocks had been taken back by then
	trace  *callTrace
}

// endUse ends what beginUse began.
func (d *debugState) endUse(e *Engine) {
	if e.config.Locked {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner.calls--
}

// goroutine is the number of the calling one, as stack traces give it.
func goroutine() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, _, _ = bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
