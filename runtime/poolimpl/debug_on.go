//go:build pooldebug

package poolimpl

import "sync"

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

// spacing is how far apart the pool's blocks lie.
func (e *Engine) spacing() uint64 { return e.observed.debug.spacing }
