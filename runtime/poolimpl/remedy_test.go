package poolimpl_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/ring"
	"github.com/poolgen/poolgen/tests/fatal"
)

const kib = 1 << 10

// cramped makes the requests of a small pool, the last of which must fail, and returns its error.
func cramped(t *testing.T, core poolimpl.Core, change func(*poolimpl.Config), requests ...uint64) *poolrt.PoolError {
	t.Helper()
	c := poolimpl.Config{
		Name: "test.Remedy", Allocator: "host", Source: poolimpl.Host(), Core: paramsOf(core), Locked: true, ChunkSize: 64 * kib, Granularity: 4 * kib,
		Alignment: 16, Limit: 128 * kib, Ladder: []poolimpl.Rung{poolimpl.WaitRung{}},
	}
	change(&c)
	e := new(poolimpl.Engine)
	e.Init(&c, core)
	for i, bytes := range requests {
		_, err := e.Alloc(1, bytes, 1)
		if last := i == len(requests)-1; last != (err != nil) {
			t.Fatalf("request %d of %d bytes: %v", i, bytes, err)
		} else if last {
			var p *poolrt.PoolError
			if !errors.As(err, &p) {
				t.Fatal(err)
			}
			return p
		}
	}
	return nil
}

// full returns requests of 64 bytes that fill a limit, and one more.
func full(limit int) []uint64 { return slices.Repeat([]uint64{64}, limit/64+1) }

// Remedies fit the suballocator: none names a key that its pools cannot set, or that would not help.
func TestRemedies(t *testing.T) {
	for _, c := range []struct {
		name     string
		core     poolimpl.Core
		change   func(*poolimpl.Config)
		requests []uint64
		want     []string
	}{
		{"ring", new(ring.Core), func(c *poolimpl.Config) { c.ChunkSize, c.Limit = 1024*kib, 4096*kib }, []uint64{1100 * kib},
			[]string{"a chunk_size of at least 1126400 and as large an arena_size, where the pool sets it"}},
		{"ring", new(ring.Core), func(c *poolimpl.Config) { c.ChunkSize, c.Limit = 2048*kib, 4096*kib }, []uint64{1100 * kib},
			[]string{"an arena_size of at least 1126400"}},
		{"ring", new(ring.Core), func(c *poolimpl.Config) {}, []uint64{80000}, []string{"a chunk_size of at least 81920"}},
		{"ring", new(ring.Core), func(c *poolimpl.Config) {}, []uint64{40000, 40000, 40000}, []string{
			"a limit of 172032, which leaves room for another chunk of 40960",
			"the 51072 bytes that are free in one piece, not in several of at most 25536 (see chunk_size, and arena_size)"}},
		{"heap", new(heap.Core), func(c *poolimpl.Config) { c.Oversize, c.MaxChunk = true, 64*kib }, []uint64{80000},
			[]string{"a shorter request: no chunk of any size holds this one"}},
		{"heap", new(heap.Core), func(c *poolimpl.Config) { c.Oversize, c.Limit = true, poolrt.NoLimit }, []uint64{64 << 30},
			[]string{"a limit of at least 68719476736 in the pool file: in a pool without a limit, blocks cannot be that large"}},
		{"heap", new(heap.Core), func(c *poolimpl.Config) { c.Oversize, c.Limit = true, poolrt.NoLimit }, []uint64{1 << 60},
			[]string{"a shorter request: no chunk of any size holds this one"}},
		{"heap", new(heap.Core), func(c *poolimpl.Config) {}, []uint64{40000, 40000, 40000}, []string{
			"a limit of 172032, which leaves room for another chunk of 40960",
			"the 51072 bytes that are free in one piece, not in several of at most 25536 (see fit, and chunk_size)"}},
		{"fixed", new(fixed.Core), func(c *poolimpl.Config) {}, []uint64{80000}, []string{"a shorter request: no chunk of any size holds this one"}},
		{"bump", new(bump.Core), func(c *poolimpl.Config) { c.Uncounted = true }, []uint64{40000, 40000, 40000}, []string{
			"a limit of 172032, which leaves room for another chunk of 40960",
			"the 51072 bytes that are free in one piece, not in several of at most 25536 (see chunk_size)",
			"a Reset of the pool"}},
		{"fixed", new(fixed.Core), func(c *poolimpl.Config) { c.Limit, c.SingleChunk, c.Ladder = 64*kib, true, nil }, full(64 * kib),
			[]string{"a limit of 69632 in the pool file, 4096 more than its one chunk has", "the rung wait, if other goroutines free blocks soon"}},
		{"fixed", new(fixed.Core), func(c *poolimpl.Config) { c.Limit, c.SingleChunk, c.Ladder, c.Locked = 64*kib, true, nil, false }, full(64 * kib),
			[]string{"a limit of 69632 in the pool file, 4096 more than its one chunk has"}},
		{"fixed", new(fixed.Core), func(c *poolimpl.Config) { c.Limit, c.ChunkSize, c.Granularity = 192, 96, 32 }, []uint64{64, 64, 64},
			[]string{"a limit of 256, which leaves room for another chunk of 64"}},
		{"heap", new(heap.Core), func(c *poolimpl.Config) { c.Oversize = true }, []uint64{100, 1 << 20},
			[]string{"a limit of at least 1114112 (65536 of it for what is reserved already)"}},
	} {
		if strconv.IntSize == 32 && slices.Max(c.requests) > math.MaxInt32 {
			continue // nobody can ask for it
		}
		p := cramped(t, c.core, func(cfg *poolimpl.Config) { cfg.Suballocator = c.name; c.change(cfg) }, c.requests...)
		if p != nil && !slices.Equal(p.Remedies, c.want) {
			t.Errorf("%s, %d requests: %v\ngot  %q\nwant %q", c.name, len(c.requests), p.Err, p.Remedies, c.want)
		}
	}
}

