package poolimpl

import (
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// A pool whose Bind failed can be used once Bind succeeds.
func TestBindFails(t *testing.T) {
	p := newStreamRig(t, nil)
	p.source.err = poolrt.ErrNoDriver
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrNoDriver)
	wantErr(t, "Open", p.ready().Open(poolrt.OnDevice(1)), poolrt.ErrNoDriver)
	if _, reason := p.ready().Effective(); reason == "" {
		t.Error("no reason was given")
	}
	p.source.err = nil
	b := must2(p.alloc(10))
	if p.source.device != NoDevice {
		t.Errorf("device %d of an Open that failed", p.source.device)
	}
	if err := p.free(b); err != nil {
		t.Error(err)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// Effective binds the pool but does not open it: options can still be set.
func TestEffectiveBeforeOpen(t *testing.T) {
	p := newStreamRig(t, nil)
	if name, _ := p.ready().Effective(); name != "device" {
		t.Errorf("effective: %q", name)
	}
	fatal.If(t, p.ready().Open(poolrt.OnDevice(1)))
	if p.source.device != 1 || p.source.ends != 1 {
		t.Errorf("device %d, %d of %d Binds ended", p.source.device, p.source.ends, p.source.binds)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// Concurrent callers bind the pool once, and it is ended once.
func TestBindOnce(t *testing.T) {
	for range 20 {
		p := newStreamRig(t, nil)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { p.ready().Effective() })
			all.Go(func() {
				if b, err := p.alloc(10); err == nil {
					_ = p.free(b)
				}
			})
		}
		all.Wait()
		for range 3 {
			all.Go(func() { _ = p.closeForce() })
		}
		all.Wait()
		if p.source.binds != 1 {
			t.Errorf("%d Binds", p.source.binds)
		}
		p.ended()
	}
}

// Open fails while the first use of the pool binds it.
func TestOpenTooLate(t *testing.T) {
	p := newStreamRig(t, nil)
	began, opened := make(chan struct{}), make(chan error)
	p.source.hook = func() {
		close(began)
		p.source.hook = nil
		go func() { opened <- p.ready().Open(poolrt.OnDevice(1)) }()
	}
	must2(p.alloc(10))
	<-began
	wantErr(t, "Open", <-opened, poolrt.ErrLive)
}

// An Open that fails releases everything, and the next use binds the pool again.
func TestOpenFailsAfterBind(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Prime = 300 })
	p.source.onAlloc = func(call int) error {
		if call == 2 {
			return errNoMemory
		}
		return nil
	}
	wantErr(t, "Open", p.ready().Open(poolrt.OnDevice(1)), poolrt.ErrOutOfMemory)
	if p.source.held() != 0 || p.source.ends != 1 {
		t.Errorf("%d bytes left, %d Binds ended", p.source.held(), p.source.ends)
	}
	wantErr(t, "Open", p.ready().Open(poolrt.OnDevice(2)), nil)
	if p.source.device != 2 {
		t.Errorf("device %d", p.source.device)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A pool without a timeline has no streams, and no pending frees.
func TestNoTimeline(t *testing.T) {
	p := newStreamRig(t, nil)
	p.source.line = nil
	for range 3 * epochSize {
		fatal.If(t, p.freeOn(must2(p.allocOn(s1, 30)), s1))
	}
	p.ready().Poll()
	if n := p.ready().Stats().Pending; n != 0 {
		t.Errorf("%d pending", n)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
