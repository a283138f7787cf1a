package runtime

import (
	"errors"
	"testing"
	"time"
)

// heat makes the whole of a pool limited to 100 bytes hot for s1 and leaves it empty. It returns where s1 has to come to.
func heat(p *streamRig) (at uint64) {
	at = p.park(s1, 100)
	b := must2(p.allocOn(s1, 50)) // of another size: the place is taken up again at once
	if err := p.free(b); err != nil {
		p.t.Fatal(err)
	}
	return at
}

func tight(c *Config) { c.Limit, c.Ladder = 100, []Rung{{Kind: RungPoll}, {Kind: RungError}} }

// No chunk goes back while a stream may be at work in it, though all its blocks are free; and it does afterwards.
func TestHotChunkStays(t *testing.T) {
	for name, policy := range map[string]*TrimPolicy{"kept": nil, "trimmed": {}, "idle": {Idle: time.Nanosecond}} {
		p := newStreamRig(t, func(c *Config) { tight(c); c.Trim = policy })
		trackOrder(p)
		at := heat(p)
		if s := p.ready().Stats(); s.Live != 0 || s.Pending != 1 {
			t.Fatalf("%s: %+v", name, s)
		}
		if n, err := p.ready().Trim(0); n != 0 || err != nil {
			t.Errorf("%s: Trim gave back %d bytes while hot, %v", name, n, err)
		}
		wantErr(t, "SetLimit", p.ready().SetLimit(50), ErrLive)
		p.line.complete(s1, at)
		if n := p.ready().Poll(); n != 1 {
			t.Errorf("%s: Poll retired %d", name, n)
		}
		p.ready().Poll()
		if s := p.ready().Stats(); s.Reserved != 0 && policy != nil || s.Pending != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		wantErr(t, "Close", p.close(), nil)
		p.ended()
	}
}

// An allocation without a stream finds what has cooled down, without waiting.
func TestCooledIsFound(t *testing.T) {
	p := newStreamRig(t, tight)
	at := heat(p)
	_, err := p.alloc(80)
	wantErr(t, "alloc while hot", err, ErrLimit)
	p.line.complete(s1, at)
	if _, err := p.alloc(80); err != nil {
		t.Error(err)
	}
}

// Close waits for what is hot.
func TestCloseWhileHot(t *testing.T) {
	p := newStreamRig(t, tight)
	trackOrder(p)
	heat(p)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A place that the driver cannot answer for does not keep others hot.
func TestHotPlacesApart(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { tight(c); c.Limit = 100 })
	p.park(s1, 50)
	p.park(s2, 50)
	must2(p.allocOn(Stream{ID: 3}, 100))
	if len(p.hot) != 2 {
		t.Fatalf("%d places are hot", len(p.hot))
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
		t.Errorf("Poll retired %d", n)
	}
}

// Where the stream cannot be made to wait, the allocation fails and says why, and the block is nobody's.
func TestStreamThatCannotWait(t *testing.T) {
	p := newStreamRig(t, tight)
	heat(p)
	p.line.before = func(call string) error {
		if call == "Wait" {
			return errDriver
		}
		return nil
	}
	_, err := p.allocOn(s2, 100)
	wantErr(t, "AllocOn", err, ErrLimit)
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
	heat(p)
	var live int64
	p.once("Wait", func() { live = p.ready().Stats().Live })
	if _, err := p.allocOn(s2, 10); err != nil || live != 1 {
		t.Errorf("%d blocks live meanwhile, %v", live, err)
	}
}

// However many hot places lie before it, an allocation without a stream finds what is not hot.
func TestBeyondHotTries(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ChunkSize, c.Limit = 2*hotTries, 4*hotTries; c.Ladder = nil })
	p.park(s1, 2*hotTries)
	must2(p.allocOn(s1, 1))
	if _, err := p.alloc(1); err != nil {
		t.Error(err)
	}
	if n := p.ready().Stats().Pending; n != 1 {
		t.Errorf("%d pending", n)
	}
}

// A stream that ends is marked for all that was freed on it, also while somebody marks what was freed before.
func TestStreamEndsWhileMarked(t *testing.T) {
	p := newStreamRig(t, nil)
	p.park(s1, 50)
	ended := make(chan struct{})
	p.once("Record", func() {
		p.park(s1, 30)
		go func() { p.source.stream(s1); close(ended) }()
		time.Sleep(time.Millisecond)
	})
	p.ready().Poll()
	<-ended
	if p.line.records != 2 {
		t.Errorf("%d marks", p.line.records)
	}
	p.line.before = func(call string) error {
		if call == "Record" {
			return errors.New("the stream is gone")
		}
		return nil
	}
	p.line.completeAll()
	if n := p.ready().Poll(); n != 2 {
		t.Errorf("Poll retired %d", n)
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
	heat(p)
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

// A mark that somebody asks about does not go back, though it is of no use to the pool any more.
func TestMarkOutlivesQuestion(t *testing.T) {
	p := newStreamRig(t, tight)
	p.park(s1, 30)
	p.ready().Poll()
	p.park(s1, 25)
	p.ready().Poll()
	p.once("Done", func() { must2(p.allocOn(s1, 100)) }) // both epochs become one hot place
	p.ready().Poll()
	if p.line.wrong != 0 || p.line.free != 1 {
		t.Errorf("%d questions about marks given back; %d given back", p.line.wrong, p.line.free)
	}
}

// A stream is marked by one caller at a time: the marks of its epochs come in their order.
func TestMarkedByOne(t *testing.T) {
	p := newStreamRig(t, nil)
	p.park(s1, 30)
	p.once("Record", func() {
		p.park(s1, 20)
		if p.ready().Poll(); p.line.records != 0 {
			t.Error("marked by two at a time")
		}
	})
	p.ready().Poll()
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
