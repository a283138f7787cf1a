package poolimpl

import (
	"context"
	"slices"
	"sync"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// giver is a pool as the other pools of its budget see it. Its methods are called without locks.
type giver struct{ e *Engine }

// Uses counts allocations, and growth where the core does not count these.
func (g giver) Uses() uint64 {
	e := g.e
	e.lock()
	defer e.unlock()
	return e.usage().Allocs + uint64(e.limits.released) + uint64(e.limits.reserved)
}

// GiveEmpty returns empty chunks for another pool.
func (g giver) GiveEmpty(bytes int64, to string) int64 { return g.trimFor(bytes, to, true) }

// CallHooks is that of the engine.
func (g giver) CallHooks(bytes int64, to string) int64 {
	if !g.e.config.Locked {
		return 0
	}
	_, before := g.held()
	g.e.hooks.call(bytes)
	_, after := g.held()
	g.noteGiven(after-before, to)
	return after - before
}

// GiveAsleep puts the pool to sleep for another pool, unless it would have to wait for running work.
func (g giver) GiveAsleep(to string) int64 {
	if !g.restful() {
		return 0
	}
	before, _ := g.held()
	if g.e.Sleep(context.Background()) != nil {
		return 0
	}
	after, _ := g.held()
	g.noteGiven(before-after, to)
	return before - after
}

// trimFor returns chunks of n bytes or more, as far as so many are empty, to make room for another pool of the budget: none that would leave the pool with less than
// its guarantee. If that is not enough and across is set, a chunk that the guarantee needs a part of goes as well: the budget keeps that part. What goes back by itself
// comes first: memory of graphs that are gone, and what streams have passed under the trim policy. The caller does not hold e.mu.
func (g giver) trimFor(n int64, to string, across bool) (released int64) {
	e := g.e
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	before := e.limits.released
	_, _ = e.retryUnreturned()
	_, _ = e.order.poll()
	lacking := func() int64 { return n - (e.limits.released - before) }
	if lacking() > 0 {
		_, _ = e.shed(e.memory.surplusOf(lacking(), e.limits.held()-e.guarantee()))
	}
	if rest := min(lacking(), e.limits.held()-e.guarantee()); across && rest > 0 {
		_, _ = e.shed(e.memory.surplusOf(rest, poolrt.NoLimit))
	}
	released = e.limits.released - before
	e.figures.queueGiven(released, to)
	return released
}

// mostRest is how long a pool may wait for running work before it sleeps for another pool.
const mostRest = 10 * time.Millisecond

// restful reports whether the pool can sleep now, and its devices have no work for longer than mostRest, as far as the driver says so without a wait.
func (g giver) restful() bool {
	e := g.e
	e.lock()
	defer e.unlockAndNotify()
	pages := e.memory.sleeping()
	if e.config.Sleep == nil || pages == nil || e.life.closed || e.life.sleep.state != awake || e.activity.turning {
		return false
	}
	var streams []Stream
	for _, q := range e.streams.queues.list {
		streams = append(streams, q.stream)
	}
	idle := false
	e.activity.visit(func() { idle = pages.sleeper().Idle(streams, mostRest) })
	return idle
}

// held returns what the pool holds, and what the source has got back so far. The caller does not hold e.mu.
func (g giver) held() (reserved, released int64) {
	g.e.lock()
	defer g.e.unlock()
	return g.e.limits.reserved, g.e.limits.released
}

// noteGiven sends the event that the pool has given memory back for another one. The caller does not hold e.mu.
func (g giver) noteGiven(n int64, to string) {
	g.e.lock()
	defer g.e.unlockAndNotify()
	g.e.figures.queueGiven(n, to)
}

// OnReclaim registers a function that frees something of the pool if it can, until stop is called. Other pools of the budget call it when they lack so many bytes and
// nothing is empty: on the goroutine in need, without locks, so it may use pools. One call of it at a time.
func (m *membership) OnReclaim(f func(bytes int64)) (stop func()) {
	if f == nil {
		return func() {}
	}
	return m.hooks.add(f)
}

// hooks are functions of the program that free something. The zero value has none.
type hooks struct {
	mu   sync.Mutex
	list []*hook
}

type hook struct {
	free    func(bytes int64)
	running bool // guarded by hooks.mu
}

func (h *hooks) add(f func(bytes int64)) (stop func()) {
	added := &hook{free: f}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.list = slices.DeleteFunc(h.list, func(x *hook) bool { return x == added })
	}
}

// call calls each function that is not running.
func (h *hooks) call(bytes int64) {
	h.mu.Lock()
	list := slices.Clone(h.list)
	h.mu.Unlock()
	for _, x := range list {
		h.run(x, bytes)
	}
}

// run calls one function, unless it is running: it would be called by itself, or for two pools at once.
func (h *hooks) run(x *hook, bytes int64) {
	h.mu.Lock()
	busy := x.running
	x.running = true
	h.mu.Unlock()
	if busy {
		return
	}
	defer func() { // also if it panics
		h.mu.Lock()
		defer h.mu.Unlock()
		x.running = false
	}()
	x.free(bytes)
}

var _ budget.Giver = giver{}

// GiveEmpty returns empty chunks of so many bytes or, if the pool has less that it may give, all: never so many that it holds less than its guarantee, and none from a
// pool without a lock, which only its user may call. to names who needs them, for the event.
func (e *Engine) GiveEmpty(bytes int64, to string) int64 {
	if !e.config.Locked {
		return 0
	}
	return giver{e}.trimFor(bytes, to, false)
}

// CallHooks calls the functions that OnReclaim has registered, each unless it is running. It returns the bytes that went back meanwhile. to names who needs them, for
// the event. It does nothing in a pool without a lock, as they would free blocks beside its user.
func (e *Engine) CallHooks(bytes int64, to string) int64 { return giver{e}.CallHooks(bytes, to) }
