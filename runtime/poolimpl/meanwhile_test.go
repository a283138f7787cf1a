package poolimpl

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A caller on the slow path that is not yet in the queue of waiters does not miss what other callers free.

// TestBlockFreedWhileSourceFails: a block that is freed during a failing call of the source serves the allocation, which does not wait for another free.
func TestBlockFreedWhileSourceFails(t *testing.T) {
	tests := []struct {
		name   string
		ladder []Rung
		call   int // of the source, during which the block is freed
	}{
		{"growth, without waiting", []Rung{ErrorRung{}}, 2},
		{"growth, waiting", []Rung{WaitRung{}}, 2},
		{"rung driver", []Rung{DriverRung{}, WaitRung{}}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Ladder = test.ladder })
			x := p.mustAlloc(100)
			p.source.onAlloc = func(call int) error {
				if call == test.call {
					p.mustFree(x)
				}
				return errNoMemory
			}
			p.mustFree(p.mustAlloc(100))
		})
	}
}

// TestBlockFreedWithoutLockWhileWaiting: in a shared core a block may be freed at any time, even between an allocation's search and its wait.
func TestBlockFreedWithoutLockWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core := new(sharedCore)
		e := new(Engine)
		e.Init(&Config{
			Name: "test.Meanwhile", Source: &fakeSource{t: t}, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 100,
			WaitTimeout: time.Hour, Ladder: []Rung{WaitRung{}},
		}, core)
		for at := 1; ; at++ { // after each of the searches
			x, err := e.Alloc(1, 100, 1)
			wantErr(t, "alloc", err, nil)
			core.searches = 0
			core.onSearched = func() {
				if core.searches == at {
					core.Free(x.Addr, 100)
					if e.HasWaiters() {
						go func() { _ = e.FreeSlow(0, Freed, x.Addr, 100) }()
					}
				}
			}
			var served atomic.Bool
			spawn(func() {
				_, err := e.Alloc(1, 100, 1)
				wantErr(t, "alloc", err, nil)
				served.Store(true)
			})
			if core.searches < at { // the allocation waits, without another search
				core.onSearched = nil
				core.Free(x.Addr, 100)
				_ = e.FreeSlow(0, Freed, x.Addr, 100)
				synctest.Wait()
			}
			if !served.Load() {
				t.Fatalf("freed after search %d, and the allocation was not served", at)
			}
			core.Free(x.Addr, 100)
			if core.onSearched == nil {
				return
			}
		}
	})
}

// TestChunkReturnedWhileSourceFails: if a chunk was freed during a failing call of the source, the pool calls the source again.
func TestChunkReturnedWhileSourceFails(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Oversize = true })
	x := p.mustAlloc(100)
	p.source.onAlloc = func(call int) error {
		if call > 2 {
			return nil
		}
		p.mustFree(x)
		p.mustTrim()
		return errNoMemory
	}
	p.mustFree(p.mustAlloc(150))
}

// TestPrimeSaysWhyItFails: the pool tries to reserve its initial memory once, and returns the source's error.
func TestPrimeSaysWhyItFails(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Prime = 200 })
	p.source.onAlloc = func(call int) error {
		if call == 1 {
			return nil
		}
		p.mustTrim()
		return errNoMemory
	}
	wantErr(t, "open", p.ready().Open(), errNoMemory)
}
