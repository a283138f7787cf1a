package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
)

// StreamSource is the source of a pool with ordering driver. It also supplies memory and takes it back in the order of streams. It is safe for concurrent use,
// and must not use the pool that it supplies.
type StreamSource interface {
	Source
	// AllocOn is Alloc, for memory that work queued on the stream from now on may use. It waits for nothing.
	AllocOn(s Stream, size, align int64) (Chunk, error)
	// FreeOn is Free, for memory that work queued on the stream by now may use. It waits for nothing.
	FreeOn(s Stream, c Chunk) error
	// FreeBehind is Free for memory that was allocated on the stream, which may have been destroyed since. The stream may not have reached the allocation yet,
	// nor what the pool itself has queued on the memory. Beyond that, no work uses the memory. It waits only if the stream was destroyed.
	FreeBehind(s Stream, c Chunk) error
	// Observe lets the driver see which frees the stream has passed. What fails does not matter.
	Observe(s Stream)
	// TrimUnused returns to the system what the driver keeps unused.
	TrimUnused() error
}

// AllocInOrder is [Engine.AllocOn] in a pool with ordering driver. As long as the limit leaves room and the driver has memory, it costs one call of the driver,
// takes no lock of the pool, and makes no Go garbage.
func (e *Engine) AllocInOrder(s Stream, n int, item, align uint64) (out Block, _ error) {
	d := e.core.driver
	if Observed || d.terms.cleared || !countable(n, item) || d.terms.sampled && e.countdown.Due() {
		return e.AllocOn(s, n, item, align)
	}
	var b driverBlock // set field by field: the compiler would make a second one of a literal
	b.bytes, b.on, b.onStream = uint64(n)*item, s, true
	crossed, err := d.alloc(e, &b, align)
	if err != nil || crossed {
		return e.allocInOrderSlow(s, n, item, align, b.found(), err)
	}
	out.Addr, out.Origin, out.Items = b.addr, b.origin, n
	return out, nil
}

// allocInOrderSlow goes on with a request that has failed, or has crossed the soft limit.
//
//go:noinline
func (e *Engine) allocInOrderSlow(s Stream, n int, item, align uint64, b foundBlock, err error) (Block, error) {
	if err != nil {
		return e.allocItems(n, item, request{align: align, stream: &s, failed: err})
	}
	e.lock()
	defer e.unlockAndNotify()
	e.crossSoftLimit()
	return Block{b, n}, nil
}

// FreeInOrder is [Engine.FreeOn] in a pool with ordering driver, at the cost of one call of the driver. If the driver fails, the block is live as before.
func (e *Engine) FreeInOrder(s Stream, place, bytes uint64) error {
	if Observed || e.Sampled(place) {
		return e.FreeOn(s, place, bytes)
	}
	return e.freeToDriver(place, bytes, s, true)
}

// freeToDriver frees a block in the order of a stream or, with on false, at once. The caller does not hold e.mu.
func (e *Engine) freeToDriver(addr, bytes uint64, s Stream, on bool) error {
	d := e.core.driver
	var b driverBlock
	if v := d.take(addr, bytes, &b); v != Freed {
		return e.refuseToDriver(addr, bytes, s, on, v)
	}
	if b.addr == 0 { // another process may use it
		return nil
	}
	if err := d.giveBack(e, &b, s, on); err != nil {
		d.insert(&b, 0)
		return e.notFreed(err)
	}
	if e.HasWaiters() {
		e.wakeOne()
	}
	return nil
}

// wakeOne wakes a waiter.
//
//go:noinline
func (e *Engine) wakeOne() {
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
}

// refuseToDriver frees a block that is not in the table: one of another pool, or none.
//
//go:noinline
func (e *Engine) refuseToDriver(addr, bytes uint64, s Stream, on bool, v Verdict) error {
	e.lock()
	defer e.unlockAndNotify()
	if !on {
		return e.follow(0, v, addr, bytes, nil)
	}
	return e.follow(0, v, addr, bytes, &s)
}

// notFreed returns the error of a free that the driver refused.
func (e *Engine) notFreed(err error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.newError("free", &causedBy{poolrt.ErrNotReturned, err})
}

// allocByDriver is allocOrGrow in a pool with ordering driver. The lock is released while the driver is called.
func (e *Engine) allocByDriver(r request) (b foundBlock, err error) {
	if err := e.check(r); err != nil {
		return foundBlock{}, err
	}
	crossed, share := false, e.budget.Budget()
	e.unlocked(func() {
		err = askPatiently(share, func() (err error) {
			b, crossed, err = e.core.driver.allocFor(e, r)
			return err
		})
	})
	if e.post(); crossed {
		e.crossSoftLimit()
	}
	if err == poolrt.ErrLimit && e.life.closed {
		err = poolrt.ErrClosed
	}
	return b, err
}

// allocFor is alloc for a request.
func (d *DriverBlocks) allocFor(e *Engine, r request) (found foundBlock, crossed bool, err error) {
	b := driverBlock{bytes: r.bytes}
	if r.stream != nil {
		b.on, b.onStream = *r.stream, true
	}
	crossed, err = d.alloc(e, &b, r.align)
	return b.found(), crossed, err
}

// takeBackFromDriver takes back a block that no caller has received. The lock is released meanwhile.
func (e *Engine) takeBackFromDriver(addr, bytes uint64, s *Stream) error {
	d := e.core.driver
	var b driverBlock
	if v := d.take(addr, bytes, &b); v != Freed || b.addr == 0 {
		return nil
	}
	d.uncount(addr)
	return d.drop(e, b, s)
}

// blockOfDriver returns the live block at an address, in a pool with ordering driver.
func (e *Engine) blockOfDriver(addr uint64) (driverBlock, Verdict) {
	if e.core.driver == nil {
		return driverBlock{}, Foreign
	}
	return e.core.driver.lookup(addr)
}

// allocations returns the number of chunks or, in a pool with ordering driver, of blocks.
func (e *Engine) allocations(u Usage) int64 {
	if e.core.driver == nil || e.life.closed {
		return e.limits.chunks
	}
	return e.limits.chunks + int64(u.Live) - int64(e.foreign.direct.usage.Live)
}
