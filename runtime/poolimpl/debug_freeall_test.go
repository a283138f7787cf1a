//go:build pooldebug

package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestFreeAllMeanwhile: FreeAll comes between the core's part of an allocation and the record of the block. So the record is of a block that is free, until
// the block is freed or its memory is handed out again. Either way, the figures are right again.
func TestFreeAllMeanwhile(t *testing.T) {
	for _, freed := range []bool{false, true} {
		p := newRig(t, func(c *Config) { c.Spacing = 1 })
		e := p.ready()
		d := &e.observed.debug
		call, err := d.beginUse(e, "alloc")
		wantErr(t, "use", err, nil)
		gone, err := e.find(&request{bytes: 40, align: 1})
		wantErr(t, "find", err, nil)
		wantErr(t, "reset", e.FreeAll(p.core.Reset), nil)
		e.observed.alloc(e, call, gone, 40, nil)
		d.endUse(e)
		if freed {
			wantErr(t, "free of what FreeAll has freed", e.Free(gone.Addr, 40), poolrt.ErrDoubleFree)
			idle(t, e)
		}
		b, err := e.Alloc(1, 40, 1)
		wantErr(t, "alloc", err, nil)
		if b.Addr != gone.Addr {
			t.Fatalf("the block is at %#x, not at %#x", b.Addr, gone.Addr)
		}
		wantErr(t, "free", e.Free(b.Addr, 40), nil)
		idle(t, e)
		wantErr(t, "close", p.close(), nil)
	}
}

// idle checks that a pool has no live block.
func idle(t *testing.T, e *Engine) {
	t.Helper()
	if s := e.Stats(); s.Live != 0 || s.LiveBytes != 0 {
		t.Errorf("no block is live: %v", s)
	}
}
