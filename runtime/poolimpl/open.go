package poolimpl

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Init makes the engine ready on first use and returns it. Cost when it is ready: one atomic load.
func (e *Engine) Init(config *Config, core Core) *Engine {
	if !e.ready.Load() {
		e.init(config, core)
	}
	return e
}

func (e *Engine) init(config *Config, core Core) {
	if config.Locked {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if e.config == nil {
		e.begin(config)
		e.generated = config
		e.core.as(core, config.Core)
		if e.order = new(noOrder); e.core.stream != nil {
			e.order = config.Order.of(e)
		}
		if d := e.core.driver; d != nil {
			d.begin(config, e.budget)
		}
		e.streams.lock, e.streams.memory = &e.poolLock, &e.memory
		e.activity.lock, e.activity.waiters, e.activity.limits = &e.poolLock, &e.waiters, &e.limits
		e.clearing.activity = &e.activity
		e.figures.name, e.figures.limits, e.figures.tracing = &e.name, &e.limits, &e.observed.tracing
		e.name.take(config.Name, e, "")
		e.life.device = NoDevice
		e.chunks.shared = e.core.shared != nil
		e.chunks.sized = !config.Direct // there all chunks are in use
		e.attach(e.config.unbound(e.life.requested(e.config)))
		if config.Registered {
			e.memory.registrars = &registrars{chunks: map[uint64]*knownChunk{}}
		}
		if config.ZeroAlways && e.core.shared != nil {
			e.clearing.fast = new(counters)
			e.admitClears()
		}
		if config.Locked {
			e.activity.idle.L, e.streams.answered.L = &e.mu, &e.mu
		} else {
			e.none = true
			e.figures.published = new(published)
			e.figures.published.set(e.describe())
		}
		e.observed.debug.init(config)
		if e.generated.profiles() {
			trace.Profiles.Store(true)
		}
		registry.Register(e) // others see the pool from here on
		e.ready.Store(true)
	}
}

// Open applies options to a pool that has not been used, and reserves what the pool starts with. If that fails, the pool is as before and may be opened
// again, unless others have begun to use it meanwhile; as long as the source refuses to take a chunk back, it keeps its allocator and its device. A pool that is used without Open opens itself as its pool file says.
func (e *Engine) Open(options ...poolrt.Option) error {
	e.lock()
	defer e.unlockAndNotify()
	defer func() {
		if n, _ := e.unreturned(); !e.life.opened && n == 0 && e.limits.reserved == 0 {
			e.name.unregister(e) // the program has no use for a pool that was not opened and holds nothing
		}
	}()
	for (e.activity.binding || e.activity.driverCalls > 0) && e.activity.waitIdle(request{}) {
	}
	switch {
	case e.life.closed:
		return e.newError("configure", poolrt.ErrClosed)
	case e.life.opened:
		return detailed(e.newError("configure", poolrt.ErrLive), "options apply only before the first use of the pool")
	}
	e.name.register(e)
	before := e.settings()
	s := with(before, options)
	if wrong := e.refuse(s); wrong != nil {
		return wrong.of(e, "configure")
	}
	if err := e.rebind(s); err != nil {
		return e.newError("configure", err)
	}
	e.apply(s)
	err := e.open()
	if err == nil {
		err = e.prime(e.reserveAll)
	}
	if err == nil {
		return nil
	}
	var failed *poolrt.PoolError
	if lack := (*NoAddresses)(nil); errors.As(err, &lack) {
		failed = e.newError("open", err)
		failed.Remedies = lack.remedies(0)
	} else {
		failed = e.lacking("open", err, e.life.prime-e.limits.held())
	}
	_, _ = e.trim(0)
	_ = e.order.releaseFences() // while the pool is bound
	if e.life.closed || e.usage().Live > 0 || e.streams.queues.count() > 0 || e.streams.calls.Load() > 0 || e.activity.busy() {
		return failed // others use the pool by now, so it cannot be as before
	}
	e.budget.Leave()
	e.life.opened, e.life.primed = false, false
	if e.limits.reserved > 0 { // the source refused to take a chunk back, and no other source can
		before.Allocator, before.Device = s.Allocator, s.Device
	}
	e.apply(before)
	if e.limits.reserved == 0 { // else the source refused to take a chunk back
		_ = e.unbind()
	}
	return failed
}

// open runs once, before the first chunk is obtained. After it, options come too late.
func (e *Engine) open() error {
	for !e.life.opened && e.activity.binding && e.activity.waitIdle(request{}) {
	}
	if e.life.opened {
		return nil
	}
	e.name.register(e)
	if err := e.bind(); err != nil {
		return err
	}
	if err := e.joinBudget(); err != nil || e.life.opened || e.life.closed {
		return err
	}
	e.life.opened = true
	if e.config.Item != nil {
		e.life.badItem = checkItem(e.config.Item())
	}
	if d := e.core.driver; d != nil {
		d.opened(e)
	}
	return nil
}

// openLazily opens a pool that is used without Open. If what the pool starts with cannot be reserved, that is no error: the allocation may still be served.
func (e *Engine) openLazily() error {
	if err := e.open(); err != nil {
		return err
	}
	if !e.life.primed {
		_ = e.prime(e.reserve)
	}
	return nil
}

// prime reserves what the pool starts with, by the given function, and the memory of the host to sleep.
func (e *Engine) prime(reserve func(bytes int64) error) error {
	e.life.primed = true
	if e.life.badItem != nil {
		return e.life.badItem
	}
	if err := reserve(e.life.prime); err != nil {
		return err
	}
	return e.primeBacking()
}

// Prime reserves memory until the pool holds so many bytes, within the limit and the budget. It rounds up to whole chunks or pages, except where the limit ends
// within one: then it reserves all that the limit allows in whole ones, which may be less than was asked for. All or nothing: if not all can be had, what Prime has
// reserved goes back, and the error matches [poolrt.ErrLimit] or [poolrt.ErrOutOfMemory]. Prime waits neither for blocks nor for streams, and takes nothing from
// other pools; it waits only while another call obtains or returns memory of this pool. Any goroutine may call Prime, unless the pool has no lock. Cost: a call of
// the source for each chunk, or one for the pages of each chunk_size.
func (e *Engine) Prime(bytes int64) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return e.newError("prime", poolrt.ErrClosed)
	}
	if e.streams.resting {
		return e.newError("prime", poolrt.ErrAsleep)
	}
	if wrong := e.config.refusePrime(bytes); wrong != nil {
		return wrong.of(e, "prime")
	}
	if err := e.openLazily(); err != nil {
		return e.newError("prime", err)
	}
	before := e.limits.held()
	err := e.reserveAll(bytes)
	if err == nil {
		e.limits.primes, e.limits.primed = e.limits.primes+1, max(e.limits.primed, bytes)
		return nil
	}
	failed := e.lacking("prime", err, bytes-e.limits.held())
	_, _ = e.shedTo(before)
	return failed
}

