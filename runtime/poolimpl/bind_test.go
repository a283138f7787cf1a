package poolimpl

import (
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A pool that could not be bound can be used once that works.
func TestBindFails(t *testing.T) {
	p := newStreamRig(t, nil)
	p.source.err = poolrt.ErrNoDriver
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrNoDriver)
	wantErr(t, "Open", p.ready().Open(poolrt.OnDevice(1)), poolrt.ErrNoDriver)
	if _, reason := p.ready().Effective(); reason == "" {
		t.Error("no reason")
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

// Asking for the allocator binds the pool, and does not use it: options still count.
func TestEffectiveBeforeOpen(t *testing.T) {
	p := newStreamRig(t, nil)
	if name, _ := p.ready().Effective(); name != "device" {
		t.Errorf("effective: %q", name)
	}
	if err := p.ready().Open(poolrt.OnDevice(1)); err != nil {
		t.Fatal(err)
	}
	if p.source.device != 1 || p.source.ends != 1 {
		t.Errorf("device %d, %d of %d Binds ended", p.source.device, p.source.ends, p.source.binds)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// However many ask at the same time, the pool is bound once; and ended once.
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

// An Open that comes while the pool is being bound by its first use is too late.
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

// An Open that fails leaves nothing behind, and the pool is bound anew afterwards.
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

// Where a pool was bound without a timeline there are no streams, so nothing is pending.
func TestNoTimeline(t *testing.T) {
	p := newStreamRig(t, nil)
	p.source.line = nil
	for range 3 * epochSize {
		if err := p.freeOn(must2(p.allocOn(s1, 30)), s1); err != nil {
			t.Fatal(err)
		}
	}
	p.ready().Poll()
	if n := p.ready().Stats().Pending; n != 0 {
		t.Errorf("%d pending", n)
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}
