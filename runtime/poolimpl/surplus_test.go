package poolimpl

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// sizesOf lists the sizes that a pool's layout yields.
func sizesOf(e *Engine, o order) (list []uint64) {
	for s := range e.memory.layout.surplus(o) {
		list = append(list, s.Size)
	}
	return list
}

// The surplus of a pool of chunks is its empty chunks, the last first, without those that have a block, are shared, or are in flight.
func TestSurplusOfChunks(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Oversize = true })
	live := takeAll(t, p, 110, 120, 130, 140, 150)
	freeAll(t, p, slices.Concat(live[:2], live[3:]))
	e := p.ready()
	want := func(when string, sizes ...uint64) {
		t.Helper()
		if got := sizesOf(e, lastFirst); !slices.Equal(got, sizes) {
			t.Errorf("%s: %v, want %v", when, got, sizes)
		}
		used := int64(650)
		for _, n := range sizes {
			used -= int64(n)
		}
		if got := e.memory.inUse(&e.limits, e.foreign.direct.unreturned); got != used {
			t.Errorf("%s: %d bytes in use, want %d", when, got, used)
		}
	}
	want("one of five is in use", 150, 140, 120, 110)
	e.chunks.cold[3].shares++
	want("one is shared", 150, 120, 110)
	e.chunks.cold[3].shares--
	e.streams.inFlight = []*inFlight{{ranges: rangesInFlight{{Extent: Extent{live[1].addr + 50, 1}, mark: 1}}}}
	want("one is in flight", 150, 140, 110)
	e.streams.inFlight = nil
	freeAll(t, p, live[2:3])
	want("all are empty", 150, 140, 130, 120, 110)
}

// shed visits each chunk once, and releases all chosen chunks in one call.
func TestShed(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Oversize = true })
	freeAll(t, p, takeAll(t, p, 110, 120, 130, 140))
	e := p.ready()
	e.lock()
	var asked []uint64
	released, err := e.shed(e.memory.collect(lastFirst, func(s surplus) int64 {
		asked = append(asked, s.Size)
		if s.Size == 140 || s.Size == 120 {
			return int64(s.Size)
		}
		return 0
	}))
	unlocks := e.unlocks
	e.unlockAndNotify()
	if err != nil || released != 260 || !slices.Equal(asked, []uint64{140, 130, 120, 110}) || p.source.frees != 2 || unlocks != 5 { // four for growth
		t.Errorf("%d bytes, %v; visited %v, %d chunks released, %d unlocks", released, err, asked, p.source.frees, unlocks)
	}
	if s := p.Stats(); s.Reserved != 240 {
		t.Errorf("%d bytes are left", s.Reserved)
	}
}

// atMost and atLeast round to whole chunks, or to pages.
func TestWanted(t *testing.T) {
	for _, test := range []struct {
		name string
		page int64
		n    int64
		most []int64 // of rows of 300, 200 and 100 bytes
		less []int64
	}{
		{"chunks: nothing", 0, 0, []int64{0, 0, 0}, []int64{0, 0, 0}},
		{"chunks: less than nothing", 0, -1, []int64{0, 0, 0}, []int64{0, 0, 0}},
		{"chunks: the second and the third fit", 0, 299, []int64{0, 200, 0}, []int64{300, 0, 0}},
		{"chunks: one byte more than the first", 0, 301, []int64{300, 0, 0}, []int64{300, 200, 0}},
		{"chunks: all", 0, 700, []int64{300, 200, 100}, []int64{300, 200, 100}},
		{"pages: less than one", 100, 99, []int64{0, 0, 0}, []int64{100, 0, 0}},
		{"pages: one and a bit", 100, 101, []int64{100, 0, 0}, []int64{200, 0, 0}},
		{"pages: a bit of the second row", 100, 350, []int64{300, 0, 0}, []int64{300, 100, 0}},
		{"pages: less than nothing", 100, -100, []int64{0, 0, 0}, []int64{0, 0, 0}},
	} {
		var m memory
		if test.page > 0 {
			m.Pages = Pages{Page: test.page}
		}
		most, least := m.atMost(test.n), m.atLeast(test.n)
		for i, size := range []uint64{300, 200, 100} {
			s := surplus{Extent: Extent{1000, size}}
			if a, b := most(s), least(s); a != test.most[i] || b != test.less[i] {
				t.Errorf("%s, row %d: %d at most, %d at least", test.name, i, a, b)
			}
		}
	}
	if s := (surplus{Extent: Extent{1000, 300}}).tail(101, 100); s.Extent != (Extent{1100, 200}) {
		t.Errorf("the tail is %v", s.Extent)
	}
	if s := (surplus{Extent: Extent{1000, 300}}).tail(1, 0); s.Extent != (Extent{1000, 300}) {
		t.Errorf("the tail of a chunk is %v", s.Extent)
	}
}

// pageCore is fakeCore with pages. The test sets its free pages.
type pageCore struct {
	fakeCore
	free    []Extent
	holes   []Extent
	flushed []Extent // free after a flush
	vacated []Extent
}

