package poolimpl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// site is where the memory of a pool is: on the host, or on a device. Pools of one site compete for its memory. It is "" where that is not known: with
// functions of the program, and with memory that moves between host and device.
type site string

// site returns where the memory of the pool is.
func (m *memory) site() site {
	device := -1
	if m.Timeline != (noTimeline{}) {
		device = m.Device
	}
	return siteOf(m.Allocator, device)
}

func siteOf(allocator string, device int) site {
	switch {
	case allocator == "host" || allocator == "pinned":
		return "the host"
	case allocator == "managed" || device == -1:
		return ""
	}
	return site(fmt.Sprint("device ", device))
}

// spare is what a pool holds empty.
type spare struct {
	pool   string
	bytes  int64
	budget *budget.Budget // of the pool; nil: none
	gives  bool           // the pool would give it to others of its budget
}

// sparesOfOthers lists what the other pools of the program hold empty at a site, the most bytes first. The caller holds the lock of no pool.
func (f *remedy) sparesOfOthers() (list []spare) {
	if f.site == "" {
		return nil
	}
	for _, other := range registry.All[*Engine]() {
		if other == f.engine {
			continue
		}
		if s := other.spareAt(f.site); s.bytes > 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b spare) int { return cmp.Compare(b.bytes, a.bytes) })
	return list
}

// spareAt returns what the pool holds empty at a site. Of a pool without a lock it knows only whether all was empty. The caller does not hold e.mu.
func (e *Engine) spareAt(at site) (s spare) {
	if p := e.figures.published; p != nil {
		if i := p.get(); siteOf(i.Allocator, i.Device) == at && i.Stats.Live == 0 && i.Stats.Pending == 0 {
			s = spare{pool: i.Name, bytes: i.Stats.Reserved}
		}
		return s
	}
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlock()
	if e.life.closed || e.memory.Source == nil || e.memory.site() != at {
		return s
	}
	return spare{
		pool:   e.name.get(),
		bytes:  bytesOf(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit))),
		budget: e.budget.Budget(),
		gives:  cmp.Or(e.config.Reclaim, ReclaimTrim)&ReclaimTrim != 0,
	}
}

// addSpares says how a request would get what other pools hold empty.
func (f *remedy) addSpares(out *sentences) {
	var all, given, apart int64 // bytes of all, of those that give to this pool, and of those that would with a common budget
	holders := "other pools hold"
	var list []string
	for _, s := range f.spares {
		all += s.bytes
		list = append(list, fmt.Sprintf("%s %d", s.pool, s.bytes))
		switch {
		case !s.gives:
		case s.budget != nil && s.budget == f.budget:
			given += s.bytes
		default:
			apart += s.bytes
		}
	}
	switch n := len(list) - mostSites; {
	case len(list) == 0:
		return
	case len(list) == 1:
		holders, list = f.spares[0].pool+" holds", nil
	case n > 0:
		list = append(list[:mostSites], figure.Count(int64(n), "more pool"))
	}
	text := fmt.Sprintf("the %d bytes that %s empty on %s, which Trim returns, and TrimAll of a group", all, holders, f.site)
	if all < f.least {
		text += fmt.Sprintf(", and %d more", f.least-all)
	}
	if list != nil {
		text += ": " + strings.Join(list, ", ")
	}
	out.add("%s", text)
	if apart >= f.least {
		out.add("a budget of these pools, no larger than what %s has, as they then give to each other", f.site)
	}
	if given >= f.least && f.failed.Op == "alloc" && !f.config.hasRung(RungTrim) {
		out.add("the rung trim, for which other pools of budget %q give what they hold empty (on_exhausted: [trim, ...])", f.budget.Name())
	}
}
