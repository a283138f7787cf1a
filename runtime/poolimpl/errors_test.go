package poolimpl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestErrorMatrix checks which of the package's errors each failure matches, and its text.
func TestErrorMatrix(t *testing.T) {
	all := map[error]string{
		poolrt.ErrLimit: "ErrLimit", poolrt.ErrOutOfMemory: "ErrOutOfMemory", poolrt.ErrTooLarge: "ErrTooLarge", poolrt.ErrBadSize: "ErrBadSize",
		poolrt.ErrBadAlignment: "ErrBadAlignment", poolrt.ErrInvalidFree: "ErrInvalidFree", poolrt.ErrForeign: "ErrForeign", poolrt.ErrDoubleFree: "ErrDoubleFree",
		poolrt.ErrClosed: "ErrClosed", poolrt.ErrLive: "ErrLive", poolrt.ErrBadItem: "ErrBadItem", poolrt.ErrUnsupported: "ErrUnsupported", poolrt.ErrNoDriver: "ErrNoDriver",
		poolrt.ErrNotReturned: "ErrNotReturned", context.Canceled: "Canceled",
	}
	p := newRig(t, func(c *Config) { c.Limit = 200 })
	x := p.mustAlloc(60)
	y := p.mustAlloc(100)
	p.mustFree(y)
	const figures = " (live 60, reserved 200, limit 200, largest free range 100)"
	tests := []struct {
		call func() error
		want []error
		text string
	}{
		{func() error { return p.free(block{1, 2}) }, []error{poolrt.ErrForeign, poolrt.ErrInvalidFree}, "free: not a block of this pool: address 0x1"},
		{func() error { return p.free(block{x.addr, 59}) }, []error{poolrt.ErrForeign, poolrt.ErrInvalidFree}, "free: not a block of this pool: address 0x100000, freed with 59 bytes: " +
			"the block that begins there was handed out with another length, and takes up 60; of a slice b, free b[:cap(b)]"},
		{func() error { return p.free(block{x.addr, 1<<64 - 4}) }, []error{poolrt.ErrForeign, poolrt.ErrInvalidFree}, "free: not a block of this pool: address 0x100000, " +
			"freed with -4 bytes: the block that begins there was handed out with another length, and takes up 60; of a slice b, free b[:cap(b)]"},
		{func() error { return p.free(y) }, []error{poolrt.ErrDoubleFree, poolrt.ErrInvalidFree}, "free: block is free already: address 0x100064"},
		{func() error { _, err := p.alloc(101); return err }, []error{poolrt.ErrTooLarge}, "alloc of 101 bytes: request too large for the pool"},
		{func() error { return p.Refuse(badCount, -3) }, []error{poolrt.ErrBadSize},
			"alloc: bad size: -3 items; a block has at least one, and its bytes fit an int"},
		{func() error { return p.Refuse(BadAlignment, 101, p.config.ChunkSize) }, []error{poolrt.ErrBadAlignment},
			"alloc: bad alignment: 101 is no power of two from 1 to the chunk size 100"},
		{func() error { return p.close() }, []error{poolrt.ErrLive}, "close: in use: 1 block is live"},
		{func() error { return p.SetLimit(50) }, []error{poolrt.ErrLive}, "set limit: in use: 50: chunks in use hold 100: 1 live block"},
		{func() error { return p.SetLimit(-1) }, []error{poolrt.ErrBadSize}, "set limit: bad size: -1: a limit is not negative"},
		{func() error { return p.Refuse(NoFunc) }, []error{poolrt.ErrNoFunc}, "with: function is nil"},
		{func() error { return p.Refuse(notOwned) }, []error{poolrt.ErrDoubleFree, poolrt.ErrInvalidFree}, "release: block is free already: the Ref owns no block: it was released or detached, or never had one"},
		{func() error { return p.SetLimit(201) }, []error{poolrt.ErrBadSize}, "set limit: bad size: 201: the pool file has limit 200, and no max_limit above it"},
		{func() error { return p.Open() }, []error{poolrt.ErrLive}, "configure: in use: options apply only before the first use of the pool"},
		{func() error { _, err := p.Trim(-1); return err }, []error{poolrt.ErrBadSize}, "trim: bad size: -1: what the pool keeps is not negative"},
	}
	for _, test := range tests {
		err := test.call()
		for e, name := range all {
			if got, want := errors.Is(err, e), slices.Contains(test.want, e); got != want {
				t.Errorf("%v: matches %s: %v, want %v", err, name, got, want)
			}
		}
		var pe *poolrt.PoolError
		if !errors.As(err, &pe) || pe.Pool != "test.Pool" || pe.Live != 60 || pe.Reserved != 200 || pe.Limit != 200 || pe.LargestFree != 100 {
			t.Errorf("%v: %+v", err, pe)
		}
		if want := "poolgen: test.Pool: " + test.text + figures; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
	if n := p.Stats().Failures; n != 3 {
		t.Errorf("%d failed allocations", n)
	}
}

// TestTextOfSeveralLines: below a text of several lines, the figures are on a line of their own.
func TestTextOfSeveralLines(t *testing.T) {
	e := poolrt.PoolError{Pool: "p", Op: "free", Err: poolrt.ErrForeign, Detail: "handed out by\n  main.go:3", Limit: poolrt.NoLimit}
	if got, want := e.Error(), "main.go:3\n  (live 0,"; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestStatsString: the text of Stats names each figure.
func TestStatsString(t *testing.T) {
	got := fmt.Sprint(poolrt.Stats{Live: 2, LiveBytes: 30, Limit: poolrt.NoLimit, SoftCrossings: 7})
	if want := "Live 2, LiveBytes 30, PeakBytes 0, Reserved 0, PeakReserved 0, Limit none, Chunks 0, Allocs 0, Frees 0, Failures 0, Pending 0, " +
		"LargestFree 0, RoundingBytes 0, Cached 0, Retired 0, SoftCrossings 7, StreamWaits 0, Unreturned 0, UnreturnedBytes 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOutOfMemoryText: the source's error is part of the text and of the error chain.
func TestOutOfMemoryText(t *testing.T) {
	p := newRig(t, nil)
	p.source.onAlloc = func(int) error { return errNoMemory }
	_, err := p.alloc(7)
	if !errors.Is(err, poolrt.ErrOutOfMemory) || !errors.Is(err, errNoMemory) || errors.Is(err, poolrt.ErrLimit) {
		t.Error(err)
	}
	if want := "poolgen: test.Pool: alloc of 7 bytes: out of memory: no memory left (live 0, reserved 0, limit none, largest free range 0)"; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// TestNoAllocations: calls that succeed allocate no Go memory, even a free on the slow path.
func TestNoAllocations(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{Keep: 1000} })
	b := p.mustAlloc(100)
	p.mustFree(b)
	e := p.ready()
	for name, f := range map[string]func(){
		"free": func() { _ = e.FreeSlow(0, Emptied, b.addr, b.bytes) },
		"init": func() { _ = p.ready() },
		"poll": func() { e.Poll() },
		"trim": func() { _, _ = e.Trim(1000) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v Go allocations", name, n)
		}
	}
}

func TestPoolErrorText(t *testing.T) {
	err := &poolrt.PoolError{Pool: "scene.Vertex", Op: "alloc", Err: poolrt.ErrLimit, Request: 64, Live: 4000, Reserved: 4096, Limit: 4096}
	const want = "poolgen: scene.Vertex: alloc of 64 bytes: limit reached (live 4000, reserved 4096, limit 4096, largest free range 0)"
	if got := err.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCounts: a block has at least one item, and its bytes fit an int.
func TestCounts(t *testing.T) {
	tests := []struct {
		n    int
		item uint64
		want error
	}{
		{1, 100, nil},
		{25, 4, nil},
		{1, 0, poolrt.ErrTooLarge}, // fakeCore has no blocks of 0 bytes
		{0, 4, poolrt.ErrBadSize},
		{-1, 4, poolrt.ErrBadSize},
		{math.MinInt, 1, poolrt.ErrBadSize},
		{math.MaxInt, 1, poolrt.ErrTooLarge},
		{math.MaxInt, 2, poolrt.ErrBadSize},
		{math.MaxInt/8 + 1, 8, poolrt.ErrBadSize},
		{2, 1 << 63, poolrt.ErrBadSize},
	}
	for _, test := range tests {
		p := newRig(t, nil)
		for name, alloc := range map[string]func() (Block, error){
			"alloc":         func() (Block, error) { return p.ready().Alloc(test.n, test.item, 1) },
			"alloc context": func() (Block, error) { return p.ready().AllocContext(t.Context(), test.n, test.item) },
		} {
			b, err := alloc()
			wantErr(t, fmt.Sprintf("%s of %d items of %d bytes", name, test.n, test.item), err, test.want)
			if want := test.n; err == nil && b.Items != want || err != nil && b != (Block{}) {
				t.Errorf("%s of %d items: %+v", name, test.n, b)
			}
			if err == nil {
				p.mustFree(block{b.Addr, uint64(test.n) * test.item})
			}
		}
		if b, ok := p.ready().TryAlloc(test.n, test.item); ok != (test.want == nil) || ok && b.Items != test.n {
			t.Errorf("try of %d items: %+v, %v", test.n, b, ok)
		}
	}
}

// TestNoPool: the error of a Ref without a pool names no pool.
func TestNoPool(t *testing.T) {
	var e *Engine
	err := e.Stale(false, Generation{}, 0)
	wantErr(t, "stale", err, poolrt.ErrDoubleFree)
	if want := "poolgen: no pool: release: block is free already: the Ref owns no block: it was released or detached, or never had one"; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}
