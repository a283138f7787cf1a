package poolimpl

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

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