func (c *pageCore) Reserve(slot uint32, base, size, _ uint64) { c.Add(slot, base, size) }
func (c *pageCore) Gap(uint64, uint64, GapRule) Extent        { return Extent{} }
func (c *pageCore) Holes(Extent) []Extent                     { return c.holes }
func (c *pageCore) FreePages() []Extent                       { return slices.Clone(c.free) }
func (c *pageCore) Fill(Extent)                               {}
func (c *pageCore) Vacate(parts []Extent) []Extent {
	c.vacated = append(c.vacated, parts...)
	return parts
}

func (c *pageCore) Flush() bool {
	any := len(c.flushed) > 0
	c.free, c.flushed = append(c.free, c.flushed...), nil
	return any
}

// pageSource unmaps pages.
type pageSource struct{ Source }

func (pageSource) Free(Chunk) error { return nil }

// pageRig returns a pool of ten pages of 100 bytes, from address 1,000.
func pageRig(t *testing.T, trim *TrimPolicy) (*Engine, *pageCore) {
	core, source := &pageCore{}, pageSource{}
	e := new(Engine).Init(&Config{Name: "test.Pages", Locked: true, Source: source, ChunkSize: 100, Limit: 1000, Trim: trim}, core)
	e.attach(Bound{Source: source, Pages: Pages{First: Extent{1000, 1000}, Page: 100}})
	e.limits.reserved, e.limits.chunks = 1000, 10
	t.Cleanup(func() { registry.Unregister(e) })
	return e, core
}

// rows lists the rows of free pages that a pool's layout yields.
func rows(e *Engine, o order) (list []Extent) {
	for s := range e.memory.layout.surplus(o) {
		list = append(list, s.Extent)
	}
	return list
}

// The surplus of a pool of pages is its rows of free pages, the last first, without those that have to stay or are in flight.
func TestSurplusOfPages(t *testing.T) {
	e, core := pageRig(t, nil)
	core.free = []Extent{{1000, 200}, {1300, 300}, {1800, 100}}
	want := func(when string, o order, want ...Extent) {
		t.Helper()
		if got := rows(e, o); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	want("all", lastFirst, Extent{1800, 100}, Extent{1300, 300}, Extent{1000, 200})
	want("outside a gap", order{fit: 1, outside: Extent{1100, 400}}, Extent{1800, 100}, Extent{1500, 100}, Extent{1000, 100})
	e.streams.inFlight = []*inFlight{{ranges: rangesInFlight{{Extent: Extent{1410, 5}, mark: 1}}}}
	want("beside what is in flight", lastFirst, Extent{1800, 100}, Extent{1500, 100}, Extent{1300, 100}, Extent{1000, 200})
	if n := e.memory.inUse(&e.limits, e.foreign.direct.unreturned); n != 500 {
		t.Errorf("%d bytes in use", n)
	}
	e.streams.inFlight = nil
	e.memory.layout.(*paged).Stays = true
	want("all stay", lastFirst)
}

// The last pages of rows are released, as many as requested; adjacent pages are released together.
func TestShedPages(t *testing.T) {
	e, core := pageRig(t, nil)
	core.free = []Extent{{1000, 200}, {1300, 300}, {1800, 100}}
	e.lock()
	defer e.unlock()
	if due := e.memory.collect(lastFirst, e.memory.atMost(299)); len(due) != 2 || due[1].Extent != (Extent{1500, 100}) {
		t.Errorf("%v are due", due)
	}
	e.memory.layout.remove([]surplus{{Extent: Extent{1500, 100}}, {Extent: Extent{1400, 100}}, {Extent: Extent{1000, 100}}})
	if want := []Extent{{1000, 100}, {1400, 200}}; !slices.Equal(core.vacated, want) {
		t.Errorf("%v went, want %v", core.vacated, want)
	}
}

// Pages are idle from the time that they were found free. Adjacent pages with the same time are one run. Pages that a flush frees are idle from then on.
func TestIdlePagesAreRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, core := pageRig(t, &TrimPolicy{Idle: 10 * time.Second})
		core.free = []Extent{{1000, 200}}
		rows(e, lastFirst)
		time.Sleep(4 * time.Second)
		core.free = []Extent{{1000, 400}}
		if got, want := rows(e, lastFirst), []Extent{{1200, 200}, {1000, 200}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		core.flushed = []Extent{{1500, 100}}
		time.Sleep(7 * time.Second)
		e.lock()
		defer e.unlock()
		e.life.trimAt = time.Now()
		e.expire()
		if want := []Extent{{1000, 200}}; !slices.Equal(core.vacated, want) {
			t.Errorf("%v went, want %v", core.vacated, want)
		}
		if in := time.Until(e.life.trimAt); in != 3*time.Second {
			t.Errorf("the next trim is due in %v", in)
		}
		core.free = core.free[1:]
		rows(e, lastFirst)
		if since := e.memory.layout.(*paged).since; len(since) != 1 || !since[1500].Equal(time.Now()) {
			t.Errorf("free since: %v", since)
		}
	})
}
