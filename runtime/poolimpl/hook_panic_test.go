package poolimpl

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// operation is a call that causes events. prepare makes the state that it begins with. do returns the blocks that it has allocated.
type operation struct {
	change  func(*Config)
	prepare func(*rig)
	do      func(*rig) []block
	undone  int // a panic at one of so many events ends the operation before its end, and the pool is as before
}

// operations are the operations of a pool, by name.
var operations = map[string]operation{
	"alloc that grows": {do: allocates(100)},
	"alloc that crosses the soft limit": {
		change: func(c *Config) { c.SoftLimit = 50 }, do: allocates(100),
	},
	"alloc that fails": {change: func(c *Config) { c.Limit = 50 }, do: allocates(60)},
	"alloc that trims first": {
		change:  func(c *Config) { c.Trim, c.Oversize = &TrimPolicy{Growth: true}, true },
		prepare: func(p *rig) { p.mustFree(p.mustAlloc(100)) },
		do:      allocates(200),
	},
	"alloc that primes":           {change: func(c *Config) { c.Prime = 300 }, do: allocates(100)},
	"alloc of a direct block":     {change: func(c *Config) { c.Limit, c.Ladder = 150, directLadder }, do: allocates(150)},
	"alloc of a direct remainder": {change: func(c *Config) { c.Limit, c.Ladder = 150, directLadder }, prepare: func(p *rig) { p.mustAlloc(100) }, do: allocates(50)},
	"alloc of another pool's block": {
		change: func(c *Config) {
			c.Limit, c.Ladder = 50, []Rung{PoolRung{Pool: lenderOf(newRig(c.testing(), nil))}}
		},
		do: allocates(60),
	},
	"alloc that returns another pool's chunks": {
		change: func(c *Config) {
			c.Budget, c.Ladder = NewBudget("B", 150), []Rung{TrimRung{}}
			other := newRig(c.testing(), func(o *Config) { o.Budget = c.Budget })
			other.mustFree(other.mustAlloc(100))
		},
		do: allocates(100), undone: 2,
	},
	"alloc with a context": {do: func(p *rig) []block {
		b, _ := p.ready().AllocContext(context.Background(), 1, 100)
		return []block{{b.Addr, 100}}
	}},
	"alloc that the source refuses": {
		change:  func(c *Config) { c.ZeroChunks = true },
		prepare: func(p *rig) { p.source.onAlloc = func(int) error { return errNoMemory } },
		do:      allocates(10),
	},
	"refused count": {do: func(p *rig) []block { _, _ = p.ready().Alloc(0, 1, 1); return nil }},
	"batch": {do: func(p *rig) []block {
		list, err := p.batch(25, p.takeBatch)
		if err != nil {
			return nil
		}
		return blocksOf(list)
	}, undone: 3},
	"batch that fails": {
		change: func(c *Config) { c.Limit = 200 },
		do:     func(p *rig) []block { _, _ = p.batch(25, p.takeBatch); return nil },
		undone: 3,
	},
	"free of a chunk": {
		change:  func(c *Config) { c.Trim = &TrimPolicy{} },
		prepare: func(p *rig) { p.mustAlloc(100) },
		do:      func(p *rig) []block { _ = p.free(p.all()[0]); return nil },
	},
	"free that the source refuses": {
		change:  func(c *Config) { c.Trim = &TrimPolicy{} },
		prepare: func(p *rig) { p.mustAlloc(100); p.source.onFree = func(int) error { return errNoMemory } },
		do:      func(p *rig) []block { _ = p.free(p.all()[0]); return nil },
	},
	"free of a batch": {
		change:  func(c *Config) { c.Trim = &TrimPolicy{} },
		prepare: func(p *rig) { p.mustAlloc(100); p.mustAlloc(100); p.mustAlloc(100) },
		do: func(p *rig) []block {
			_ = FreeRest(p.all(), p.free, func([]block) int { return 0 })
			return nil
		},
	},
	"free of another pool's block": {
		change:  borrowsTrimmed,
		prepare: func(p *rig) { p.mustAlloc(60) },
		do:      func(p *rig) []block { _ = p.ready().Free(p.foreignBlocks()[0].addr, 60); return nil },
	},
	"trim": {
		prepare: func(p *rig) { p.mustFree(p.mustAlloc(100), p.mustAlloc(100)) },
		do:      func(p *rig) []block { _, _ = p.ready().Trim(0); return nil },
	},
	"trim that the source refuses": {
		prepare: func(p *rig) {
			p.mustFree(p.mustAlloc(100), p.mustAlloc(100))
			p.source.onFree = func(int) error { return errNoMemory }
		},
		do: func(p *rig) []block { _, _ = p.ready().Trim(0); return nil },
	},
	"set limit": {
		prepare: func(p *rig) { p.mustFree(p.mustAlloc(100), p.mustAlloc(100)) },
		do:      func(p *rig) []block { _ = p.ready().SetLimit(50); return nil },
	},
	"open": {
		change: func(c *Config) { c.Prime, c.SoftLimit = 300, 200 },
		do:     func(p *rig) []block { _ = p.ready().Open(); return nil },
	},
	"reset": {
		change:  func(c *Config) { c.Uncounted, c.Trim = true, &TrimPolicy{} },
		prepare: func(p *rig) { p.mustAlloc(100) },
		do:      func(p *rig) []block { _ = p.ready().Reset(p.freeAll); return nil },
	},
	"reset with borrowed blocks": {
		change:  borrowsTrimmed,
		prepare: func(p *rig) { p.mustAlloc(60); p.mustAlloc(60); p.mustAlloc(60) },
		do:      func(p *rig) []block { _ = p.ready().FreeAll(p.core.Reset); return nil },
	},
	"close by force with borrowed blocks": {
		change:  borrowsTrimmed,
		prepare: func(p *rig) { p.mustAlloc(60); p.mustAlloc(60); p.mustAlloc(60) },
		do:      func(p *rig) []block { _ = p.closeForce(); return nil },
	},
	"release": {
		change:  func(c *Config) { c.Uncounted, c.Trim = true, &TrimPolicy{} },
		prepare: func(p *rig) { p.mustAlloc(100) },
		do:      func(p *rig) []block { _ = p.ready().Release(func() bool { p.freeAll(); return true }); return nil },
	},
	"close": {
		prepare: func(p *rig) { p.mustFree(p.mustAlloc(100), p.mustAlloc(100)) },
		do:      func(p *rig) []block { _ = p.close(); return nil },
	},
	"close by force": {
		prepare: func(p *rig) { p.mustAlloc(100) },
		do:      func(p *rig) []block { _ = p.closeForce(); return nil },
	},
}

