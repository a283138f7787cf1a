package poolimpl

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// newGuardRig returns a pool that guards each block, as far as it can.
func newGuardRig(t *testing.T, change func(*Config)) *rig {
	if guardPages == nil || Observed {
		t.Skip("no block is guarded on this system, or in this build")
	}
	return newRig(t, func(c *Config) {
		c.Sampling = &Sampling{Weights: Weights{PerBlock: 1}}
		if change != nil {
			change(c)
		}
	})
}

// atEnd has blocks lie at the end of their pages, or at the start.
func atEnd(t *testing.T, end bool) {
	was := uniform
	uniform = func() float64 { return 0.9 }
	if end {
		uniform = func() float64 { return 0 }
	}
	t.Cleanup(func() { uniform = was })
}

// allocGuarded allocates a block of bytes by the call of generated code.
func allocGuarded(t *testing.T, p *rig, bytes int) Block {
	t.Helper()
	b, err := allocCounted(p, bytes, 1)
	fatal.If(t, err)
	return b
}

func allocCounted(p *rig, bytes int, align uint64) (Block, error) {
	p.Lock()
	p.Spend(1)
	p.Unlock()
	return p.ready().Alloc(bytes, 1, align)
}

// freeGuardedBlock frees a block as generated code does.
func freeGuardedBlock(p *rig, b Block) error { return p.free(block{b.Addr, uint64(b.Items)}) }

// touch reads the byte at an offset of a block or, with write, writes it. It returns what Fault tells of that.
func touch(b Block, offset int, write bool) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if err = poolrt.Fault(r); err == nil {
				panic(r)
			}
		}
	}()
	at := (*byte)(unsafe.Add(b.Ptr, offset))
	if write {
		*at = 1
		return nil
	}
	if *at == 255 {
		return errors.New("what no test writes")
	}
	return nil
}

// report requires an error that has all the words.
func report(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is missing in:\n%v", w, err)
		}
	}
}

// A guarded block can be used from its first byte to its last, and no further; and not at all once it is free. The report has both call stacks.
func TestGuardedUse(t *testing.T) {
	for _, write := range []bool{false, true} {
		for _, end := range []bool{false, true} {
			atEnd(t, end)
			p := newGuardRig(t, nil)
			b := allocGuarded(t, p, 64)
			for i := range 64 {
				fatal.If(t, touch(b, i, write))
			}
			if end {
				report(t, touch(b, 64, write), poolrt.ErrFault, "is byte 64 of a guarded block of 64", "handed out")
			} else {
				report(t, touch(b, -1, write), poolrt.ErrFault, "is 1 before a guarded block", "handed out")
			}
			fatal.If(t, freeGuardedBlock(p, b))
			for _, i := range []int{0, 63} {
				report(t, touch(b, i, write), poolrt.ErrFault, "of a guarded block that was freed", "handed out", "freed", "testing.tRunner")
			}
			fatal.If(t, p.close())
		}
	}
}

// What is written beside a block, where no page ends, is found at its free, which frees the block nevertheless.
func TestGuardedZones(t *testing.T) {
	for _, test := range []struct {
		end    bool
		offset int
		words  string
	}{
		{false, 40, "1 byte behind the block was written to, from its byte 40 on: 01"},
		{false, 4095, "from its byte 4095 on"},
		{true, -1, "1 byte in front of the block was written to, from 1 before it on"},
		{true, 47, "from its byte 47 on"},
	} {
		atEnd(t, test.end)
		p := newGuardRig(t, func(c *Config) { c.Sampling.(*Sampling).Align = 16 })
		var events []poolrt.Event
		stop := poolrt.OnEvent(func(e poolrt.Event) { events = append(events, e) })
		b := allocGuarded(t, p, 40)
		if uint64(uintptr(b.Ptr))%16 != 0 {
			t.Errorf("block at %p", b.Ptr)
		}
		fatal.If(t, touch(b, test.offset, true))
		report(t, freeGuardedBlock(p, b), poolrt.ErrCorrupt, test.words, "handed out", "freed")
		stop()
		if n := len(events); n == 0 || events[n-1].Kind != poolrt.EventCorrupt || !errors.Is(events[n-1].Err, poolrt.ErrCorrupt) {
			t.Errorf("events %v", events)
		}
		fatal.If(t, p.close())
	}
}

// A free that is not that of the block changes nothing, and says what is there.
func TestGuardedFrees(t *testing.T) {
	atEnd(t, true)
	p := newGuardRig(t, nil)
	b := allocGuarded(t, p, 64)
	report(t, p.free(block{b.Addr, 32}), poolrt.ErrForeign, "freed with 32 bytes", "handed out")
	report(t, p.free(block{b.Addr + 8, 56}), poolrt.ErrForeign, "is byte 8 of a guarded block", "handed out")
	report(t, p.free(block{b.Addr + 64, 64}), poolrt.ErrForeign, "is byte 64 of a guarded block of 64", "handed out")
	fatal.If(t, touch(b, 0, true))
	fatal.If(t, freeGuardedBlock(p, b))
	report(t, freeGuardedBlock(p, b), poolrt.ErrDoubleFree, "handed out", "freed")
	if s := p.ready().Stats(); s.Live != 0 || s.Guarded != 0 || s.LiveBytes != 0 {
		t.Errorf("%v", s)
	}
}

