package poolimpl

import "github.com/poolgen/poolgen/runtime/internal/budget"

// driverOrder is what the engine asks of [DriverBlocks]. It is an interface, so that programs without ordering driver do not link it. The caller holds e.mu, except
// where a method says otherwise.
type driverOrder interface {
	begin(*Config, *budget.Member)
	enter(*budget.Member)
	opened(*Engine)
	admit(*Engine)
	post(*Engine)
	allocOrGrow(*Engine, request) (foundBlock, error)
	fits(bytes uint64, failed error) bool
	free(e *Engine, addr, bytes uint64, s Stream, on bool) error
	freeLate(e *Engine, addr, bytes uint64, s *Stream) error
	takeBack(e *Engine, addr, bytes uint64, s *Stream) error
	lookup(addr uint64) (driverBlock, Verdict)
	hold(addr, bytes uint64) (driverBlock, Verdict)
	endHold(e *Engine, addr uint64)
	chunks(see func(driverBlock))
	observe(*Engine)
	trim(*Engine) error
	drain(*Engine, request, error) (foundBlock, error)
	claimPrivate(e *Engine, size int64) bool
	uncountPrivate(*Engine, int64)
	owe(*Engine, Chunk)
	retryUnused(*Engine)
	unreturned() (n, bytes int64)
	closed(*Engine) []Chunk
	waitBehind(*Engine)
}

// post adds to limits and figures what callers have changed without the lock, in a pool with ordering driver.
func (e *Engine) post() {
	if d := e.core.driver; d != nil {
		d.post(e)
	}
}

// admit puts the limit in force in a pool with ordering driver.
func (e *Engine) admit() {
	if d := e.core.driver; d != nil {
		d.admit(e)
	}
}

// blockOfDriver returns the live block at an address, in a pool with ordering driver.
func (c *cores) blockOfDriver(addr uint64) (driverBlock, Verdict) {
	if c.driver == nil {
		return driverBlock{}, Foreign
	}
	return c.driver.lookup(addr)
}

// allocations returns the number of chunks or, in a pool with ordering driver, of blocks.
func (e *Engine) allocations(u Usage) int64 {
	if e.core.driver == nil || e.life.closed {
		return e.limits.chunks
	}
	return e.limits.chunks + int64(u.Live) - int64(e.foreign.direct.usage.Live)
}