// The limits that remedies name are large enough: with them, only a later request fails.
func TestRemediesHold(t *testing.T) {
	cramped(t, new(fixed.Core), func(c *poolimpl.Config) { c.Limit = 69632 }, full(69632)...)
	cramped(t, new(heap.Core), func(c *poolimpl.Config) { c.Oversize, c.Limit = true, 1114112 }, 100, 1<<20, 1<<20)
}

// The error of a pool whose budget is full names the budget, and has remedies for its other pools.
func TestBudgetIsNamed(t *testing.T) {
	all := poolimpl.NewBudget("All", 128*kib)
	hog := poolimpl.Config{Name: "test.Hog", Source: poolimpl.Host(), Core: ranges, Locked: true, ChunkSize: 64 * kib, Granularity: 4 * kib, Alignment: 16, Limit: poolrt.NoLimit, Budget: all}
	e := new(poolimpl.Engine)
	e.Init(&hog, new(heap.Core))
	for range 2 {
		if _, err := e.Alloc(1, 60*kib, 1); err != nil {
			t.Fatal(err)
		}
	}
	p := cramped(t, new(heap.Core), func(c *poolimpl.Config) { c.Suballocator, c.Budget, c.Ladder = "heap", all, nil }, 64*kib)
	if got, want := p.Error(), `limit reached: budget "All" is full: its pools have reserved 131072 of its limit of 131072 (live 0`; !strings.Contains(got, want) {
		t.Errorf("got %s, want it to hold %s", got, want)
	}
	want := []string{`a budget "All" of 196608`,
		`65536 less in the other pools of budget "All", where Trim gives back what is empty`}
	if !slices.Equal(p.Remedies, want) {
		t.Errorf("got %q", p.Remedies)
	}
}

