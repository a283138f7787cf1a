package runtime

import (
	"fmt"
	"slices"
	"strings"
)

// inSeveral says, for each suballocator that the pool file tells more about than chunk_size, which keys decide that free memory is in one piece. For
// others usualKey does, or none: where all blocks are equally long no piece is too small.
var inSeveral = map[string]string{
	"heap":    "see fit, and chunk_size",
	"binned":  "see bins, and chunk_size",
	"classes": "see bins, cache, and chunk_size",
	"ring":    "see chunk_size, and arena_size where it is set",
}

const usualKey = "see chunk_size: a block lies within one chunk"

// arenas lists the suballocators whose blocks lie within a part of a chunk, the size of which is a key of its own.
var arenas = []string{"ring"}

// remedies lists what would have made a request fit that has just failed, each as a part of a sentence. The lock is held.
func (e *Engine) remedies(r request, kind error, a *Account, largest int64) (out []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	bytes, unit := clampInt64(r.bytes), e.unit()
	switch kind {
	case ErrTooLarge:
		s := e.fitting(r)
		add(s != "", "%s", s)
		return out
	case ErrLimit:
		s := e.roomier(r)
		add(s != "", "%s", s)
		short := e.budgetShort(r)
		others := e.config.Budget.Reserved() - e.limits.reserved
		add(short > 0 && others >= short, "%d less in the other pools of budget %q, where Trim gives back what is empty%s", short, e.config.Budget.Name(), e.trimHint())
		add(!e.config.Direct && a.Free >= bytes && 0 < largest && largest < bytes, "the %d %s that are free in one piece, not in several of at most %d%s", a.Free, unit, largest, e.keyHint())
		add(e.config.Uncounted && a.Blocks > 0, "a Reset of the pool")
		add(!e.config.Uncounted && e.config.Locked && a.Blocks > 0 && !e.waits(r), "the rung wait, if other goroutines free blocks soon")
	case ErrOutOfMemory:
		need, want := e.need(r), int64(0)
		if need != NoLimit {
			_, want = e.chunkSizes(r)
		}
		double := e.config.Double && want > max(need, e.memory.unit)
		add(double, "growth: fixed, as a chunk of twice the last was asked for")
		add(!double && want > need, "a smaller chunk_size: the request needs %d, and the allocator was asked for more", need)
		add(want == need, "%d more %s from the allocator", need, unit)
	}
	for _, p := range a.Pending {
		add(p.Bytes >= bytes, "an end of the work of stream %d, behind which %d %s are pending", p.Stream, p.Bytes, unit)
	}
	return out
}

// fitting says how a pool would have to be to serve a request that is too large for this one: what it lists is needed together.
func (e *Engine) fitting(r request) string {
	bytes, least, arena := clampInt64(r.bytes), e.need(r), false
	if least == NoLimit && slices.Contains(arenas, e.config.Suballocator) && !e.numbers() && bytes < NoLimit-e.memory.Granularity {
		least, arena = roundUp(bytes, e.memory.Granularity), true
	}
	if most := e.config.MaxChunk; least == NoLimit || most > 0 && least > most {
		return "a shorter request: no chunk of any size holds this one"
	}
	var all []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	budget, short := e.config.Budget, !e.config.Oversize && least > e.memory.unit
	add(least > e.limits.limit-e.limits.reserved, "a limit of at least %s", besides(least, e.limits.reserved))
	add(least > budget.available(), "a budget %q of at least %s", budget.Name(), besides(least, budget.Reserved()))
	add(short, "a chunk_size of at least %d", least)
	add(short && arena, "as large an arena_size, where the pool sets it")
	add(!short && arena, "an arena_size of at least %d", least)
	return strings.Join(all, " and ")
}

// besides writes what is needed in all where some is reserved already.
func besides(need, reserved int64) string {
	if reserved == 0 {
		return fmt.Sprint(need)
	}
	return fmt.Sprintf("%d (%d of it for what is reserved already)", reserved+min(need, NoLimit-reserved), reserved)
}

// roomier says which limits would have left room for what is missing; "" if that is not why the request failed.
func (e *Engine) roomier(r request) string {
	if e.numbers() {
		s := fmt.Sprintf("%d more numbers in one range, given to the pool", clampInt64(r.bytes))
		if clampInt64(r.bytes) > e.limits.limit-e.limits.reserved {
			s += ", and a limit that has room for them"
		}
		return s
	}
	need, _ := e.chunkSizes(r)
	var all []string
	switch {
	case e.config.Imported:
		return ""
	case need == NoLimit: // the pool has its one chunk
		need = e.need(r)
		all = append(all, fmt.Sprintf("a limit of %d in the pool file, %d more than its one chunk has", e.limits.reserved+need, need))
	case need > e.limits.limit-e.limits.reserved:
		all = append(all, fmt.Sprintf("a limit of %d, which leaves room for another chunk of %d", e.limits.reserved+need, need))
	}
	if short := need - e.config.Budget.available(); short > 0 {
		all = append(all, fmt.Sprintf("a budget %q of %d", e.config.Budget.Name(), e.config.Budget.Limit()+short))
	}
	return strings.Join(all, ", and ")
}

// budgetShort is how much the budget lacks for the chunk that a request needs: 0 or less if it has room, or there is none.
func (e *Engine) budgetShort(r request) int64 {
	need, _ := e.chunkSizes(r)
	if need == NoLimit || e.config.Budget == nil || e.config.Imported {
		return 0
	}
	return need - e.config.Budget.available()
}

// trimHint names the rung that trims other pools, where the ladder lacks it.
func (e *Engine) trimHint() string {
	if slices.ContainsFunc(e.config.Ladder, func(r Rung) bool { return r.Kind == RungTrim }) {
		return ""
	}
	return ", as the rung trim of this pool does by itself (on_exhausted: [trim, ...])"
}

// keyHint is what inSeveral says, where chunks have a size: ranges of numbers are the user's.
func (e *Engine) keyHint() string {
	key := inSeveral[e.config.Suballocator]
	switch {
	case e.numbers():
		return ""
	case key == "":
		key = usualKey
	}
	return " (" + key + ")"
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