// borrowsTrimmed makes a pool borrow from one that returns each chunk that becomes empty.
func borrowsTrimmed(c *Config) {
	c.Limit, c.Ladder = 50, []Rung{PoolRung{Pool: lenderOf(newRig(c.testing(), trims))}}
}

// testing returns the test, for a Config that makes another pool.
func (c *Config) testing() testing.TB { return c.Source.(*fakeSource).t }

// allocates allocates one block.
func allocates(bytes uint64) func(*rig) []block {
	return func(p *rig) []block {
		b, err := p.alloc(bytes)
		if err != nil {
			return nil
		}
		return []block{b}
	}
}

// takeBatch is the fast path of a batch of blocks of 10 bytes.
func (p *rig) takeBatch(dst []uint64) (n int) {
	for n < len(dst) {
		b, ok := p.try(10)
		if !ok {
			break
		}
		dst[n] = b.addr
		n++
	}
	return n
}

func blocksOf(list []uint64) (blocks []block) {
	for _, addr := range list {
		blocks = append(blocks, block{addr, 10})
	}
	return blocks
}

// all lists the live blocks in the chunks.
func (p *rig) all() (blocks []block) {
	for _, c := range p.core.chunks {
		for _, b := range c.blocks {
			blocks = append(blocks, block{c.base + b.off, b.size})
		}
	}
	return blocks
}

// freeAll frees all blocks in the core, as Reset and Release do.
func (p *rig) freeAll() {
	for _, b := range p.all() {
		p.core.Free(b.addr, b.bytes)
	}
}

// foreignBlocks lists the live blocks that lie in no chunk.
func (p *rig) foreignBlocks() (blocks []block) {
	for addr, b := range p.foreign.blocks {
		if b.bytes != 0 {
			blocks = append(blocks, block{addr, b.bytes})
		}
	}
	return blocks
}

