package poolimpl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// inSeveral says which keys of the pool file decide whether free memory is in one piece, for suballocators with other such keys than chunk_size. The other
// suballocators have usualKey, or cannot fail this way: if all blocks have the same length, every piece is large enough.
var inSeveral = map[string]string{
	"heap":    "see fit, and chunk_size",
	"binned":  "see bins, and chunk_size",
	"classes": "see bins, cache, and chunk_size",
	"ring":    "see chunk_size, and arena_size where it is set",
}

const usualKey = "see chunk_size: a block lies within one chunk"

// arenas lists the suballocators whose blocks lie within a part of a chunk that has a size of its own in the pool file.
var arenas = []string{"ring"}

// granular lists the suballocators that count sizes in granules, at most 2^32-1 for a block. The compiler chooses the granule by the limit in the pool file: any
// block within that limit can be counted. Without a limit, a granule is small.
var granular = []string{"heap", "binned", "classes"}

// largestLimit is the largest limit that a remedy names: more than processors can address.
const largestLimit = 1 << 47

// remedy is an allocation that has just failed, with what decides which remedies would have helped.
type remedy struct {
	config      *Config
	failed      *poolrt.PoolError // nil: nothing to write
	waited      bool              // the request had a context, and so has waited
	unit        int64             // Config.ChunkSize in whole units of the source
	granularity int64
	budgeted    bool // the pool shares a budget, where it has a guarantee
	guarantee   int64
	drains      bool  // frees are pending that could make room
	others      int64 // the longest block that other streams have freed than that of the request, if this one could wait for it
	page        int64 // size of a page; 0: memory comes as chunks
	least       int64 // size of a chunk that is sure to serve the request; NoLimit if there is none
	need, want  int64 // size that another chunk must have, and size that the pool requests; NoLimit if there cannot be another
}

// remedyFor returns what the remedies of a failed request depend on. To write them takes longer, and does not need the lock.
func (e *Engine) remedyFor(r request, failed *poolrt.PoolError) remedy {
	if failed.Account == nil {
		return remedy{}
	}
	f := remedy{
		config: e.config, failed: failed, waited: r.ctx != nil, budgeted: e.budget != nil, guarantee: e.guarantee(), drains: e.drainHelps(r), others: e.freedByOthers(r),
		page: e.memory.page(), unit: e.memory.unit, granularity: e.memory.Granularity,
	}
	switch failed.Err {
	case poolrt.ErrTooLarge, poolrt.ErrLimit, poolrt.ErrOutOfMemory:
		f.least = e.memory.need(e.core.Core, r)
		f.need, f.want = e.chunkSizes(r)
		if l, ok := e.memory.layout.(*paged); ok && f.need != poolrt.NoLimit {
			f.need = l.row(r)
		}
	}
	return f
}

// write writes into the error what would have made the request fit, each as a part of a sentence, and more about the failure. It returns the zero remedy, which has
// nothing to write.
func (f *remedy) write() remedy {
	if f.failed == nil {
		return remedy{}
	}
	if b := f.failed.Account.Budget; f.failed.Err == poolrt.ErrLimit && f.budgetShort() > 0 {
		f.failed.Detail = fmt.Sprintf("budget %q is full: its pools have reserved %d of its limit of %d", b.Name, b.Reserved, b.Limit)
		if n := b.Kept - f.owed(); n > 0 {
			f.failed.Detail += fmt.Sprintf(", and %d are kept for the guarantees of others", n)
		}
		if b.Host {
			f.failed.Detail += fmt.Sprintf(", and other processes hold %d", b.Elsewhere)
		}
		if b.Failure != "" {
			f.failed.Detail += "; " + b.Failure
		}
	}
	f.failed.Remedies = f.list()
	return remedy{}
}

// available returns how many bytes the budget had left.
func (f *remedy) available() int64 {
	if !f.budgeted {
		return poolrt.NoLimit
	}
	b := f.failed.Account.Budget
	return b.Limit - b.Reserved - b.Kept - b.Elsewhere + f.owed()
}

// owed returns the bytes that the budget kept for the guarantee of the pool itself.
func (f *remedy) owed() int64 { return max(f.guarantee-f.failed.Reserved, 0) }

