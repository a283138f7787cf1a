package poolimpl

import (
	"errors"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fillInFlight puts the whole of a pool limited to 100 bytes in flight on s1 and leaves it empty. It returns where s1 has to come to.
func fillInFlight(p *streamRig) (at uint64) {
	at = p.deferFree(s1, 100)
	b := must2(p.allocOn(s1, 50)) // of another size: the place is taken up again at once
	if err := p.free(b); err != nil {
		p.t.Fatal(err)
	}
	return at
}

func tight(c *Config) { c.Limit, c.Ladder = 100, []Rung{{Kind: RungPoll}, {Kind: RungError}} }

// No chunk goes back while a stream may be at work in it, though all its blocks are free; and it does afterwards.
func TestInFlightChunkStays(t *testing.T) {
	for name, policy := range map[string]*TrimPolicy{"kept": nil, "trimmed": {}, "idle": {Idle: time.Nanosecond}} {
		p := newStreamRig(t, func(c *Config) { tight(c); c.Trim = policy })
		trackOrder(p)
		at := fillInFlight(p)
		if s := p.ready().Stats(); s.Live != 0 || s.Pending != 1 {
			t.Fatalf("%s: %+v", name, s)
		}
		if n, err := p.ready().Trim(0); n != 0 || err != nil {
			t.Errorf("%s: Trim gave back %d bytes in flight, %v", name, n, err)
		}
		wantErr(t, "SetLimit", p.ready().SetLimit(50), poolrt.ErrLive)
		p.line.complete(s1, at)
		if n := p.ready().Poll(); n != 1 {
			t.Errorf("%s: Poll reclaimed %d", name, n)
		}
		p.ready().Poll()
		if s := p.ready().Stats(); s.Reserved != 0 && policy != nil || s.Pending != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		wantErr(t, "Close", p.close(), nil)
		p.ended()
	}
}

// An allocation without a stream finds what streams have passed, without waiting.
func TestExpiredIsFound(t *testing.T) {
	p := newStreamRig(t, tight)
	at := fillInFlight(p)
	_, err := p.alloc(80)
	wantErr(t, "alloc in flight", err, poolrt.ErrLimit)
	p.line.complete(s1, at)
	if _, err := p.alloc(80); err != nil {
		t.Error(err)
	}
}

// Close waits for what is in flight.
func TestCloseWhileInFlight(t *testing.T) {
	p := newStreamRig(t, tight)
	trackOrder(p)
	fillInFlight(p)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A range that the driver cannot answer for does not keep others in flight.
func TestRangesExpireApart(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { tight(c); c.Limit = 100 })
	p.deferFree(s1, 50)
	p.deferFree(s2, 50)
	must2(p.allocOn(Stream{ID: 3}, 100))
	if len(p.streams.inFlight) != 2 {
		t.Fatalf("%d ranges are in flight", len(p.streams.inFlight))
	}
	p.line.completeAll()
	failed := false
	p.line.before = func(call string) error {
		if call == "Done" && !failed {
			failed = true
			return errDriver
		}
		return nil
	}
	if n := p.ready().Poll(); n != 1 {
		t.Errorf("Poll reclaimed %d", n)
	}
}

// Where the stream cannot be made to wait, the allocation fails and says why, and the block is nobody's.
func TestStreamThatCannotWait(t *testing.T) {
	p := newStreamRig(t, tight)
	fillInFlight(p)
	p.line.before = func(call string) error {
		if call == "Wait" {
			return errDriver
		}
		return nil
	}
	_, err := p.allocOn(s2, 100)
	wantErr(t, "AllocOn", err, poolrt.ErrLimit)
	p.line.before = nil
	if s := p.ready().Stats(); s.Live != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := p.allocOn(s2, 100); err != nil {
		t.Error(err)
	}
}

// While a stream is made to wait, only the one block is taken: others neither count nor keep anybody from memory.
func TestWaitTakesOneBlock(t *testing.T) {
	p := newStreamRig(t, tight)
	fillInFlight(p)
	var live int64
	p.once("Wait", func() { live = p.ready().Stats().Live })
	if _, err := p.allocOn(s2, 10); err != nil || live != 1 {
		t.Errorf("%d blocks live meanwhile, %v", live, err)
	}
}

// However many ranges in flight lie before it, an allocation without a stream finds what is not.
func TestBeyondInFlightTries(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ChunkSize, c.Limit = 2*inFlightTries, 4*inFlightTries; c.Ladder = nil })
	p.deferFree(s1, 2*inFlightTries)
	must2(p.allocOn(s1, 1))
	if _, err := p.alloc(1); err != nil {
		t.Error(err)
	}
	if n := p.ready().Stats().Pending; n != 1 {
		t.Errorf("%d pending", n)
	}
}

// A stream that ends gets a fence for all that was freed on it, also while somebody seals what was freed before.
func TestStreamEndsWhileFenced(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	ended := make(chan struct{})
	p.once("Record", func() {
		p.deferFree(s1, 30)
		go func() { p.source.stream(s1); close(ended) }()
		time.Sleep(time.Millisecond)
	})
	p.ready().Poll()
	<-ended
	if p.line.records != 2 {
		t.Errorf("%d fences", p.line.records)
	}
	p.line.before = func(call string) error {
		if call == "Record" {
			return errors.New("the stream is gone")
		}
		return nil
	}
	p.line.completeAll()
	if n := p.ready().Poll(); n != 2 {
		t.Errorf("Poll reclaimed %d", n)
	}
}

// A stream is made to wait for a place once, and never for its own.
func TestWaitsOnce(t *testing.T) {
	p := newStreamRig(t, tight)
	waits := 0
	p.line.before = func(call string) error {
		if call == "Wait" {
			waits++
		}
		return nil
	}
	fillInFlight(p)
	must2(p.allocOn(s1, 10))
	if waits != 0 {
		t.Error("the stream waits for itself")
	}
	must2(p.allocOn(s2, 10))
	must2(p.allocOn(s2, 20))
	if waits != 1 {
		t.Errorf("%d waits", waits)
	}
}

// A fence that somebody asks about does not go back, though the pool does not need it any more.
func TestFenceOutlivesQuestion(t *testing.T) {
	p := newStreamRig(t, tight)
	p.deferFree(s1, 30)
	p.ready().Poll()
	p.deferFree(s1, 25)
	p.ready().Poll()
	p.once("Done", func() { must2(p.allocOn(s1, 100)) }) // both epochs become one range in flight
	p.ready().Poll()
	if p.line.wrong != 0 || p.line.free != 1 {
		t.Errorf("%d questions about fences given back; %d given back", p.line.wrong, p.line.free)
	}
}

// One caller at a time makes fences of a stream: those of its epochs come in their order.
func TestFencedByOne(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 30)
	p.once("Record", func() {
		p.deferFree(s1, 20)
		if p.ready().Poll(); p.line.records != 0 {
			t.Error("fences made by two at a time")
		}
	})
	p.ready().Poll()
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