// operated is a pool with its figures before the operation.
type operated struct {
	*rig
	before poolrt.Stats
}

// run prepares a pool and does the operation with an event hook.
func (o operation) run(t *testing.T, locked bool, hook func(poolrt.Event)) (p *operated, got []block) {
	p = &operated{}
	p.rig = newRig(t, func(c *Config) {
		c.Locked = locked
		if o.change != nil {
			o.change(c)
		}
	})
	if o.prepare != nil {
		o.prepare(p.rig)
	}
	p.before = figuresOf(p)
	stop := poolrt.OnEvent(hook)
	defer stop()
	guarded(t, func() { got = o.do(p.rig) })
	return p, got
}

// TestHookPanics does each operation with an event hook that panics at each of its events in turn. The panic reaches the caller. An allocation has then given its
// block back, and other operations have done their work: the figures are those of the operation without a panic. A batch is undone.
func TestHookPanics(t *testing.T) {
	for name, o := range operations {
		for _, locked := range []bool{true, false} {
			if !locked && name == "alloc that returns another pool's chunks" {
				continue
			}
			kinds := []poolrt.EventKind{}
			calm, got := o.run(t, locked, func(ev poolrt.Event) { kinds = append(kinds, ev.Kind) })
			for _, b := range got {
				if calm.foreign.has(b.addr) {
					wantErr(t, "free", calm.ready().Free(b.addr, b.bytes), nil)
				} else {
					calm.mustFree(b)
				}
			}
			if len(kinds) == 0 {
				t.Errorf("%s: no event", name)
			}
			for panics := range kinds {
				want := figuresOf(calm)
				if panics < o.undone {
					want = calm.before
				}
				o.wantFigures(t, []any{name, "locked", locked, "event", panics}, panics, locked, want)
			}
		}
	}
}

// wantFigures does the operation with a hook that panics at one event, and compares the figures.
func (o operation) wantFigures(t *testing.T, what []any, panics int, locked bool, want poolrt.Stats) {
	n, others := 0, 0
	defer poolrt.OnEvent(func(poolrt.Event) { others++ })()
	p, got := o.run(t, locked, func(ev poolrt.Event) {
		if n++; n == panics+1 {
			panic("hook")
		}
	})
	if n <= panics || got != nil {
		t.Error(append(what, "no panic reached the caller")...)
	}
	if others < n {
		t.Error(append(what, n, "events, and", others, "for the other hook")...)
	}
	figures := figuresOf(p)
	if panics < o.undone {
		figures.PeakReserved, figures.Failures = want.PeakReserved, want.Failures
	}
	if figures != want {
		t.Error(append(what, "\n got", figures, "\nwant", want)...)
	}
	p.sound()
	p.source.onFree = nil
	if err := p.closeForce(); err != nil || p.source.held() != 0 {
		t.Error(append(what, err, p.source.held(), "bytes are left")...)
	}
	for _, rung := range p.config.Ladder {
		if from, ok := rung.(PoolRung); ok {
			if lender := from.Pool(0); lender.borrowedByOthers() != 0 || lender.Stats().Live != 0 {
				t.Error(append(what, lender.borrowedByOthers(), "blocks are borrowed,", lender.Stats().Live, "are live")...)
			}
		}
	}
}

// figuresOf returns the figures that a panic must not change.
func figuresOf(p *operated) poolrt.Stats {
	s := p.ready().Stats()
	s.PeakBytes = 0
	return s
}

// TestHookPanicsWhileWaiting: a waiter that is served while its hook runs gives the block back if the hook panics.
func TestHookPanicsWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) {
			c.Budget, c.Oversize, c.Ladder = NewBudget("B", 150), true, []Rung{TrimRung{}, WaitRung{}}
		})
		live := p.mustAlloc(50)
		x, y := p.mustAlloc(50), p.mustAlloc(50)
		p.mustFree(y)
		stop := poolrt.OnEvent(func(ev poolrt.Event) {
			if ev.Kind == poolrt.EventTrim {
				p.mustFree(live, x)
				panic("hook")
			}
		})
		guarded(t, func() { _, _ = p.alloc(100) })
		stop()
		if s := p.Stats(); s.Live != 0 {
			t.Errorf("%+v", s)
		}
		p.sound()
		p.mustFree(p.mustAlloc(100))
		wantErr(t, "close", p.close(), nil)
	})
}

