package poolimpl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestErrorMatrix: which of the package's errors each failure matches, and its text.
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
			"the block that begins there was handed out with another length, and takes up 60"},
		{func() error { return p.free(y) }, []error{poolrt.ErrDoubleFree, poolrt.ErrInvalidFree}, "free: block is free already: address 0x100064"},
		{func() error { _, err := p.alloc(101); return err }, []error{poolrt.ErrTooLarge}, "alloc of 101 bytes: request too large for the pool"},
		{func() error { return p.BadCount(-3) }, []error{poolrt.ErrBadSize},
			"alloc: bad size: -3 items; a block has at least one, and its bytes fit an int"},
		{func() error { return p.BadAlignment(101) }, []error{poolrt.ErrBadAlignment},
			"alloc: bad alignment: 101 is no power of two from 1 to the chunk size 100"},
		{func() error { return p.close() }, []error{poolrt.ErrLive}, "close: blocks are in use: 1 block is live"},
		{func() error { return p.SetLimit(50) }, []error{poolrt.ErrLive}, "set limit: blocks are in use: 50: chunks with live blocks hold 100"},
		{func() error { return p.SetLimit(-1) }, []error{poolrt.ErrBadSize}, "set limit: bad size: -1: a limit is not negative"},
		{func() error { return p.NoFunc() }, []error{poolrt.ErrNoFunc}, "with: function is nil"},
		{func() error { return p.NotOwned() }, []error{poolrt.ErrDoubleFree, poolrt.ErrInvalidFree}, "release: block is free already: the Ref owns no block: it was released or detached, or never had one"},
		{func() error { return p.SetLimit(201) }, []error{poolrt.ErrBadSize}, "set limit: bad size: 201: a limit can only be lowered"},
		{func() error { return p.Open() }, []error{poolrt.ErrLive}, "configure: blocks are in use: the pool is in use already"},
		{func() error { _, err := p.Trim(-1); return err }, []error{poolrt.ErrBadSize}, "trim: bad size"},
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

// TestTextOfSeveralLines: the figures do not hang on the last frame of a stack.
func TestTextOfSeveralLines(t *testing.T) {
	e := poolrt.PoolError{Pool: "p", Op: "free", Err: poolrt.ErrForeign, Detail: "handed out by\n  main.go:3", Limit: poolrt.NoLimit}
	if got, want := e.Error(), "main.go:3\n  (live 0,"; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestStatsString: printed, figures have their names.
func TestStatsString(t *testing.T) {
	got := fmt.Sprint(poolrt.Stats{Live: 2, LiveBytes: 30, Limit: poolrt.NoLimit, SoftCrossings: 7})
	if want := "Live 2, LiveBytes 30, PeakBytes 0, Reserved 0, PeakReserved 0, Limit none, Chunks 0, Allocs 0, Frees 0, Failures 0, Pending 0, " +
		"LargestFree 0, RoundingBytes 0, Cached 0, SoftCrossings 7"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOutOfMemoryText: the source's own error is part of the text and of the chain.
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

// TestNoAllocations: what succeeds costs no Go memory, on the slow path of a free too.
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