func (f *remedy) list() []string {
	out := make(sentences, 0, 4)
	c, a, bytes := f.config, f.failed.Account, f.failed.Request
	switch f.failed.Err {
	case poolrt.ErrTooLarge:
		if s := f.fitting(); s != "" {
			out = append(out, s)
		}
		return out
	case poolrt.ErrLimit:
		s, largest := f.roomier(), f.failed.LargestFree
		if s != "" {
			out = append(out, s)
		}
		short := f.budgetShort()
		others := a.Budget.Reserved - f.failed.Reserved
		if short > 0 && others >= short {
			out.add("%d less in the other pools of budget %q, where Trim gives back what is empty", short, a.Budget.Name)
		}
		if !c.Direct && a.Free >= bytes && 0 < largest && largest < bytes {
			out.add("the %d %s that are free in one piece, not in several of at most %d%s", a.Free, c.unit(), largest, c.keyHint())
		}
		if f.trims() {
			out.add("the rung trim, which gives back the %d %s in empty chunks (on_exhausted: [trim, ...])", a.Empty, c.unit())
		}
		if f.smallerPages() {
			out.add("pages smaller than %d (see chunk_size), as %d bytes are free on pages that are in use", f.page, a.Pinned)
		}
		if c.Uncounted && a.Blocks > 0 {
			out.add("a Reset of the pool")
		}
		if !c.Uncounted && c.Locked && a.Blocks > 0 && !f.waited && !c.hasRung(RungWait) {
			out.add("the rung wait, if other goroutines free blocks soon")
		}
		pending := f.pending()
		if f.drains && pending >= bytes && !f.waited && !c.hasRung(RungDrain) && !c.hasRung(RungWait) {
			out.add("the rung drain, which waits for the %d %s that are pending on streams", pending, c.unit())
		}
	case poolrt.ErrOutOfMemory:
		if lack := (*NoAddresses)(nil); errors.As(f.failed.Cause, &lack) {
			out = append(out, lack.remedies(a.Addresses)...)
			break
		}
		want := f.want
		if f.least == poolrt.NoLimit {
			want = 0
		}
		switch {
		case c.Double && want > max(f.least, f.unit):
			out.add("growth: fixed, as a chunk of twice the last was asked for")
		case want > f.least:
			out.add("a smaller chunk_size: the request needs %d, and the allocator was asked for more", f.least)
		case want == f.least:
			out.add("%d more %s from the allocator", f.least, c.unit())
		}
	}
	if f.others >= bytes {
		out.add("across_streams: growth, as a stream may then wait for the %d %s that another one has freed; or the rung poll", f.others, c.unit())
	}
	for _, p := range a.Pending {
		if p.Bytes >= bytes {
			out.add("an end of the work of stream %d, behind which %d %s are pending", p.Stream, p.Bytes, c.unit())
		}
	}
	return out
}

// trims reports whether the rung trim, which the ladder lacks, would make room. A pool with pages needs no rung for its own.
func (f *remedy) trims() bool {
	c, a := f.config, f.failed.Account
	if c.hasRung(RungTrim) || c.Direct || f.page > 0 || a.Empty == 0 || f.need == poolrt.NoLimit {
		return false
	}
	return f.need <= min(f.failed.Limit-f.failed.Reserved, f.available())+a.Empty
}

// smallerPages reports whether the least pages would surely leave room. Each block then keeps less than a page on either side.
func (f *remedy) smallerPages() bool {
	a, least := f.failed.Account, f.config.Granularity
	if f.page <= least {
		return false
	}
	blocks := a.Blocks
	for _, p := range a.Pending {
		blocks += p.Blocks
	}
	room := min(f.failed.Limit-f.failed.Reserved, f.available()) + a.Empty + a.Pinned - 2*least*blocks
	return roundUp(f.failed.Request, least) <= room
}

// pending adds up the bytes of the pending frees.
func (f *remedy) pending() (n int64) {
	for _, p := range f.failed.Account.Pending {
		n += p.Bytes
	}
	return n
}

// sentences is a list of parts of sentences.
type sentences []string