// With guards a pool holds as many blocks as without, and has the same figures.
func TestGuardsOutsideTheLimit(t *testing.T) {
	p, plain := newGuardRig(t, func(c *Config) { c.Limit = 10_000 }), newRig(t, func(c *Config) { c.Limit = 10_000 })
	var blocks []Block
	for {
		b, err := allocCounted(p, 10, 1)
		if _, plainErr := plain.alloc(10); (plainErr == nil) != (err == nil) {
			t.Fatalf("after %d blocks %v, without guards %v", len(blocks), err, plainErr)
		}
		got, want := p.ready().Stats(), plain.ready().Stats()
		if got.Guarded != min(got.Live, mostGuarded) {
			t.Fatalf("%d of %d blocks are guarded", got.Guarded, got.Live)
		}
		if got.Guarded = 0; got != want {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
		if err != nil {
			break
		}
		blocks = append(blocks, b)
	}
	if err := p.close(); !errors.Is(err, poolrt.ErrLive) {
		t.Errorf("close: %v", err)
	}
	for _, b := range blocks {
		fatal.If(t, freeGuardedBlock(p, b))
	}
	if s := p.ready().Stats(); s.Live != 0 || s.Guarded != 0 {
		t.Errorf("%v", s)
	}
}

// Of the blocks that were freed, the last ones are recognised.
func TestSealed(t *testing.T) {
	p := newGuardRig(t, nil)
	var blocks []Block
	for range mostSealed + 1 {
		b := allocGuarded(t, p, 10)
		blocks = append(blocks, b)
		fatal.If(t, freeGuardedBlock(p, b))
	}
	e := p.ready()
	if n := len(e.guards.sealed); n != mostSealed {
		t.Errorf("%d blocks are sealed", n)
	}
	for _, b := range blocks[1:] {
		report(t, touch(b, 0, false), poolrt.ErrFault, "is byte 0 of a guarded block that was freed")
		report(t, freeGuardedBlock(p, b), poolrt.ErrDoubleFree, "freed")
	}
	fatal.If(t, p.close())
	if len(e.guards.sealed) > 0 || e.Fault(blocks[1].Addr) != nil {
		t.Error("pages are left of a closed pool")
	}
}

// Pages that serve another block have nothing of the one before: neither who freed it, nor what was written beside it.
func TestGuardedPagesServeAgain(t *testing.T) {
	atEnd(t, false)
	p := newGuardRig(t, nil)
	for i := range 3 * mostSealed {
		b := allocGuarded(t, p, 40)
		err := touch(b, -1, true)
		if report(t, err, poolrt.ErrFault, "handed out"); strings.Contains(err.Error(), "freed") {
			t.Fatalf("the block is live: %v", err)
		}
		if i >= 2*mostSealed {
			fatal.If(t, freeGuardedBlock(p, b))
			continue
		}
		fatal.If(t, touch(b, 40, true))
		if i%2 == 0 {
			report(t, freeGuardedBlock(p, b), poolrt.ErrCorrupt, "1 byte behind the block", "handed out", "freed")
		} else if err := p.FreeAll(p.core.Reset); err != nil { // which looks at nothing
			t.Fatal(err)
		}
	}
}

// A guarded block that is on pages of an earlier one leaves no garbage.
func TestGuardsLeaveNoGarbage(t *testing.T) {
	e := newGuardRig(t, nil).ready()
	r := &request{bytes: 10, align: 1}
	pair := func() {
		b := e.generated.Sampling.(*Sampling).guard(e, Sample{turns: e.guards.turn()}, foundBlock{Addr: 100}, r.bytes, r.align)
		if seat, v, detail := e.guards.free(b.Addr, 10); seat != 100 || v != Freed || detail != "" {
			t.Fatal(seat, v, detail)
		}
	}
	for range mostSealed {
		pair()
	}
	if n := testing.AllocsPerRun(1000, pair); n > 0 {
		t.Errorf("%v allocations a pair", n)
	}
}

// CloseForce also unmaps the pages of live blocks.
func TestGuardsCloseForce(t *testing.T) {
	p := newGuardRig(t, nil)
	b := allocGuarded(t, p, 10)
	fatal.If(t, p.closeForce())
	if err := freeGuardedBlock(p, b); !errors.Is(err, poolrt.ErrClosed) || len(p.guards.live) > 0 {
		t.Errorf("%v, %d guarded", err, len(p.guards.live))
	}
}

// A block that cannot have pages of its own is handed out as it is.
func TestUnguarded(t *testing.T) {
	was := guardPages
	t.Cleanup(func() { guardPages = was })
	p := newGuardRig(t, func(c *Config) { c.ChunkSize = 1 << 20 })
	for _, test := range []struct {
		pages pagesApart
		bytes int
		align uint64
	}{{nil, 10, 1}, {noPages{was}, 10, 1}, {was, guardUpTo + 1, 1}, {was, 10, 1 << 16}} {
		guardPages = test.pages
		b, err := allocCounted(p, test.bytes, test.align)
		fatal.If(t, err)
		if s := p.ready().Stats(); s.Guarded != 0 || s.Live != 1 {
			t.Errorf("%+v: %v", test, s)
		}
		fatal.If(t, freeGuardedBlock(p, b))
	}
	guardPages = noSeal{was}
	b := allocGuarded(t, p, 10)
	if err := freeGuardedBlock(p, b); err != nil || p.ready().Stats().Live != 0 || p.ready().Fault(b.Addr) != nil {
		t.Errorf("pages that cannot be sealed: %v, %v", err, p.ready().Stats())
	}
}

// noPages has no pages.
type noPages struct{ pagesApart }

func (noPages) AllocApart(int64) (Chunk, error) { return Chunk{}, errors.New("no pages") }

// noSeal cannot seal pages.
type noSeal struct{ pagesApart }

func (noSeal) Seal(Chunk) error { return errors.New("no seal") }
