package poolimpl

import (
	"errors"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fillInFlight puts all memory of a pool limited to 100 bytes in flight on s1, without live blocks. It returns the position that s1 has to complete.
func fillInFlight(p *streamRig) (at uint64) {
	at = p.deferFree(s1, 100)
	e := p.ready()
	e.lock()
	defer e.unlockAndNotify()
	onStreams{e}.recoverOwn(s1)
	return at
}

func tight(c *Config) { c.Limit, c.Ladder = 100, []Rung{PollRung{}, ErrorRung{}} }

// A chunk whose blocks are all free is not released while a stream may use it. It is released afterwards.
func TestInFlightChunkStays(t *testing.T) {
	for name, policy := range map[string]*TrimPolicy{"kept": nil, "trimmed": {}, "idle": {Idle: time.Nanosecond}} {
		p := newStreamRig(t, func(c *Config) { tight(c); c.Trim = policy })
		trackOrder(p)
		at := fillInFlight(p)
		if s := p.ready().Stats(); s.Live != 0 || s.Pending != 1 {
			t.Fatalf("%s: %+v", name, s)
		}
		if n, err := p.ready().Trim(0); n != 0 || err != nil {
			t.Errorf("%s: Trim released %d bytes in flight, %v", name, n, err)
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

// An allocation without a stream gets memory that streams have passed, without waiting.
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

// Close waits for ranges in flight.
func TestCloseWhileInFlight(t *testing.T) {
	p := newStreamRig(t, tight)
	trackOrder(p)
	fillInFlight(p)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A range whose fence the driver fails to query does not keep other ranges in flight.
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

// If the driver fails to make the stream wait, the allocation returns the driver's error, and the block is free.
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

// While the driver makes a stream wait, only the requested block counts as live, and other callers can allocate the other memory.
func TestWaitTakesOneBlock(t *testing.T) {
	p := newStreamRig(t, tight)
	fillInFlight(p)
	var live int64
	p.once("Wait", func() { live = p.ready().Stats().Live })
	if _, err := p.allocOn(s2, 10); err != nil || live != 1 {
		t.Errorf("%d blocks live meanwhile, %v", live, err)
	}
}

// An allocation without a stream finds memory that is not in flight, past any number of ranges that are.
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

// A stream that ends gets a fence for all of its frees, even while another caller seals earlier frees.
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

// A stream is made to wait for a range once, and never for its own frees.
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

// A fence is not released while a caller queries it, even if the pool does not need it any more.
func TestFenceOutlivesQuestion(t *testing.T) {
	p := newStreamRig(t, tight)
	p.deferFree(s1, 30)
	p.ready().Poll()
	p.deferFree(s1, 25)
	p.ready().Poll()
	p.once("Done", func() {
		must2(p.allocOn(s1, 30))
		must2(p.allocOn(s1, 70)) // the second epoch is put in flight, and the first has no block left
	})
	p.ready().Poll()
	if p.line.wrong != 0 || p.line.free != 1 {
		t.Errorf("%d queries of released fences; %d fences released", p.line.wrong, p.line.free)
	}
}

// One caller at a time records fences of a stream: the fences of its epochs are in order.
func TestFencedByOne(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 30)
	p.once("Record", func() {
		p.deferFree(s1, 20)
		if p.ready().Poll(); p.line.records != 0 {
			t.Error("two callers record fences at once")
		}
	})
	p.ready().Poll()
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
