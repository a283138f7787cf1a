package poolimpl

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// rangedCore is a core that wants its chunks in one range.
type rangedCore struct {
	fakeCore
	step    uint64
	slot    uint32
	base    uint64
	apart   uint64
	entries int
	bases   []uint64 // of all chunks that were added
}

func (c *rangedCore) Step() uint64 { return c.step }

func (c *rangedCore) Range(slot uint32, base, step uint64, entries []uint32) {
	if c.entries != 0 || len(c.bases) > 0 {
		panic("reserved too late")
	}
	c.slot, c.base, c.apart, c.entries = slot, base, step, len(entries)
}

func (c *rangedCore) Add(slot uint32, base, size uint64) {
	c.bases = append(c.bases, base)
	c.fakeCore.Add(slot, base, size)
}

// fakeAddresses is a source that reserves addresses, and says what is done there.
type fakeAddresses struct {
	fakeSource
	reserved []Chunk
	fail     string // the call that fails
	onShrink func() // called without the lock
	calls    []string
}

func (s *fakeAddresses) addresses() addresses { return s }

func (s *fakeAddresses) call(name string, c Chunk) error {
	s.calls = append(s.calls, name)
	if s.fail == name {
		return errNoMemory
	}
	for _, r := range s.reserved {
		if c.Addr >= r.Addr && c.extent().end() <= r.extent().end() {
			return nil
		}
	}
	s.t.Errorf("%s of %#x, which was not reserved", name, c.Addr)
	return nil
}

func (s *fakeAddresses) Reserve(size, align int64) (Chunk, error) {
	c := heapMemory(size, 1)
	c.Addr = uint64(len(s.reserved)+1) << 40
	s.reserved = append(s.reserved, c)
	return c, s.call("reserve", c)
}

func (s *fakeAddresses) Release(c Chunk) error {
	s.reserved = slices.DeleteFunc(s.reserved, func(r Chunk) bool { return r.Addr == c.Addr && r.Size == c.Size })
	return nil
}

func (s *fakeAddresses) Grow(c Chunk) error {
	name := "grow"
	if c.Addr >= 2<<40 {
		name = "entries"
	}
	return s.call(name, c)
}

func (s *fakeAddresses) Shrink(c Chunk) error {
	if s.onShrink != nil {
		s.onShrink()
	}
	return s.call("shrink", c)
}

func (s *fakeAddresses) Blank(c Chunk) error { return s.call("blank", c) }

// newRanged returns a pool whose chunks have two pages.
func newRanged(t *testing.T, s Source, core Core, limit int64) *Engine {
	if Debug {
		t.Skip("blocks lie apart")
	}
	page := int64(os.Getpagesize())
	config := Config{
		Name: "test.Ranged", Allocator: "host", Source: s, Locked: true, ChunkSize: 2 * page, Granularity: page, Alignment: 16, Limit: limit,
		Ladder: []Rung{ErrorRung{}}, Oversize: true,
	}
	e := new(Engine)
	e.Init(&config, core)
	return e
}

// Chunks lie at multiples of a step that fits the core, where that wastes few addresses and the pool has several.
func TestPlan(t *testing.T) {
	page := int64(os.Getpagesize())
	for _, test := range []struct {
		name        string
		unit        int64
		chunk       int64
		limit       int64
		step, whole int64
	}{
		{"whole pages", 64, 2 * page, 100 * page, 2 * page, 100 * page},
		{"the last chunk is smaller", 64, 2 * page, 99 * page, 2 * page, 100 * page},
		{"a little more", 48, 32 * page, 320 * page, 33 * page, 330 * page},
		{"far apart", 48, 2 * page, 100 * page, 0, 0},
		{"no room for two", 64, 2 * page, 2 * page, 0, 0},
		{"without a limit", 64, 1 << 20, poolrt.NoLimit, 1 << 20, mostRange},
		{"very many", 64, page, poolrt.NoLimit, page, mostPlaces * page},
	} {
		var r chunkRange
		r.plan(&fakeAddresses{}, test.unit, test.chunk, page, min(test.limit, mostRange))
		if r.addresses == nil {
			r.step, r.size = 0, 0
		}
		if r.step != test.step || r.size != test.whole {
			t.Errorf("%s: %d bytes in steps of %d, want %d in steps of %d", test.name, r.size, r.step, test.whole, test.step)
		}
	}
}

