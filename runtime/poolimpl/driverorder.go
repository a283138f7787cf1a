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

// AllocInOrder allocates a block of so many bytes in the order of a stream. As long as the limit leaves room and the driver has memory, it costs one call of the driver,
// takes no lock of the pool, and makes no Go garbage. If addr is 0, it has failed, and AllocAfter goes on with the request; so it does before Init.
//
// The driver's code displaces that of the pool from the caches of the processor, so a call pays for each line of code that it runs through. Hence AllocInOrder and
// FreeInOrder do themselves what alloc and giveBack do for all other requests.
func (e *Engine) AllocInOrder(s Stream, bytes uint64) (addr uint64, err error) {
	if !e.ready.Load() {
		return 0, nil
	}
	d := e.core.driver.(*DriverBlocks)
	if d.terms.crowded.Load() {
		return d.allocCrowded(e, s, bytes)
	}
	size, crossed := d.rounded(bytes), false
	before := d.reserved.Load()
	if room := min(d.bound.Load(), d.peak.Load()) - before; size <= 0 || size > room || d.terms.watched || !d.reserve(before, before+size) {
		var ok bool
		if ok, crossed = d.claim(size); !ok {
			return 0, poolrt.ErrLimit
		}
	} else if before+size > d.bound.Load() { // the limit was lowered, or the pool closed, since it was read
		d.unclaim(size)
		return 0, poolrt.ErrLimit
	}
	held := size
	defer func() {
		if held != 0 {
			d.unclaim(held)
		}
	}()
	c, err := d.source.AllocOn(s, size, d.terms.alignment)
	held = 0
	if err != nil {
		return 0, d.notSupplied(e, c, size, err)
	}
	p, b := d.open(c.Addr)
	b.addr, b.origin, b.bytes, b.size, b.on, b.onStream = c.Addr, c.Origin, bytes, size, s, true
	p.allocs++
	p.added(bytes, size)
	p.mu.Unlock()
	if crossed {
		d.noteCrossing(e, s, c.Addr, bytes)
	}
	return c.Addr, nil
}

// allocCrowded is AllocInOrder while callers meet.
func (d *DriverBlocks) allocCrowded(e *Engine, s Stream, bytes uint64) (addr uint64, err error) {
	b := driverBlock{bytes: bytes, on: s, onStream: true}
	crossed, err := d.alloc(e, &b, 1)
	if crossed {
		d.noteCrossing(e, s, b.addr, bytes)
	}
	return b.addr, err
}

// noteCrossing counts a crossing of the soft limit by a block. If an event hook panics, the block goes back. The caller does not hold e.mu.
func (d *DriverBlocks) noteCrossing(e *Engine, s Stream, addr, bytes uint64) {
	e.lock()
	e.figures.crossSoftLimit()
	noted := false
	defer func() {
		if !noted {
			e.lock()
			defer e.unlock()
			_ = d.takeBack(e, addr, bytes, &s)
		}
	}()
	e.unlockAndNotify()
	noted = true
}

// AllocAfter is [Engine.AllocOn] for a request that AllocInOrder has refused, with what it returned.
func (e *Engine) AllocAfter(err error, s Stream, n int, item uint64) (Block, error) {
	return e.allocItems(n, item, request{align: 1, stream: &s, failed: err})
}

// FreeInOrder is [Engine.FreeOn] at the cost of one call of the driver. If the driver fails, the block is live as before. If known is false, nothing has changed,
// and FreeOn goes on with the free.
func (e *Engine) FreeInOrder(s Stream, addr, bytes uint64) (known bool, err error) {
	if !e.ready.Load() {
		return false, nil
	}
	d := e.core.driver.(*DriverBlocks)
	var b driverBlock
	if d.take(addr, bytes, &b) != Freed {
		return false, nil
	}
	if b.addr == 0 || d.terms.crowded.Load() {
		return true, d.freeTaken(e, &b, s, true)
	}
	held := b.size
	defer func() {
		if held != 0 {
			d.unclaim(held)
		}
	}()
	if err = d.source.FreeOn(s, b.chunk()); err != nil {
		held = 0
		return true, d.notFreed(e, &b, err)
	}
	d.unclaim(held)
	held = 0
	if !d.freedOn.noted(s.ID) {
		d.freedOn.note(s)
	}
	if e.HasWaiters() { // a caller that waits from here on has seen the bytes
		e.wakeOne()
	}
	return true, nil
}

// free frees a block in the order of a stream or, with on false, at once. The caller does not hold e.mu.
func (d *DriverBlocks) free(e *Engine, addr, bytes uint64, s Stream, on bool) error {
	var b driverBlock
	if v := d.take(addr, bytes, &b); v != Freed {
		return e.refuseToDriver(addr, bytes, s, on, v)
	}
	return d.freeTaken(e, &b, s, on)
}

// freeLate is freeLate of the engine, in builds with the tag pooldebug. The caller does not hold e.mu.
func (d *DriverBlocks) freeLate(e *Engine, addr, bytes uint64, s *Stream) error {
	var b driverBlock
	switch v := d.take(addr, bytes, &b); {
	case v != Freed:
		return e.freeBlock(addr, bytes, s, nil) // a block of another pool
	case b.addr != 0:
		e.lock()
		defer e.unlockAndNotify()
		_ = d.drop(e, b, s)
		e.wakeNext()
	}
	return nil
}

// freeTaken goes on with the free of a block that take has removed.
func (d *DriverBlocks) freeTaken(e *Engine, b *driverBlock, s Stream, on bool) error {
	if b.addr == 0 { // another process may use it
		return nil
	}
	if err := d.giveBack(e, b, s, on); err != nil {
		return d.notFreed(e, b, err)
	}
	if e.HasWaiters() {
		e.wakeOne()
	}
	return nil
}

// wakeOne wakes a waiter.
func (e *Engine) wakeOne() {
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
}

// refuseToDriver frees a block that is not in the table: one of another pool, or none.
func (e *Engine) refuseToDriver(addr, bytes uint64, s Stream, on bool, v Verdict) error {
	e.lock()
	defer e.unlockAndNotify()
	if !on {
		return e.follow(0, v, addr, bytes, nil)
	}
	return e.follow(0, v, addr, bytes, &s)
}

// notFreed makes a block live again that the driver refused to free, and returns the error.
func (d *DriverBlocks) notFreed(e *Engine, b *driverBlock, err error) error {
	d.insert(b, 0)
	e.lock()
	defer e.unlockAndNotify()
	return e.newError("free", &causedBy{poolrt.ErrNotReturned, err})
}

// allocOrGrow is that of the engine in a pool with ordering driver. The lock is released while the driver is called.
func (d *DriverBlocks) allocOrGrow(e *Engine, r request) (b foundBlock, err error) {
	if err := e.check(r); err != nil {
		return foundBlock{}, err
	}
	crossed, share := false, e.budget.Budget()
	for again := true; again; again = d.fits(r.bytes, err) {
		e.unlocked(func() {
			err = askPatiently(share, func() (err error) {
				b, crossed, err = d.allocFor(e, r)
				return err
			})
		})
	}
	if d.post(e); crossed {
		e.figures.crossSoftLimit()
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

// takeBack takes back a block that no caller has received. The lock is released meanwhile.
func (d *DriverBlocks) takeBack(e *Engine, addr, bytes uint64, s *Stream) error {
	var b driverBlock
	if v := d.take(addr, bytes, &b); v != Freed || b.addr == 0 {
		return nil
	}
	d.uncount(addr)
	return d.drop(e, b, s)
}