// TestHookPanicsOnClearing: a block that cannot be cleared goes back, also if the hook of the failure panics.
func TestHookPanicsOnClearing(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ZeroDevice = true })
	if err := p.ready().Open(); err != nil {
		t.Fatal(err)
	}
	failing := errors.New("cannot clear")
	p.memory.Zero = func(Chunk) error { return failing }
	p.memory.ZeroOn = func(Stream, Chunk) error { return failing }
	p.memory.Zeroed = func() error { return nil }
	calls := map[string]func(){
		"alloc":    func() { _, _ = p.ready().Alloc(1, 10, 1) },
		"alloc on": func() { _, _ = p.ready().AllocOn(s1, 1, 10, 1) },
		"try":      func() { p.ready().TryAlloc(1, 10) },
		"batch": func() {
			same := func(addr uint64) uint64 { return addr }
			_, _ = CompleteBatch(p.ready(), make([]uint64, 3), 0, 10, func(b Block) uint64 { return b.Addr }, same, func([]uint64) int { return 0 })
		},
	}
	for name, call := range calls {
		stop := poolrt.OnEvent(func(ev poolrt.Event) {
			if ev.Kind == poolrt.EventFailure {
				panic("hook")
			}
		})
		guarded(t, call)
		stop()
		p.line.completeAll()
		p.Poll()
		if s := p.Stats(); s.Live != 0 || s.Pending != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	wantErr(t, "close", p.close(), nil)
	p.ended()
}

// TestHookPanicsAsBatchGoesBack: all blocks of a batch that fails on a stream go back, also if a hook panics when the first of them have left a chunk empty.
func TestHookPanicsAsBatchGoesBack(t *testing.T) {
	const blocks = 2 * epochSize
	p := newStreamRig(t, func(c *Config) { c.ZeroDevice, c.Trim = true, &TrimPolicy{} })
	if err := p.ready().Open(); err != nil {
		t.Fatal(err)
	}
	p.memory.ZeroOn = func(Stream, Chunk) error { return errors.New("cannot clear") }
	p.line.before = func(call string) error {
		if call == "Done" {
			p.line.completeAll()
		}
		return nil
	}
	stop := poolrt.OnEvent(func(ev poolrt.Event) {
		if ev.Kind == poolrt.EventTrim {
			panic("hook")
		}
	})
	same := func(addr uint64) uint64 { return addr }
	guarded(t, func() {
		_, _ = CompleteBatchOn(p.ready(), s1, make([]uint64, blocks), 0, 10, func(b Block) uint64 { return b.Addr }, same, func([]uint64) int { return 0 })
	})
	stop()
	p.line.before = nil
	p.line.completeAll()
	p.Poll()
	if s := p.Stats(); s.Live != 0 || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", p.close(), nil)
	p.ended()
}

// TestHookPanicsOnStream: a block for a stream goes back in the order of the stream, and a block that was opened is closed.
func TestHookPanicsOnStream(t *testing.T) {
	panics := func(call func()) {
		defer poolrt.OnEvent(func(poolrt.Event) { panic("hook") })()
		guarded(t, call)
	}
	p := newStreamRig(t, nil)
	panics(func() { _, _ = p.allocOn(s1, 100) })
	p.line.completeAll()
	p.Poll()
	if s := p.Stats(); s.Live != 0 || s.Reserved != 100 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", p.close(), nil)
	p.ended()
	q := imports(t)
	q.limits.soft = 10
	panics(func() { _, _ = q.adopt(100) })
	if s := q.ready().Stats(); s.Live != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", q.closeForce(), nil)
}

// TestDriverPanicsAtEnd: the lock is free after a panic of the driver at the end of an operation.
func TestDriverPanicsAtEnd(t *testing.T) {
	p := newStreamRig(t, nil)
	b, err := p.allocOn(s1, 100)
	wantErr(t, "alloc", err, nil)
	wantErr(t, "free", p.freeOn(b, s1), nil)
	p.line.before = func(call string) error {
		if call == "Release" {
			panic("driver")
		}
		return nil
	}
	guarded(t, func() { p.ready().Poll() })
	p.line.before = nil
	wantErr(t, "close", p.close(), nil)
}
