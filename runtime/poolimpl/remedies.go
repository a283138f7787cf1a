package poolimpl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// inSeveral lists the keys of the pool file that decide whether free memory is in one piece. The suballocators without an entry have chunk_size alone, or
// cannot fail this way: if all blocks have the same length, every piece is large enough.
var inSeveral = map[string]string{
	"heap":    "fit chunk_size",
	"binned":  "bins chunk_size",
	"classes": "bins cache chunk_size",
	"ring":    "chunk_size arena_size",
}

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
	budget      *budget.Budget // of the pool; nil: none
	guarantee   int64          // of the pool there
	drains      bool           // frees are pending that could make room
	others      int64          // the longest block that other streams have freed than that of the request, if this one could wait for it
	page        int64          // size of a page; 0: memory comes as chunks
	mayPage     bool           // allocator device_virtual would serve the pool by pages, and is not what was asked for
	least       int64          // size of a chunk that is sure to serve the request; NoLimit if there is none
	need, want  int64          // size that another chunk must have, and size that the pool requests; NoLimit if there cannot be another

	engine *Engine
	site   site    // where its memory is
	spares []spare // what other pools hold empty there, if the source has no memory
}

// remedyFor returns what the remedies of a failed request depend on. To write them takes longer, and must not hold the lock.
func (e *Engine) remedyFor(r request, failed *poolrt.PoolError) remedy {
	if failed.Account == nil {
		return remedy{}
	}
	f := e.remedyOf(failed)
	f.waited, f.drains, f.others = r.ctx != nil, e.drainHelps(r), e.order.freedByOthers(r)
	switch failed.Err {
	case poolrt.ErrTooLarge, poolrt.ErrLimit, poolrt.ErrOutOfMemory:
		f.least = e.memory.need(e.core.Core, r)
		f.need, f.want = e.chunkSizes(r)
		f.need = e.memory.layout.needs(r, f.need)
	}
	return f
}

// remedyOf returns what does not depend on the request.
func (e *Engine) remedyOf(failed *poolrt.PoolError) remedy {
	return remedy{
		config: e.config, failed: failed, budget: e.budget.Budget(), guarantee: e.guarantee(),
		page: e.memory.page(), mayPage: e.mayPage(), unit: e.memory.unit, granularity: e.memory.Granularity,
		engine: e, site: e.memory.site(),
	}
}

// lacking returns the error of an operation that needs so many bytes for itself. If the limits have no room for a pool that wakes, or the source has no memory,
// it explains that as the error of an allocation does. The lock is released meanwhile.
func (e *Engine) lacking(op string, err error, size int64) *poolrt.PoolError {
	f, u := new(failure), e.counted()
	p := &f.err
	*p = e.errorWith(u, op, err)
	if p.Err == poolrt.ErrOutOfMemory || p.Err == poolrt.ErrLimit && op == "wake" {
		e.account(&f.account, request{}, u)
		p.Request, p.Account = size, &f.account
		late := e.remedyOf(p)
		late.least, late.need, late.want, late.waited = size, size, size, true // there is no ladder
		e.explain(late)
	}
	return p
}

// mayPage reports whether allocator device_virtual would serve the pool by pages, and is not what was asked for.
func (e *Engine) mayPage() bool {
	c := e.config
	return slices.Contains([]string{"device", "device_async", "device_pool"}, e.memory.Allocator) &&
		e.life.requested(e.config) != "device_virtual" && !c.Registered &&
		c.Ordering != orderingDriver && slices.Contains(granular, c.Suballocator)
}

// explain writes the remedies of an error with the lock released. Hooks get the error afterwards. It returns the zero remedy, which has nothing to write.
func (e *Engine) explain(late remedy) remedy {
	events := e.figures.takeEvents() // another caller must not send them now
	e.unlocked(late.write)
	e.figures.events = append(events, e.figures.events...)
	return remedy{}
}

