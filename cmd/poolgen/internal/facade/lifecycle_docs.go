package facade

import (
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// The comments of the methods of lifecycle.go.

// trackDoc and untrackDoc describe the methods that add numbers to a pool and remove them.
const (
	trackDoc = "makes the numbers first to first+n-1 available. They count against the pool's limit: a range that\n" +
		"it has no room for is refused with poolrt.ErrLimit, and one that is empty or overlaps numbers of the pool with poolrt.ErrBadSize."
	untrackDoc = "takes away a range that was given to Track. It is refused with poolrt.ErrLive while one of its numbers is in use,\nand with poolrt.ErrForeign if it was not tracked as one range."
)

// limitDoc describes SetLimit.
func (p *pool) limitDoc() string {
	s := "SetLimit changes the limit to so many bytes. A lower one returns empty chunks where needed; below what chunks with live blocks hold it is refused\n" +
		"with poolrt.ErrLive and changes nothing. A higher one wakes those who wait for memory"
	if p.Numbers() {
		s = "SetLimit changes the limit. Below the numbers that are tracked it is refused with poolrt.ErrLive and changes nothing: Untrack takes some away first"
	}
	if p.Spec.MaxLimit == spec.NoLimit {
		return s + "."
	}
	return s + "; above " + p.mostText() + " it is refused\nwith poolrt.ErrBadSize."
}

func (p *pool) statsDoc() string {
	switch {
	case !p.Spec.Shared():
		return "Stats returns the pool's counters, exact and taken together. Cost: one pass over the chunks."
	case len(p.Slabs) > 0:
		return "Stats returns the pool's counters, exact if nobody uses it meanwhile; PeakBytes is an estimate. Cost: one pass over the\nchunks, and over the blocks of slabs that have changed since the last calls."
	default:
		return "Stats returns the pool's counters, exact if nobody uses it meanwhile; PeakBytes is an estimate. Cost: one pass over the chunks."
	}
}

// classesDoc describes Classes: what it visits depends on where the blocks of a class lie.
func (p *pool) classesDoc() string {
	s := "Classes returns the blocks and the memory of each size class, by size, and after these the rest of the pool, with size 0" +
		choose(p.Spec.Shared(), ". It is\nexact if nobody uses the pool meanwhile. Cost: ", ".\nCost: ")
	inSlabs := p.Spec.Suballocator != spec.Classes || len(p.Slabs) > 0
	inHeap := p.Spec.Suballocator == spec.Classes || p.Can.FreeAsync
	return s + "one pass over " + choose(inSlabs && inHeap, "the slabs and the blocks", choose(inSlabs, "the slabs", "the blocks")) + "."
}

// pollDoc describes Poll: what is due in a pool depends on its streams and its trim policy.
func (p *pool) pollDoc() string {
	idle := p.Spec.Trim != nil && p.Spec.Trim.Idle > 0
	switch returns := "returns chunks that have been empty for " + p.idleText() + " to the allocator"; {
	case p.Can.FreeAsync && idle:
		return "Poll reclaims the blocks whose streams have passed their frees, and " + returns + ".\nThe result is the number of frees reclaimed."
	case p.Can.FreeAsync:
		return "Poll reclaims the blocks whose streams have passed their frees. The result is the number of frees reclaimed."
	case idle:
		return "Poll " + returns + ". The result is 0, as the pool has no streams."
	}
	return "Poll has nothing to do in this pool, which has no streams and no trim policy with idle. The result is 0."
}

// idleText is how long a chunk has to be empty before the pool returns it.
func (p *pool) idleText() string {
	if p.Spec.Trim == nil {
		return ""
	}
	return p.Spec.Trim.Idle.String()
}

func (p *pool) snapshotDoc() string {
	s := "Snapshot lists what the pool holds, block by block, with 40 bytes for each."
	if p.Spec.Concurrency == spec.Unlocked {
		return s + " Other goroutines can only get the pool's last statistics."
	}
	return s + " The pool is locked for a few thousand of them at a time."
}

func (p *pool) effectiveDoc() string {
	s := "Effective returns the allocator in force and, where it is not the one asked for, why."
	if p.Spec.NeedsDriver() {
		s += "\nIt binds an unused pool to its device first. Where no allocator works it returns \"\" and why."
	}
	return s
}

// dropDoc describes Reset in a pool that also frees blocks one by one.
func (p *pool) dropDoc() string {
	s := "Reset frees every block at once, live ones included, and keeps the chunks for the next ones. Cost: one pass over the chunks" +
		choose(len(p.Slabs) > 0, "\nand slabs", "") + ", however many blocks are live." +
		"\nBlocks handed out before must no longer be used: a free of one is refused as a second free is, until its place is handed out again."
	if when := p.meanwhileDoc(); when != "" {
		s += "\n" + strings.TrimSpace(when)
	}
	if p.Can.FreeAsync {
		s += "\nIt waits for streams that have not passed their frees. No work may be pending on live blocks." +
			choose(p.ClearsOnDevice(), "\nAn AllocOn under way queues such work: a stream clears the block.", "")
	}
	if p.Lends {
		s += "\nWhile other pools hold blocks that they have borrowed, it is refused with poolrt.ErrLive."
	}
	return s
}

func (p *pool) resetDoc() string {
	if p.Can.Free {
		return "Reset starts again at the beginning of the first " + choose(p.Spec.Suballocator.Info().Arenas, "arena", "chunk") + ". While blocks are live it is refused with poolrt.ErrLive."
	}
	return "Reset frees every block at once and keeps the chunks for the next ones.\nBlocks handed out before must no longer be used." + p.meanwhileDoc()
}

// meanwhileDoc describes allocations during a Reset that ignores live blocks.
func (p *pool) meanwhileDoc() string {
	if p.Spec.Concurrency == spec.Unlocked {
		return ""
	}
	return " The same may apply to blocks whose allocation was under way meanwhile."
}

func (p *pool) closeDoc() string {
	if p.Can.Free {
		return "Close returns all memory and ends the pool. While blocks are live it is refused with poolrt.ErrLive and their number,\nand the pool goes on. Closing again is no error; every other call is refused with poolrt.ErrClosed from then on." + p.drainDoc()
	}
	return "Close returns all memory and ends the pool, even if blocks are handed out. Closing again is no error; every other call\nis refused with poolrt.ErrClosed from then on."
}

// drainDoc describes what Close does about frees on streams.
func (p *pool) drainDoc() string {
	if !p.Can.FreeAsync {
		return ""
	}
	return "\nIt waits for streams that have not passed their frees."
}

// leaksDoc says which blocks the method Leaks lists.
func (p *pool) leaksDoc() string {
	doc := "Leaks lists live blocks by the calls that allocated them. "
	if p.Spec.Profile {
		return doc + "Programs built with the tag pooldebug know all of these, others a\nsample."
	}
	return doc + "Programs built with the tag pooldebug know all of these, with\npooltrace a sample, and others none."
}
