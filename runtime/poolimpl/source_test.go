package poolimpl

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestSourceFailsInTurn runs a script against a source that fails at its first, second, third ... call. After each failure
// no memory is lost, and the script can be run again to its end.
func TestSourceFailsInTurn(t *testing.T) {
	script := func(p *rig, live *[]block) error {
		for _, n := range []uint64{60, 60, 150, 100, 10, 60} {
			b, err := p.alloc(n)
			if err != nil {
				return err
			}
			*live = append(*live, b)
		}
		return nil
	}
	for failing := 1; failing <= 6; failing++ {
		for _, kind := range []string{"alloc", "free", "panic in alloc", "panic in free"} {
			t.Run(fmt.Sprintf("%s %d", kind, failing), func(t *testing.T) {
				p := newRig(t, func(c *Config) {
					c.Oversize, c.Prime, c.Limit, c.Trim = true, 200, 600, &TrimPolicy{Keep: 100}
				})
				fail := func(call int) error {
					if call != failing {
						return nil
					}
					if len(kind) > 5 {
						panic(kind)
					}
					return errNoMemory
				}
				if kind == "alloc" || kind == "panic in alloc" {
					p.source.onAlloc = fail
				} else {
					p.source.onFree = fail
				}
				step := func(what string, f func() error) {
					guarded(t, func() {
						if err := f(); err != nil && !errors.Is(err, errNoMemory) {
							t.Errorf("%s: %v", what, err)
						}
					})
					p.sound()
				}
				var live []block
				step("script", func() error { return script(p, &live) })
				for _, b := range live {
					step("free", func() error { return p.free(b) })
				}
				step("trim", func() error { _, err := p.Trim(0); return err })
				p.source.onAlloc, p.source.onFree = nil, nil
				live = nil
				if err := script(p, &live); err != nil {
					t.Errorf("again: %v", err)
				}
				p.mustFree(live...)
				if err := p.close(); err != nil {
					t.Errorf("close: %v", err)
				}
				if n := p.source.held(); n != 0 {
					t.Errorf("%d bytes left", n)
				}
			})
		}
	}
}

// guarded calls f, and recovers from a panic with a string of the test.
func guarded(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(string); !ok {
				panic(v)
			}
		}
	}()
	f()
}

// TestPanickingSource: a panic of the source reaches the caller, and the pool can still be used.
func TestPanickingSource(t *testing.T) {
	for _, locked := range []bool{false, true} {
		b := NewBudget("B", 100)
		p := newRig(t, func(c *Config) { c.Locked, c.Budget = locked, b })
		p.source.onAlloc = func(call int) error {
			if call == 1 {
				panic("alloc")
			}
			return nil
		}
		func() {
			defer func() {
				if recover() != "alloc" {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = p.alloc(1)
		}()
		p.mustFree(p.mustAlloc(100))
		p.source.onFree = func(int) error { panic("free") }
		func() {
			defer func() {
				if recover() != "free" {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = p.Trim(0)
		}()
		p.source.onFree = nil
		p.mustFree(p.mustAlloc(100))
		if b.Reserved() != 100 {
			t.Errorf("budget has %d", b.Reserved())
		}
	}
}

// TestPanicAmongChunks: if the source panics while several chunks are released, only the chunk of the panic is lost.
func TestPanicAmongChunks(t *testing.T) {
	p := newRig(t, nil)
	blocks := []block{p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)}
	p.mustFree(blocks...)
	p.source.onFree = func(call int) error {
		switch call {
		case 2:
			return errNoMemory
		case 3:
			panic("free")
		}
		return nil
	}
	guarded(t, func() { _, _ = p.Trim(0) })
	if s := p.Stats(); s.Reserved != 200 || s.Chunks != 2 {
		t.Errorf("%d reserved in %d chunks", s.Reserved, s.Chunks)
	}
	p.sound()
}

// TestUnreturnedChunk: a chunk that the source fails to free stays in use.
func TestUnreturnedChunk(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{} })
	p.source.onFree = func(int) error { return errNoMemory }
	p.mustFree(p.mustAlloc(100)) // the policy tries to release the chunk
	if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
		t.Fatalf("reserved %d in %d chunks", s.Reserved, s.Chunks)
	}
	n, err := p.Trim(0)
	if n != 0 {
		t.Errorf("released %d", n)
	}
	wantErr(t, "trim", err, poolrt.ErrNotReturned)
	b := p.mustAlloc(100)
	if p.source.calls() != 1 {
		t.Error("the chunk was not used again")
	}
	p.mustFree(b)
	wantErr(t, "close", p.close(), poolrt.ErrNotReturned)
	if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 {
		t.Errorf("closed: reserved %d in %d chunks", s.Reserved, s.Chunks)
	}
	_, err = p.alloc(1)
	wantErr(t, "alloc", err, poolrt.ErrClosed)
	p.source.onFree = nil
	wantErr(t, "close again", p.close(), nil)
	if s := p.Stats(); s.Reserved != 0 || s.Chunks != 0 {
		t.Errorf("closed: reserved %d in %d chunks", s.Reserved, s.Chunks)
	}
	wantErr(t, "close once more", p.close(), nil)
}

// TestSourceOfOurs: a source's error that matches one of the package's errors is the pool's reason.
func TestSourceOfOurs(t *testing.T) {
	for _, reason := range []error{poolrt.ErrNoDriver, poolrt.ErrUnsupported} {
		p := newRig(t, nil)
		p.source.onAlloc = func(int) error { return fmt.Errorf("open: %w", reason) }
		_, err := p.alloc(1)
		wantErr(t, "alloc", err, reason)
		if errors.Is(err, poolrt.ErrOutOfMemory) {
			t.Errorf("%v is out of memory", err)
		}
	}
}