// write writes into the error what would have made the request fit, each as a part of a sentence, and more
// about the failure. It looks at other pools, so the caller holds the lock of none.
func (f *remedy) write() {
	if f.failed == nil {
		return
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
	if f.failed.Err == poolrt.ErrOutOfMemory {
		f.spares = f.sparesOfOthers()
	}
	f.failed.Remedies = f.list()
}

// available returns how many bytes the budget had left.
func (f *remedy) available() int64 {
	if f.budget == nil {
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
		if s := f.roomier(); s != "" {
			out = append(out, s)
		}
		if short := f.budgetShort(); short > 0 && f.spareOfOthers() >= short {
			out.add("%d less in the other pools of budget %q%s, where Trim gives back what is empty", short, a.Budget.Name, f.guaranteeHint())
		}
		room := min(f.failed.Limit-f.failed.Reserved, f.available())
		f.addPieces(&out, room)
		if f.trims() {
			out.add("the rung trim, which gives back the %d %s in empty chunks (on_exhausted: [trim, ...])", a.Empty, c.unit())
		}
		if f.page > c.Granularity && f.fitsPages(c.Granularity, room+a.Empty+a.Pinned) {
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
		f.addPieces(&out, 0)
		want := f.want
		switch {
		case f.least == poolrt.NoLimit:
			want = 0
		case !errors.As(f.failed.Cause, new(unexplained)) && !c.SingleChunk: // the pool has asked for no more than it needs
			want = f.least
		}
		switch {
		case c.Double && want > max(f.least, f.unit):
			out.add("growth: fixed, as a chunk of twice the last was asked for")
		case want > f.least:
			out.add("a smaller chunk_size: the request needs %d, and the allocator was asked for more", f.least)
		case want == f.least:
			out.add("%d more %s from the allocator", f.least, c.unit())
			f.addSpares(&out)
		}
	}
	if f.failed.Op != "alloc" { // it needs more memory, not what the pool has
		return out
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

// addPieces says what would bring memory into one piece that is free in several. room is what the limits leave beside it.
func (f *remedy) addPieces(out *sentences, room int64) {
	c, a, bytes, largest := f.config, f.failed.Account, f.failed.Request, f.failed.LargestFree
	if f.failed.Op != "alloc" {
		return
	}
	if !c.Direct && a.Free >= bytes && 0 < largest && largest < bytes {
		out.add("the %d %s that are free in one piece, not in several of at most %d%s", a.Free, c.unit(), largest, f.keyHint())
	}
	if f.mayPage && a.Free > 0 && f.fitsPages(leastPage, room+a.Free) {
		out.add("allocator: device_virtual, whose pages come to where they are needed, as %d bytes are free in pieces of at most %d", a.Free, largest)
	}
}

// leastPage is the size of the smallest pages.
const leastPage = 2 << 20

// fitsPages reports whether the request would surely have fitted into so many bytes on pages of this size. Each block keeps less than a page on either side.
func (f *remedy) fitsPages(page, bytes int64) bool {
	blocks := f.failed.Account.Blocks
	for _, p := range f.failed.Account.Pending {
		blocks += p.Blocks
	}
	return roundUp(f.failed.Request, page) <= bytes-2*page*blocks
}

// trims reports whether the rung trim, which the ladder lacks, would make room. A pool with pages needs no rung for its own.
func (f *remedy) trims() bool {
	c, a := f.config, f.failed.Account
	if c.hasRung(RungTrim) || c.Direct || f.page > 0 || a.Empty == 0 || f.need == poolrt.NoLimit {
		return false
	}
	return f.need <= min(f.failed.Limit-f.failed.Reserved, f.available())+a.Empty
}

// pending adds up the bytes of the pending frees.
func (f *remedy) pending() (n int64) {
	for _, p := range f.failed.Account.Pending {
		n += p.Bytes
	}
	return n
}

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
	if held := f.held(); least > f.failed.Limit-held {
		all.add("a limit of at least %s", besides(least, held, "reserved"))
	}
	if b := f.failed.Account.Budget; least > f.available() {
		all.add("a budget %q of at least %s", b.Name, besides(least, b.Limit-f.available(), "reserved or kept"))
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

// besides formats what is needed in all if some is taken already.
func besides(need, taken int64, how string) string {
	if taken == 0 {
		return fmt.Sprint(need)
	}
	return fmt.Sprintf("%d (%d of it for what is %s already)", taken+min(need, poolrt.NoLimit-taken), taken, how)
}

// held returns what the pool still holds when the request finds no room: free pages move, and the rung trim gives back empty chunks.
func (f *remedy) held() int64 {
	if f.page > 0 || f.config.hasRung(RungTrim) {
		return f.failed.Reserved - f.failed.Account.Empty
	}
	return f.failed.Reserved
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
	need, held := f.need, f.held()
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
	if f.need == poolrt.NoLimit || f.budget == nil || f.config.Imported {
		return 0
	}
	short := f.need - f.available()
	if f.page > 0 { // free pages move
		short -= f.failed.Account.Empty
	}
	return short
}

// spareOfOthers returns what the other pools of the budget hold beyond their guarantees: below these, nobody else can have what they give back.
func (f *remedy) spareOfOthers() int64 {
	b := f.failed.Account.Budget
	return b.Reserved + b.Kept - max(f.failed.Reserved, f.guarantee) - f.guaranteedToOthers()
}

func (f *remedy) guaranteedToOthers() int64 { return f.budget.Guaranteed() - f.guarantee }

// guaranteeHint says that not all of what other pools hold makes room.
func (f *remedy) guaranteeHint() string {
	if f.guaranteedToOthers() == 0 {
		return ""
	}
	return ", beyond their guarantees"
}

// keyHint names the keys of the pool file that may bring free memory into one piece, as they are; "" for numbers, whose ranges the user chooses.
func (f *remedy) keyHint() string {
	c := f.config
	if c.numbers() {
		return ""
	}
	keys := slices.DeleteFunc(strings.Fields(cmp.Or(inSeveral[c.Suballocator], "chunk_size")), func(key string) bool {
		switch key {
		case "fit":
			return c.Fit == "best"
		case "cache":
			return f.failed.Account.Cached == 0
		case "chunk_size":
			return f.page > 0 && f.page <= c.Granularity || f.page == 0 && f.unit >= f.failed.Limit
		}
		return false
	})
	if len(keys) == 0 {
		return ""
	}
	return " (see " + strings.Join(keys, ", and ") + ")"
}

// remedies lists what would have helped a pool that has so many addresses, as far as that is known.
func (n *NoAddresses) remedies(reserved int64) (list sentences) {
	switch {
	case n.Cause == ErrOneRange:
		list.add("shareable: false, as memory that can be shared has one range of addresses")
	case n.First:
		list.add("%d addresses in a row, which ulimit -v may deny to the process", n.Need)
		list.add("a lower limit, for which fewer are reserved")
		list.add("an allocator that reserves none, such as device (see fallback)")
	case reserved > 0:
		list.add("%d more addresses in a row, beside the %d that the pool has reserved", n.Need, reserved)
	default:
		list.add("%d more addresses in a row", n.Need)
	}
	return list
}