// reserveAll is reserve for a caller that has no use for a part: it asks the source for nothing if the limits cannot hold all.
func (e *Engine) reserveAll(bytes int64) error {
	if most := min(e.limits.limit, e.budget.Budget().Limit()); bytes > most {
		return &causedBy{poolrt.ErrLimit, fmt.Errorf("%d bytes are to be reserved, and the limit is %d", bytes, most)}
	}
	return e.reserve(bytes)
}

// reserve grows the pool until it holds so many bytes. If it fails, the pool keeps what it has got.
func (e *Engine) reserve(bytes int64) error {
	r := request{bytes: 1, align: 1, prime: true}
	for e.limits.held() < bytes {
		need, most := e.memory.need(e.core.Core, r), min(e.limits.limit, e.budget.Budget().Limit())
		if bytes <= most && most-e.limits.held() < need {
			return nil // the limits allow all of it, but the rest is less than a chunk
		}
		before := e.limits.held()
		did, err := e.grow(r)
		switch {
		case e.life.closed:
			return poolrt.ErrClosed
		case e.streams.resting:
			return poolrt.ErrAsleep
		case err != nil && temporary(err) && e.activity.waitIdle(request{}):
		case err != nil:
			return err
		}
		if r.note(did); did == grown && e.limits.held() <= before { // others have returned as much meanwhile
			return poolrt.ErrLimit
		}
	}
	return nil
}
