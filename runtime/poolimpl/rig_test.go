package poolimpl

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// rig is a pool as a generated shell makes it.
type rig struct {
	Engine
	core   fakeCore
	config Config
	source *fakeSource
	t      testing.TB
}

// newRig returns a pool of 100-byte chunks, configured by change. It is checked when the test ends.
func newRig(t testing.TB, change func(*Config)) *rig {
	p := &rig{source: &fakeSource{t: t}, t: t}
	p.config = Config{
		Name: "test.Pool", Allocator: "host", Source: p.source, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1,
		Limit: poolrt.NoLimit, WaitTimeout: 1e9, Ladder: []Rung{ErrorRung{}}, Order: OnStreams{},
	}
	if change != nil {
		change(&p.config)
	}
	p.core.emptied = p.config.Trim != nil
	t.Cleanup(func() { p.name.unregister(&p.Engine) }) // the next test has the name
	t.Cleanup(p.sound)
	return p
}

func (p *rig) ready() *Engine { return p.Init(&p.config, &p.core) }

// block is a live block of a rig.
type block struct{ addr, bytes uint64 }

func (p *rig) alloc(bytes uint64) (block, error) {
	defer checkInvariants(p.t, &p.Engine)
	if b, ok := p.try(bytes); ok {
		return b, nil
	}
	b, err := p.ready().alloc(request{bytes: bytes, align: 1})
	return block{b.Addr, bytes}, err
}

// try is the fast path.
func (p *rig) try(bytes uint64) (block, bool) {
	if p.config.Locked {
		p.Lock()
		defer p.Unlock()
	}
	slot, off, ok := p.core.Alloc(bytes, 1)
	if !ok {
		return block{}, false
	}
	return block{p.Addr(slot) + off, bytes}, true
}

func (p *rig) free(b block) error {
	defer checkInvariants(p.t, &p.Engine)
	if p.config.Locked {
		p.Lock()
	}
	slot, v := p.core.Free(b.addr, b.bytes)
	if p.config.Locked {
		if p.HasWaiters() {
			p.ServeWaiters()
		}
		p.Unlock()
	}
	if v != Freed {
		return p.ready().FreeSlow(slot, v, b.addr, b.bytes)
	}
	return nil
}

func (p *rig) close() error {
	defer checkInvariants(p.t, &p.Engine)
	return p.ready().Close(p.reset)
}

func (p *rig) closeForce() error {
	defer checkInvariants(p.t, &p.Engine)
	return p.ready().CloseForce(p.reset)
}

func (p *rig) reset() { p.core = fakeCore{emptied: p.core.emptied} }

// The calls named must have to succeed.
func (p *rig) mustAlloc(bytes uint64) block {
	p.t.Helper()
	b, err := p.alloc(bytes)
	if err != nil {
		p.t.Fatalf("alloc(%d): %v", bytes, err)
	}
	return b
}

func (p *rig) mustFree(blocks ...block) {
	p.t.Helper()
	for _, b := range blocks {
		if err := p.free(b); err != nil {
			p.t.Fatalf("free: %v", err)
		}
	}
}

func (p *rig) mustTrim() {
	p.t.Helper()
	if _, err := p.ready().Trim(0); err != nil {
		p.t.Fatalf("trim: %v", err)
	}
}

// sound checks the invariants of a pool while no call is in progress.
func (p *rig) sound() {
	p.t.Helper()
	e := p.ready()
	checkInvariants(p.t, e)
	e.lock()
	defer e.unlock()
	var sum, n int64
	for slot, c := range e.chunks.hot {
		if c.Size > 0 {
			sum, n = sum+c.Size, n+1
		}
		if !e.life.closed && (p.core.chunks[uint32(slot)] != nil) != (c.Size > 0) {
			p.t.Errorf("slot %d: table and core disagree", slot)
		}
	}
	for _, c := range e.life.unreturned {
		sum, n = sum+c.Size, n+1
	}
	state := fmt.Sprintf("reserved %d, chunks %d, growing %d, releasing %d, limiting %v, waiting %d, sleepers %d, limit %d, bound %d",
		e.limits.reserved, e.limits.chunks, e.limits.growing, e.limits.releasing, e.activity.limiting, e.waiters.count.Load(), e.activity.sleepers, e.limits.limit, e.limits.bound)
	if e.limits.reserved != sum || e.limits.chunks != n {
		p.t.Errorf("chunks: %d of %d bytes; %s", n, sum, state)
	}
	if e.limits.growing != 0 || e.limits.releasing != 0 || e.activity.limiting || e.waiters.count.Load() != 0 || e.activity.sleepers != 0 || len(e.waiters.queue) != 0 || e.limits.limit != e.limits.bound {
		p.t.Errorf("not at rest: %s", state)
	}
	if e.limits.reserved > e.limits.limit {
		p.t.Errorf("above the limit: %s", state)
	}
	if e.config.Source != nil && p.source.held() != e.limits.reserved {
		p.t.Errorf("source has given %d; %s", p.source.held(), state)
	}
}

// wantErr fails the test unless err is a PoolError that matches want, or nil if want is nil.
func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return
	}
	var p *poolrt.PoolError
	if !errors.Is(err, want) || !errors.As(err, &p) {
		t.Fatalf("%s: got %v, want %v", what, err, want)
	}
}