// A chunk lies at the lowest free place of the range, and elsewhere if there is none.
func TestChunksLieInTheRange(t *testing.T) {
	s, core := &fakeAddresses{fakeSource: fakeSource{t: t}}, &rangedCore{step: 64}
	page := uint64(os.Getpagesize())
	e := newRanged(t, s, core, 9*int64(page)) // five places
	alloc := func(pages uint64) Block {
		b, err := e.Alloc(1, pages*page, 1)
		fatal.If(t, err)
		return b
	}
	where := func() (list []int64) {
		for _, base := range core.bases {
			list = append(list, int64(base-core.base)/int64(page))
		}
		return list
	}
	first := alloc(2)
	if core.base == 0 || core.apart != 2*page || core.entries != int(10*page/64) {
		t.Fatalf("the range at %#x has places of %d bytes, and %d entries", core.base, core.apart, core.entries)
	}
	large := alloc(3)
	alloc(2)
	fatal.If(t, errors.Join(e.Free(first.Addr, 2*page), e.Free(large.Addr, 3*page)))
	if n, err := e.Trim(0); n != 5*int64(page) || err != nil {
		t.Fatalf("Trim = %d, %v", n, err)
	}
	alloc(4)
	alloc(2)
	alloc(1)
	if got := where(); !slices.Equal(got, []int64{0, 2, 6, 0, 4, 8}) {
		t.Errorf("chunks at %d pages", got)
	}
	if err := e.CloseForce(func() {}); err != nil {
		t.Error(err)
	}
	if len(s.reserved) > 0 {
		t.Errorf("%d ranges stay reserved", len(s.reserved))
	}
}

// A place is free again once its memory has gone: a chunk that comes meanwhile lies elsewhere.
func TestPlaceOfMemoryThatGoes(t *testing.T) {
	s, core := &fakeAddresses{fakeSource: fakeSource{t: t}}, &rangedCore{step: 64}
	page := uint64(os.Getpagesize())
	e := newRanged(t, s, core, 100*int64(page))
	b, err := e.Alloc(1, 2*page, 1)
	fatal.If(t, err)
	s.onShrink = func() {
		s.onShrink = nil
		came := make(chan error)
		go func() {
			_, err := e.Alloc(1, 2*page, 1)
			came <- err
		}()
		if err := <-came; err != nil {
			t.Error(err)
		}
	}
	_ = e.Free(b.Addr, 2*page)
	if _, err := e.Trim(0); err != nil {
		t.Error(err)
	}
	if len(core.bases) != 2 || core.bases[1] != core.base+2*page {
		t.Errorf("chunks at %#x, in a range from %#x on", core.bases, core.base)
	}
	if err := e.CloseForce(func() {}); err != nil {
		t.Error(err)
	}
}