// add adds one. Callers check the condition first: arguments are garbage, also those that are not needed.
func (s *sentences) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// fitting says what a pool needs to serve a request that is too large for this one. All of it is needed together.
func (f *remedy) fitting() string {
	c, bytes, least, arena := f.config, f.failed.Request, f.least, false
	if least == poolrt.NoLimit && slices.Contains(arenas, c.Suballocator) && !c.numbers() && bytes < poolrt.NoLimit-f.granularity {
		least, arena = roundUp(bytes, f.granularity), true
	}
	if most := c.MaxChunk; least == poolrt.NoLimit || most > 0 && least > most {
		if c.Limit == poolrt.NoLimit && !c.numbers() && slices.Contains(granular, c.Suballocator) && bytes <= largestLimit {
			return fmt.Sprintf("a limit of at least %d in the pool file: in a pool without a limit, blocks cannot be that large", roundUp(bytes, f.granularity))
		}
		return "a shorter request: no chunk of any size holds this one"
	}
	var all sentences
	short := !c.Oversize && least > f.unit
	if least > f.failed.Limit-f.failed.Reserved {
		all.add("a limit of at least %s", besides(least, f.failed.Reserved))
	}
	if least > f.available() {
		all.add("a budget %q of at least %s", f.failed.Account.Budget.Name, besides(least, f.failed.Account.Budget.Reserved))
	}
	if short {
		all.add("a chunk_size of at least %d", least)
	}
	if short && arena {
		all.add("as large an arena_size, where the pool sets it")
	}
	if !short && arena {
		all.add("an arena_size of at least %d", least)
	}
	return strings.Join(all, " and ")
}

// besides formats what is needed in all if some is reserved already.
func besides(need, reserved int64) string {
	if reserved == 0 {
		return fmt.Sprint(need)
	}
	return fmt.Sprintf("%d (%d of it for what is reserved already)", reserved+min(need, poolrt.NoLimit-reserved), reserved)
}

// roomier says which limits would have left room for what is missing; "" if they did not cause the failure.
func (f *remedy) roomier() string {
	c, room := f.config, f.failed.Limit-f.failed.Reserved
	if c.numbers() {
		s := fmt.Sprintf("%d more numbers in one range, given to the pool", f.failed.Request)
		if f.failed.Request > room {
			s += ", and a limit that has room for them"
		}
		return s
	}
	need, held := f.need, f.failed.Reserved
	if f.page > 0 { // free pages move
		held -= f.failed.Account.Empty
	}
	room = f.failed.Limit - held
	var all sentences
	switch {
	case c.Imported:
		return ""
	case need == poolrt.NoLimit: // the pool has its only chunk
		need = f.least
		all.add("a limit of %d in the pool file, %d more than its one chunk has", f.failed.Reserved+need, need)
	case need <= room:
	case f.page > 0:
		all.add("a limit of %d, which leaves room for %d more in pages of %d%s", held+need, need, f.page, f.mostHint(held+need))
	default:
		all.add("a limit of %d, which leaves room for another chunk of %d%s", held+need, need, f.mostHint(held+need))
	}
	short := f.budgetShort()
	if f.need == poolrt.NoLimit {
		short = need - f.available()
	}
	if short > 0 {
		all.add("a budget %q of %d", f.failed.Account.Budget.Name, f.failed.Account.Budget.Limit+short)
	}
	return strings.Join(all, ", and ")
}

// mostHint says how a limit comes into force, if the pool has a max_limit above the limit in force.
func (f *remedy) mostHint(limit int64) string {
	switch most := f.config.maxLimit(); {
	case most <= f.failed.Limit:
		return ""
	case limit > most:
		return fmt.Sprintf(", and a max_limit as large, which is %d", most)
	}
	return " (SetLimit sets it)"
}

// budgetShort returns how much the budget lacks for the chunk that the request needs; 0 or less if it has room, or if there is no budget.
func (f *remedy) budgetShort() int64 {
	if f.need == poolrt.NoLimit || !f.budgeted || f.config.Imported {
		return 0
	}
	short := f.need - f.available()
	if f.page > 0 { // free pages move
		short -= f.failed.Account.Empty
	}
	return short
}

// keyHint names the keys of the pool file that decide whether free memory is in one piece; "" for numbers, whose ranges the user chooses.
func (c *Config) keyHint() string {
	key := inSeveral[c.Suballocator]
	switch {
	case c.numbers():
		return ""
	case key == "":
		key = usualKey
	}
	return " (" + key + ")"
}

func (c *Config) hasRung(kind RungKind) bool {
	return slices.ContainsFunc(c.Ladder, func(r Rung) bool { return r.Kind == kind })
}