// What a pool holds up to its guarantee, or lacks to it, is nothing that other pools could have.
func TestRemediesBesideGuarantees(t *testing.T) {
	for _, test := range []struct {
		held, request uint64
		want          []string
	}{
		{60 * kib, 100 * kib, []string{`a budget "All" of 200704`}},
		{60 * kib, 200 * kib, []string{`a limit of at least 204800 and a budget "All" of at least 303104 (98304 of it for what is reserved or kept already)`}},
		{120 * kib, 60 * kib, []string{`a budget "All" of 184320`, `53248 less in the other pools of budget "All", beyond their guarantees, where Trim gives back what is empty`}},
	} {
		all := poolimpl.NewBudget("All", 128*kib)
		hog := poolimpl.Config{Name: "test.Hog", Source: poolimpl.Host(), Core: ranges, Locked: true, ChunkSize: 4 * kib, Granularity: 4 * kib, Alignment: 16, Limit: poolrt.NoLimit, Oversize: true, Budget: all}
		hog.Guarantee = 96 * kib
		if test.held > 96*kib {
			hog.Guarantee = 4 * kib
		}
		e := new(poolimpl.Engine)
		e.Init(&hog, new(heap.Core))
		if _, err := e.Alloc(1, test.held, 1); err != nil {
			t.Fatal(err)
		}
		p := cramped(t, new(heap.Core), func(c *poolimpl.Config) {
			c.Suballocator, c.Budget, c.Ladder, c.Oversize, c.ChunkSize = "heap", all, nil, true, 4*kib
		}, test.request)
		if !slices.Equal(p.Remedies, test.want) {
			t.Errorf("got %q, want %q", p.Remedies, test.want)
		}
		if b := p.Account.Budget; b.Kept > 0 && !strings.Contains(p.Explain(), "kept for guarantees") {
			t.Errorf("what is kept is not told: %s", p.Explain())
		}
	}
}

// The limit that a request needs leaves out what the rung trim gives back.
func TestRemediesAfterTrim(t *testing.T) {
	after := func(limit int64) error {
		c := poolimpl.Config{
			Name: "test.Trims", Allocator: "host", Source: poolimpl.Host(), Core: ranges, Locked: true, ChunkSize: 64 * kib, Granularity: 4 * kib, Alignment: 16,
			Limit: limit, Oversize: true, Ladder: []poolimpl.Rung{poolimpl.TrimRung{}},
		}
		var core heap.Core
		e := new(poolimpl.Engine)
		e.Init(&c, &core)
		b, err := e.Alloc(1, 60*kib, 1)
		fatal.If(t, err)
		slot, v := core.Free(b.Addr, 60*kib)
		fatal.If(t, e.FreeSlow(slot, v, b.Addr, 60*kib))
		_, err = e.Alloc(1, 140*kib, 1)
		return err
	}
	var p *poolrt.PoolError
	if !errors.As(after(128*kib), &p) || !slices.Equal(p.Remedies, []string{"a limit of at least 143360"}) {
		t.Fatal(p)
	}
	fatal.If(t, after(143360))
}

// The error of a free with the wrong length says that a block begins at the address.
func TestFreeOfAnotherLength(t *testing.T) {
	c := poolimpl.Config{Name: "test.Remedy", Source: poolimpl.Host(), Core: ranges, Locked: true, ChunkSize: 64 * kib, Granularity: 4 * kib, Alignment: 16, Limit: poolrt.NoLimit}
	var core heap.Core
	e := new(poolimpl.Engine)
	e.Init(&c, &core)
	b, err := e.Alloc(1, 100, 1)
	fatal.If(t, err)
	free := func(addr, bytes uint64) error {
		slot, v := core.Free(addr, bytes)
		return e.FreeSlow(slot, v, addr, bytes)
	}
	const text = "freed with 10 bytes: the block that begins there was handed out with 100, and takes up 112; of a slice b, free b[:cap(b)]"
	if err := free(b.Addr, 10); !errors.Is(err, poolrt.ErrForeign) || !errors.Is(err, poolrt.ErrInvalidFree) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v", err)
	}
	for _, addr := range []uint64{b.Addr + 16, b.Addr + 112, 1} {
		if err := free(addr, 10); !errors.Is(err, poolrt.ErrInvalidFree) || strings.Contains(err.Error(), "begins there") {
			t.Errorf("at %#x: got %v", addr-b.Addr, err)
		}
	}
	if err := free(b.Addr, 100); err != nil {
		t.Error(err)
	}
}