// What the source refuses changes nothing: chunks lie elsewhere, or requests fail, or memory stays.
func TestRangeIsRefused(t *testing.T) {
	page := uint64(os.Getpagesize())
	for _, test := range []struct {
		fail       string
		elsewhere  bool
		calls      string
		unreturned bool
	}{
		{"reserve", true, "[reserve]", false},
		{"grow", false, "[reserve reserve grow grow]", false},
		{"entries", false, "[reserve reserve grow entries shrink grow entries shrink]", false},
		{"shrink", false, "[reserve reserve grow entries shrink]", true},
		{"blank", false, "[reserve reserve grow entries shrink blank]", false},
	} {
		s, core := &fakeAddresses{fakeSource: fakeSource{t: t}, fail: test.fail}, &rangedCore{step: 4}
		e := newRanged(t, s, core, 100*int64(page))
		b, err := e.Alloc(1, page, 1)
		if failed := test.fail == "grow" || test.fail == "entries"; failed != errors.Is(err, poolrt.ErrOutOfMemory) || failed != (e.Stats().Reserved == 0) {
			t.Errorf("%s fails: Alloc: %v, %d bytes are reserved", test.fail, err, e.Stats().Reserved)
		}
		if elsewhere := s.allocs > 0; elsewhere != test.elsewhere {
			t.Errorf("%s fails: %d chunks lie elsewhere", test.fail, s.allocs)
		}
		if err == nil {
			_ = e.Free(b.Addr, page)
			if _, err := e.Trim(0); errors.Is(err, poolrt.ErrNotReturned) != test.unreturned || (e.Stats().Reserved > 0) != test.unreturned {
				t.Errorf("%s fails: Trim: %v, %d bytes are reserved", test.fail, err, e.Stats().Reserved)
			}
		}
		if got := fmt.Sprint(s.calls); got != test.calls {
			t.Errorf("%s fails: %s, want %s", test.fail, got, test.calls)
		}
		s.fail = ""
		if err := e.Close(func() {}); err != nil {
			t.Errorf("%s fails: Close: %v", test.fail, err)
		}
	}
}

// A pool whose blocks have to lie in one range has a single chunk of its limit where no addresses can be reserved.
func TestOneRange(t *testing.T) {
	page := int64(os.Getpagesize())
	for _, fail := range []string{"", "reserve"} {
		s, core := &fakeAddresses{fakeSource: fakeSource{t: t}, fail: fail}, &rangedCore{step: 64}
		e := newRanged(t, s, core, 100*page)
		e.config.OneRange = true
		_, err := e.Alloc(1, uint64(page), 1)
		want := 2 * page
		if fail != "" {
			want = 100 * page
		}
		if n := e.Stats().Reserved; err != nil || n != want {
			t.Errorf("%q fails: %d bytes are reserved, want %d; %v", fail, n, want, err)
		}
		if addr, size := e.OnlyChunk(); addr != core.base && fail == "" || size != uint64(100*page) {
			t.Errorf("%q fails: %d bytes from %#x on", fail, size, addr)
		}
		if err := e.CloseForce(func() {}); err != nil {
			t.Error(err)
		}
	}
}

// Memory at reserved addresses is zero whenever it comes, what is blank reads as zero, and what is not there is a fault.
func TestReservedAddresses(t *testing.T) {
	a := hostSource{}.addresses()
	if a == nil {
		t.Skip("no addresses are reserved here")
	}
	const align = 4 << 20
	all, err := a.Reserve(16<<20, align)
	if err != nil || all.Addr%align != 0 {
		t.Fatalf("reserved %#x, %v", all.Addr, err)
	}
	part := all
	part.Size = 1 << 20
	touch := func(write bool) (fault any) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { fault = recover() }()
		if b := unsafeBytes(part.Ptr, part.Size); b[5] != 0 {
			t.Error("memory is not zero")
		} else if write {
			b[5] = 1
		}
		return nil
	}
	for range 2 {
		if touch(false) == nil {
			t.Error("no fault without memory")
		}
		if err := a.Grow(part); err != nil || touch(true) != nil {
			t.Fatalf("memory cannot be used: %v", err)
		}
		if err := a.Blank(part); err != nil || touch(false) != nil {
			t.Fatalf("blank memory cannot be read: %v", err)
		}
		if err := a.Grow(part); err != nil || touch(true) != nil {
			t.Fatalf("memory that was blank cannot be used: %v", err)
		}
		fatal.If(t, a.Shrink(part))
	}
	if err := a.Release(all); err != nil {
		t.Error(err)
	}
}
