package poolimpl

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// pendingOn makes a stream free a block of 100 bytes that it has not passed. It returns the position that it has to complete.
func pendingOn(p *streamRig, s Stream) uint64 { return p.deferFree(s, 100) }

// across makes a pool with a value of across_streams whose stream s1 may still be using all 100 bytes that it ever had.
func across(t *testing.T, value AcrossStreams, change func(*Config)) *streamRig {
	p := newStreamRig(t, func(c *Config) {
		c.AcrossStreams = value
		if change != nil {
			change(c)
		}
	})
	pendingOn(p, s1)
	return p
}

// Before a pool grows, the key decides whether a stream waits for another one.
func TestAcrossStreams(t *testing.T) {
	for _, c := range []struct {
		name            string
		value           AcrossStreams
		chunks, waits   int64
		afterPeak, then int64 // chunks and waits of another pool, which held more before
	}{
		{"limit", AcrossLimit, 2, 0, 2, 0},
		{"peak", AcrossPeak, 1, 1, 2, 0},
		{"growth", AcrossGrowth, 1, 1, 1, 1},
	} {
		p := across(t, c.value, nil)
		must2(p.allocOn(s2, 80))
		if s := p.ready().Stats(); s.Chunks != c.chunks || s.StreamWaits != c.waits {
			t.Errorf("%s: %+v", c.name, s)
		}
		p = across(t, c.value, nil)
		p.figures.peakReserved = 200
		must2(p.allocOn(s2, 80))
		if s := p.ready().Stats(); s.Chunks != c.afterPeak || s.StreamWaits != c.then {
			t.Errorf("%s below the peak: %+v", c.name, s)
		}
	}
}

// An allocation without a stream never gets what a stream may be using, but what streams have passed, although no fence was behind it.
func TestAcrossStreamsWithoutStream(t *testing.T) {
	p := across(t, AcrossGrowth, nil)
	if must2(p.alloc(80)); p.ready().Stats().Chunks != 2 || p.line.records != 1 {
		t.Errorf("%+v, %d fences", p.ready().Stats(), p.line.records)
	}
	p = newStreamRig(t, nil)
	p.line.complete(s1, pendingOn(p, s1))
	if must2(p.alloc(80)); p.ready().Stats().Chunks != 1 {
		t.Errorf("%+v", p.ready().Stats())
	}
}

// Before the pool grows it asks each stream once.
func TestPollBeforeGrowth(t *testing.T) {
	p := newStreamRig(t, nil)
	pendingOn(p, s1)
	asked := 0
	p.line.before = func(call string) error {
		if call == "Done" {
			asked++
		}
		return nil
	}
	must2(p.allocOn(s2, 100))
	if s := p.ready().Stats(); s.Chunks != 2 || s.StreamWaits != 0 || asked != 1 || p.line.records != 1 {
		t.Errorf("%+v, %d questions, %d fences", s, asked, p.line.records)
	}
}

// Where the driver records no event for a stream, as it takes part in a capture, its frees stay pending, and the pool grows.
func TestAcrossStreamsCaptured(t *testing.T) {
	p := across(t, AcrossGrowth, nil)
	p.line.before = func(call string) error {
		if call == "Record" {
			return errDriver
		}
		return nil
	}
	must2(p.allocOn(s2, 100))
	if s := p.ready().Stats(); s.Chunks != 2 || s.StreamWaits != 0 || s.Pending != 1 {
		t.Errorf("%+v", s)
	}
}

// Of several blocks a stream gets the one that it has the shortest wait for, the one that was freed first.
func TestWaitsForOldest(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.AcrossStreams, c.Limit = AcrossGrowth, 300 })
	var on [3]Stream
	var blocks [3]block
	for i := range on {
		on[i] = Stream{ID: uint64(i + 1)}
		blocks[i] = must2(p.allocOn(on[i], 100))
	}
	for _, i := range []int{1, 0, 2} { // each puts a mark behind the frees so far
		p.line.use(on[i])
		fatal.If(t, p.freeOn(blocks[i], on[i]))
		e := p.ready()
		e.lock()
		onStreams{e}.recoverOwn(on[i])
		e.unlockAndNotify()
	}
	if b := must2(p.allocOn(Stream{ID: 9}, 100)); b != blocks[1] {
		t.Errorf("got %v, the first one freed is %v", b, blocks[1])
	}
	if n := p.ready().Stats().StreamWaits; n != 1 {
		t.Errorf("%d waits", n)
	}
}

// A stream that cannot be made to wait gets other memory.
func TestAcrossStreamsNoWait(t *testing.T) {
	p := across(t, AcrossGrowth, nil)
	p.line.before = func(call string) error {
		if call == "Wait" {
			return errDriver
		}
		return nil
	}
	if _, err := p.allocOn(s2, 100); err != nil || p.ready().Stats().Chunks != 2 {
		t.Errorf("%+v, %v", p.ready().Stats(), err)
	}
}

// A poll asks a stream about its oldest mark only, however many it has, and the marks end in their order.
func TestOldestMark(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ChunkSize = 1000 })
	var at [5]uint64
	for i := range at {
		at[i] = p.deferFree(s1, uint64(50+i))
		e := p.ready()
		e.lock()
		onStreams{e}.recoverOwn(s1)
		e.unlockAndNotify()
	}
	asked := 0
	p.line.before = func(call string) error {
		if call == "Done" {
			asked++
		}
		return nil
	}
	if n := p.ready().Poll(); n != 0 || asked != 1 {
		t.Errorf("%d reclaimed, %d questions", n, asked)
	}
	asked = 0
	p.line.complete(s1, at[2])
	if n := p.ready().Poll(); n != 3 || asked != 4 {
		t.Errorf("%d reclaimed, %d questions", n, asked)
	}
	p.line.completeAll()
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A block taken from what is in flight, freed without use, may still be in use by the stream that had it before.
func TestInFlightAfterFree(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 100, []Rung{PollRung{}, ErrorRung{}} })
	at := pendingOn(p, s1)
	b := must2(p.allocOn(s2, 60))
	fatal.If(t, p.free(b))
	if _, err := p.alloc(60); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("an allocation without a stream: %v", err)
	}
	p.line.complete(s1, at)
	if _, err := p.alloc(60); err != nil {
		t.Error(err)
	}
}

// What comes into flight again behind a newer mark is in flight until that one alone.
func TestInFlightTwice(t *testing.T) {
	p := newStreamRig(t, tight)
	first := fillInFlight(p)
	b := must2(p.allocOn(s2, 40)) // s2 waits for s1
	p.line.use(s2)
	fatal.If(t, p.freeOn(b, s2))
	e := p.ready()
	e.lock()
	onStreams{e}.recoverOwn(s2)
	e.unlockAndNotify()
	p.check()
	if s := e.Stats(); s.Pending != 2 || len(p.streams.inFlight) != 2 {
		t.Errorf("%+v, in flight of %d streams", s, len(p.streams.inFlight))
	}
	p.line.complete(s1, first)
	if n := e.Poll(); n != 1 {
		t.Errorf("Poll reclaimed %d", n)
	}
	if _, err := p.alloc(100); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("memory of s2: %v", err)
	}
	if _, err := p.alloc(40); err != nil {
		t.Errorf("memory that s1 has passed: %v", err)
	}
}
