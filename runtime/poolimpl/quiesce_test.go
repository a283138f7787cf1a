package poolimpl

import (
	"context"
	"errors"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// deferFree frees a block on a stream that has not completed its work, and returns the position that the stream has to complete.
func (p *streamRig) deferFree(s Stream, bytes uint64) (at uint64) {
	p.t.Helper()
	b := must2(p.allocOn(s, bytes))
	at = p.line.use(s)
	fatal.If(p.t, p.freeOn(b, s))
	return at
}

// once calls f before the next call of a method of the timeline.
func (p *streamRig) once(call string, f func()) {
	done := false
	p.line.before = func(c string) error {
		if c == call && !done {
			done = true
			f()
		}
		return nil
	}
}

// A block that is allocated while Close waits for streams keeps the pool open.
func TestCloseSeesLateBlock(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	var late block
	p.once("Sync", func() { late = must2(p.alloc(10)) })
	wantErr(t, "Close", p.close(), poolrt.ErrLive)
	fatal.If(t, p.free(late))
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// Close also waits for frees that come while it waits.
func TestCloseDrainsLateFree(t *testing.T) {
	p := newStreamRig(t, nil)
	trackOrder(p)
	p.deferFree(s1, 50)
	p.once("Sync", func() { p.deferFree(s2, 20) })
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A stream that is being captured gets no fence: Close returns an error and the pool stays open; CloseForce closes it.
func TestCloseWhileCapturing(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	p.deferFree(s2, 50)
	capture := true
	p.line.before = func(call string) error {
		if call == "Record" && capture {
			return errDriver
		}
		return nil
	}
	wantErr(t, "Close", p.close(), errDriver)
	_, err := p.ready().Trim(0)
	wantErr(t, "Trim", err, errDriver)
	if s := p.ready().Stats(); s.Pending != 2 {
		t.Errorf("%+v", s)
	}
	must2(p.alloc(10))
	wantErr(t, "CloseForce", p.closeForce(), nil)
	p.ended()
}

// Close drains the other streams even if one cannot be drained.
func TestDrainGoesOn(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	p.deferFree(s2, 50)
	failed := false
	p.line.before = func(call string) error {
		if call == "Record" && !failed {
			failed = true
			return errDriver
		}
		return nil
	}
	wantErr(t, "Close", p.close(), errDriver)
	if n := p.ready().Stats().Pending; n != 1 {
		t.Errorf("%d frees pending, want that of the one stream", n)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// The error of an allocation at the limit includes the driver's error that kept frees from being reclaimed.
func TestLimitNamesDriverError(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p := newStreamRig(t, func(c *Config) { c.Limit, c.WaitTimeout, c.Locked = 100, time.Millisecond, locked })
		if locked {
			p.deferFree(s1, 100)
		} else {
			b, _ := p.ready().AllocOn(s1, 100, 1, 1)
			p.core.Defer(b.Addr, 100)
			p.Engine.Defer(s1, b.Addr, 100)
			p.line.use(s1)
		}
		p.line.before = func(call string) error { return errDriver }
		_, err := p.ready().Alloc(1, 10, 1)
		wantErr(t, "Alloc", err, poolrt.ErrLimit)
		wantErr(t, "Alloc", err, errDriver)
		wantErr(t, "Alloc", err, context.DeadlineExceeded)
		p.line.before = nil
		if b, err := p.ready().AllocOn(s1, 10, 1, 1); err != nil || b.Addr == 0 {
			t.Error(err)
		}
	}
}

// Close waits for callers that query fences, because it ends the binding and releases the fences.
func TestCloseWaitsForPoll(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	closed := make(chan error)
	p.once("Record", func() {
		must2(p.allocOn(s1, 50)) // no free is pending any more
		go func() { closed <- p.closeForce() }()
		time.Sleep(2 * time.Millisecond)
	})
	p.ready().Poll()
	fatal.If(t, <-closed)
	p.ended()
}

// A fence whose blocks were all reused is released too.
func TestFencesWithoutBlocks(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	p.ready().Poll()
	b := must2(p.allocOn(s1, 50))
	p.line.completeAll()
	fatal.If(t, p.free(b))
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// While a chunk is released, queues may move. The rest of the queue is reclaimed at its new place.
func TestReclaimWhileQueuesMove(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Trim = &TrimPolicy{} })
	trackOrder(p)
	a, b := must2(p.allocOn(s1, 100)), must2(p.allocOn(s1, 100))
	_ = p.freeOn(a, s1)
	_ = p.freeOn(b, s1)
	p.source.onFree = func(call int) error {
		if call == 1 {
			for id := range uint64(40) {
				p.deferFree(Stream{ID: 100 + id}, 10)
			}
		}
		return nil
	}
	if n := p.ready().Poll(); n != 2 {
		t.Errorf("reclaimed %d", n)
	}
	if s := p.ready().Stats(); s.Pending != 40 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A panic in a call of the timeline leaves the pool usable.
func TestTimelinePanics(t *testing.T) {
	for _, call := range []string{"Record", "Done"} {
		p := newStreamRig(t, nil)
		p.deferFree(s1, 50)
		p.once(call, func() { panic(call) })
		func() {
			defer func() { _ = recover() }()
			p.ready().Poll()
			t.Errorf("%s: no panic", call)
		}()
		wantErr(t, "Close", p.close(), nil)
		p.ended()
	}
}

// AllocContext does not wait where waiting cannot help: the source has no memory, and no free is pending.
func TestHopelessWaitWithStreams(t *testing.T) {
	p := newStreamRig(t, nil)
	p.source.onAlloc = func(int) error { return errNoMemory }
	_, err := p.ready().AllocContext(context.Background(), 10, 1)
	wantErr(t, "AllocContext", err, poolrt.ErrOutOfMemory)
	if !errors.Is(err, errHopeless) {
		t.Error(err)
	}
}

// AllocContext waits for frees on streams, even in a pool of one goroutine and without the rung wait, until its context ends.
func TestContextWaitsForStreams(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p := newStreamRig(t, func(c *Config) { c.Limit, c.Locked, c.Ladder = 100, locked, []Rung{ErrorRung{}} })
		b, err := p.ready().AllocOn(s1, 100, 1, 1)
		fatal.If(t, err)
		p.core.Defer(b.Addr, 100)
		p.Engine.Defer(s1, b.Addr, 100)
		at := p.line.use(s1)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		_, err = p.ready().AllocContext(ctx, 10, 1)
		cancel()
		wantErr(t, "AllocContext", err, poolrt.ErrLimit)
		wantErr(t, "AllocContext", err, context.DeadlineExceeded)
		time.AfterFunc(time.Millisecond, func() { p.line.complete(s1, at) })
		if _, err := p.ready().AllocContext(context.Background(), 10, 1); err != nil {
			t.Error(err)
		}
	}
}

// If another pool has reserved the whole budget, the rung trim reclaims and releases the pending frees of that pool whose streams have passed.
func TestTrimOtherPoolsStreams(t *testing.T) {
	budget := NewBudget("both", 100)
	p := newStreamRig(t, func(c *Config) { c.Budget = budget })
	other := newStreamRig(t, func(c *Config) {
		c.Budget, c.Ladder = budget, []Rung{TrimRung{}, ErrorRung{}}
	})
	p.line.complete(s1, p.deferFree(s1, 100))
	if _, err := other.alloc(100); err != nil {
		t.Error(err)
	}
}

// While Close waits for one stream, another caller finds a second one done, and releases its fence. Close does not query that fence.
func TestDrainSkipsReleasedFence(t *testing.T) {
	p := newStreamRig(t, nil)
	p.deferFree(s1, 50)
	at := p.deferFree(s2, 50)
	p.once("Sync", func() {
		p.line.complete(s2, at)
		p.ready().Poll()
	})
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
