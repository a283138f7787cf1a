package runtime

import "fmt"

// remedies lists what would have made a request fit that has just failed, each as a part of a sentence. The lock is held.
func (e *Engine) remedies(r request, kind error, a *Account, largest int64) (out []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	bytes, unit, budget := clampInt64(r.bytes), e.unit(), e.config.Budget
	need, want := e.chunkSizes(r)
	least := e.need(r)
	switch kind {
	case ErrTooLarge:
		add(least == NoLimit, "a shorter request: no chunk of any size holds this one")
		add(least != NoLimit && least > e.limit, "a limit of at least %d", least)
		add(least != NoLimit && least > budget.Limit(), "a budget %q of at least %d", budget.Name(), least)
		add(least != NoLimit && !e.config.Oversize && least > e.chunk, "a chunk_size of at least %d", least)
	case ErrLimit:
		another := need != NoLimit && !e.config.Imported
		add(another && need > e.limit-e.reserved, "a limit of %d, which leaves room for another chunk of %d", e.reserved+need, need)
		short := need - budget.left()
		add(another && short > 0, "a budget %q of %d", budget.Name(), budget.Limit()+short)
		add(another && short > 0 && budget.Reserved()-e.reserved >= short, "%d less in the other pools of that budget", short)
		add(a.Free >= bytes && largest < bytes, "the %d %s that are free in one piece, not in several of at most %d (see fit, and chunk_size)", a.Free, unit, largest)
		add(e.config.Locked && a.Blocks > 0 && !e.waits(r), "the rung wait, if other goroutines free blocks soon")
	case ErrOutOfMemory:
		add(want > least && least != NoLimit, "a smaller chunk_size: the request needs %d, and the allocator was asked for more", least)
		add(want <= least, "%d more %s from the allocator", least, unit)
	}
	if kind != ErrTooLarge {
		for _, p := range a.Parked {
			add(p.Bytes >= bytes, "an end of the work of stream %d, behind which %d %s are parked", p.Stream, p.Bytes, unit)
		}
	}
	return out
}

// waits reports whether the request waits for a free before it fails.
func (e *Engine) waits(r request) bool {
	if r.ctx != nil {
		return true
	}
	for _, rung := range e.config.Ladder {
		if rung.Kind == RungWait {
			return true
		}
	}
	return false
}
