//go:build pooldebug

package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// The blocks of a batch have one call, which is found once: to find it takes longer than all the rest.
func TestBatchIsOneCall(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing = 1 })
	list, err := p.batch(3, func([]uint64) int { return 0 })
	fatal.If(t, err)
	blocks := p.observed.debug.blocks
	first := blocks[list[0]]
	fatal.If(t, FreeEach(p.ready(), list, 10, func(addr uint64) uint64 { return addr }))
	for _, addr := range list {
		b := blocks[addr]
		if b.state != blockHeld || b.allocatedAt.time != first.allocatedAt.time || b.freedAt.time != first.freedAt.time {
			t.Errorf("block %d: state %d, allocated at %v, freed at %v; the first %v, %v", addr, b.state, b.allocatedAt.time, b.freedAt.time, first.allocatedAt.time, first.freedAt.time)
		}
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// A batch that another goroutine's call refuses leaves the pool alone, as that goroutine is in the middle of it.
func TestBatchWithinAnotherCall(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing, c.Locked = 1, false })
	list, err := p.batch(1, func([]uint64) int { return 0 })
	fatal.If(t, err)
	fatal.If(t, p.Free(list[0], 10))
	d := &p.observed.debug
	done := make(chan error)
	if _, err := d.beginUse(&p.Engine, "alloc"); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := p.batch(1, func([]uint64) int { return 0 })
		done <- err
	}()
	wantErr(t, "a batch", <-done, poolrt.ErrOwner)
	go func() { done <- FreeEach(&p.Engine, list, 10, func(addr uint64) uint64 { return addr }) }()
	wantErr(t, "a free", <-done, poolrt.ErrOwner)
	if len(d.held) != 1 || d.owner.calls != 1 {
		t.Errorf("%d blocks are held, %d calls", len(d.held), d.owner.calls)
	}
	d.endUse(&p.Engine)
}

// A batch that ends by a panic of the source is over: other goroutines may use the pool.
func TestBatchThatPanicsIsOver(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing, c.Locked, c.Source = 1, false, panickingSource{} })
	func() {
		defer func() { _ = recover() }()
		_, _ = p.batch(1, func([]uint64) int { return 0 })
		t.Error("the source does not panic")
	}()
	if n := p.observed.debug.owner.calls; n != 0 {
		t.Errorf("%d calls are not over", n)
	}
	p.config.Source = p.source
}

type panickingSource struct{ Source }

func (panickingSource) Alloc(_, _ int64) (Chunk, error) { panic("the source has failed") }

// TestCorruptHookPanics: an event hook that panics at each report of damage loses no block, and the quarantine goes on.
func TestCorruptHookPanics(t *testing.T) {
	p := newRig(t, func(c *Config) {
		c.Spacing, c.Trim = 1, &TrimPolicy{}
		c.Source, c.ChunkSize, c.Granularity, c.Alignment = Host(), 4<<10, 4<<10, 16
	})
	var places []uint64
	for range 3 {
		b, err := p.ready().Alloc(1, 100, 1)
		fatal.If(t, err)
		places = append(places, uint64(uintptr(b.Ptr)))
		fatal.If(t, p.Free(places[len(places)-1], 100))
		*(*byte)(b.Ptr) = 1 // after the free
	}
	corrupt := 0
	stop := poolrt.OnEvent(func(ev poolrt.Event) {
		if ev.Kind == poolrt.EventCorrupt {
			corrupt++
			panic("hook")
		}
	})
	guarded(t, func() { p.Stats() })
	stop()
	d := &p.observed.debug
	if s := p.Stats(); corrupt != 3 || s.Live != 0 || s.Reserved != 0 || d.bypassing != 0 || len(d.held) != 0 {
		t.Errorf("%d reports, %d callers without quarantine, %d blocks held: %+v", corrupt, d.bypassing, len(d.held), s)
	}
	if err := p.close(); err == nil {
		t.Error("Close does not report the damage")
	}
}
