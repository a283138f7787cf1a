package poolimpl

import (
	"errors"
	"runtime"
	"slices"
	"time"

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

// alloc claims, obtains and inserts a block that has its bytes, and its stream if one orders it. A request for which limit or budget have no room fails with
// [poolrt.ErrLimit], and calls no driver. crossed reports that the block crossed the soft limit. The caller does not hold e.mu.
//
// If the call of the driver fails, the claim ends, unless the driver supplied memory with the error and did not take it back. It also ends if the driver's side
// panics: the block of that call is lost then.
func (d *DriverBlocks) alloc(e *Engine, b *driverBlock, align uint64) (crossed bool, err error) {
	b.size = (int64(b.bytes) + d.terms.mask) &^ d.terms.mask
	if b.size <= 0 {
		return false, poolrt.ErrLimit
	}
	ok, crossed := d.claim(b.size)
	if !ok {
		return false, poolrt.ErrLimit
	}
	holds := false
	defer func() {
		if !holds {
			d.unclaim(b.size)
		}
	}()
	var c Chunk
	if least := max(int64(align), d.terms.alignment); Debug || !b.onStream || d.terms.crowded.Load() {
		c, err = d.allocAside(e, b, least)
	} else {
		c, err = d.source.AllocOn(b.on, b.size, least)
	}
	if err != nil {
		holds, err = d.notSupplied(e, c, b.size, err)
		return false, err
	}
	holds = true
	b.addr, b.origin = c.Addr, c.Origin
	d.insert(b, 1)
	return crossed, nil
}

// allocAside calls the driver for a block in debug builds, without a stream, or in a turn. In debug builds the chunk is that of the core, unless there is an error.
//
//go:noinline
func (d *DriverBlocks) allocAside(e *Engine, b *driverBlock, least int64) (c Chunk, err error) {
	size := b.size
	if Debug {
		size, least = e.observed.debug.sourceSize(size), e.observed.debug.sourceSize(least)
	}
	switch {
	case !b.onStream:
		c, err = d.source.Alloc(size, least)
	case d.terms.crowded.Load():
		c, err = d.allocInTurn(b.on, size, least)
	default:
		c, err = d.source.AllocOn(b.on, size, least)
	}
	if Debug && err == nil {
		c = e.observed.debug.coreChunk(c, b.size)
	}
	return c, err
}

// notSupplied follows up an allocation that the driver refused, and returns its failure. The claim holds for memory that the driver supplied nevertheless, and did
// not take back.
//
//go:noinline
func (d *DriverBlocks) notSupplied(e *Engine, c Chunk, size int64, err error) (holds bool, failure error) {
	if c != (Chunk{}) {
		if failed := d.source.Free(c); failed != nil {
			c = e.observed.debug.coreChunk(c, size)
			c.Size = size
			d.unused.add(c)
			return true, d.failure(errors.Join(err, failed))
		}
	}
	return false, d.failure(err)
}

// failure returns the failure of an allocation: one that passes when there is memory again, or the error of the driver as it is.
func (d *DriverBlocks) failure(err error) error {
	for _, known := range []error{poolrt.ErrOutOfMemory, poolrt.ErrNoDriver, poolrt.ErrUnsupported} {
		if errors.Is(err, known) {
			return &causedBy{known, err}
		}
	}
	return err
}

// drop gives a block that is not in the table, and that no caller has, to the driver. If that fails, it is tried again later. The caller holds e.mu, which is
// released meanwhile.
func (d *DriverBlocks) drop(e *Engine, b driverBlock, s *Stream) (err error) {
	on := s != nil
	var where Stream
	if on {
		where = *s
	}
	e.unlocked(func() {
		if err = d.giveBack(e, &b, where, on); err != nil {
			d.unused.add(b.chunk())
		}
	})
	if err != nil {
		e.queueEvent(poolrt.EventFailure, 0, e.newError("free", &causedBy{poolrt.ErrNotReturned, err}))
	}
	return err
}

// giveBack gives a block that is not in the table to the driver. If that succeeds, the claim ends. The caller does not hold e.mu.
func (d *DriverBlocks) giveBack(e *Engine, b *driverBlock, s Stream, on bool) (err error) {
	holds := false
	defer func() {
		if !holds {
			d.unclaim(b.size)
		}
	}()
	if Debug || !on || d.terms.crowded.Load() {
		err = d.freeAside(e, b, s, on)
	} else {
		err = d.source.FreeOn(s, b.chunk())
	}
	if holds = err != nil; holds {
		return err
	}
	if on && !d.freedOn.noted(s.ID) {
		d.freedOn.note(s)
	}
	return nil
}

// freeAside calls the driver for a block in debug builds, without a stream, or in a turn. The stream behind which it frees a block that was allocated on one is
// remembered.
//
//go:noinline
func (d *DriverBlocks) freeAside(e *Engine, b *driverBlock, s Stream, on bool) (err error) {
	c := b.chunk()
	if Debug {
		c = e.observed.debug.sourceChunk(c)
	}
	switch {
	case on && d.terms.crowded.Load():
		err = d.freeInTurn(s, c)
	case on:
		err = d.source.FreeOn(s, c)
	case !b.onStream:
		err = d.source.Free(c)
	default:
		if err = d.source.FreeBehind(b.on, c); err == nil {
			d.freedOn.note(b.on)
		}
	}
	return err
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

// crossSoftLimit counts a crossing of the soft limit.
func (e *Engine) crossSoftLimit() {
	e.figures.softCrossings++
	e.queueEvent(poolrt.EventSoftLimit, e.limits.reserved, nil)
}

// lock takes the pool's lock. In a pool with ordering driver it brings the figures up to date that callers change without the lock.
func (e *Engine) lock() {
	e.poolLock.lock()
	e.post()
}

// post adds to limits and figures what callers have changed without the lock.
func (e *Engine) post() {
	d := e.core.driver
	if d == nil {
		return
	}
	now := d.reserved.Load()
	e.limits.reserved += now - d.posted
	d.posted = now
	e.figures.peakReserved = max(e.figures.peakReserved, e.limits.reserved, d.peak.Load())
}

// openDriver takes the source of a pool that has just been opened. Nobody has allocated yet.
func (e *Engine) openDriver() {
	if d := e.core.driver; d != nil {
		d.source = e.memory.Streams
		if m := e.memory.meter; m.Meter != nil {
			d.source = meteredStreams{d.source, m}
		}
		e.admit()
	}
}

// admit puts the limit in force in a pool with ordering driver: callers may allocate without the lock once the pool is open.
func (e *Engine) admit() {
	d := e.core.driver
	if d == nil {
		return
	}
	if !e.life.opened || e.life.closed || e.life.badItem != nil || e.config.Imported || e.memory.Streams == nil {
		d.bound.Store(0)
		return
	}
	d.bound.Store(e.limits.bound)
	e.post() // what was claimed before the limit was lowered counts
}

// trimDriver returns to the system what the driver keeps unused. The lock is released meanwhile.
func (e *Engine) trimDriver() (err error) {
	if e.memory.Streams == nil {
		return nil
	}
	source := e.memory.Streams
	e.activity.visit(&e.poolLock, func() { err = source.TrimUnused() })
	return err
}

// observeStreams lets the driver see which frees the streams have passed that the pool remembers: it returns only memory whose free it has seen. The lock is released
// meanwhile.
func (e *Engine) observeStreams() {
	if e.core.driver == nil || e.memory.Streams == nil {
		return
	}
	source, list := e.memory.Streams, e.core.driver.freedOn.list()
	e.activity.visit(&e.poolLock, func() {
		for _, s := range list {
			source.Observe(s)
		}
	})
}

// retryUnused gives the driver again what no caller has and it did not take back. The lock is released meanwhile.
func (e *Engine) retryUnused() {
	d := e.core.driver
	if d == nil || d.unused.count() == 0 {
		return
	}
	chunks := d.unused.take()
	defer func() { // also if the driver's side panics: the chunk of that call is lost then
		d.unused.add(chunks...)
		e.post()
	}()
	source := d.source
	e.activity.visit(&e.poolLock, func() {
		for range chunks {
			c := chunks[0]
			chunks = chunks[1:]
			if !d.tryFree(source, e.observed.debug.sourceChunk(c), c.Size) {
				chunks = append(chunks, c)
			}
		}
	})
}

// tryFree gives the source what no caller has. If the source takes it, the claim ends.
func (d *DriverBlocks) tryFree(source StreamSource, c Chunk, size int64) (taken bool) {
	holds := false
	defer func() {
		if !holds {
			d.unclaim(size)
		}
	}()
	holds = source.Free(c) != nil
	return !holds
}

// drainDriver is the rung drain in a pool with ordering driver: it waits for the streams of the frees that the pool remembers, and tries again whenever one of
// them has passed its frees. The lock is released meanwhile.
func (e *Engine) drainDriver(r request, was error) (b foundBlock, err error) {
	if reason(was) != poolrt.ErrOutOfMemory { // bytes do not count as live after the free
		return foundBlock{}, because(was, errDrained)
	}
	ctx, cancel := r.waitsUntil(e.config.WaitTimeout)
	defer cancel()
	end := errDrained
	left := fencesOf{line: e.memory.Timeline, fences: &e.streams.fences}
	d := e.core.driver
	e.activity.visit(&e.poolLock, func() {
		defer left.release()
		if failed := left.record(d.freedOn.list()); failed != nil {
			end = failed
		}
		for err = was; ; time.Sleep(pollEvery) {
			if left.drop() {
				if b, _, err = d.allocFor(e, r); err == nil || !temporary(err) {
					return
				}
			}
			switch {
			case len(left.list) == 0:
				err = because(err, end)
				return
			case ctx.Err() != nil:
				err = because(err, ending(ctx))
				return
			}
		}
	})
	return b, err
}

// driverChunks takes all blocks out of the table of a pool that is being closed, and lists their memory. Each block is listed here, or taken by a free. It waits for
// frees that have taken a block already: they need the source. The memory of graphs is listed elsewhere.
func (e *Engine) driverChunks() (chunks []Chunk) {
	d := e.core.driver
	if d == nil {
		return nil
	}
	for {
		d.evict(func(b driverBlock) {
			chunks = append(chunks, b.chunk())
			if b.onStream && !slices.Contains(d.behind, b.on) {
				d.behind = append(d.behind, b.on)
			}
		})
		chunks = append(chunks, d.unused.take()...)
		if sizeOf(chunks) == d.reserved.Load()-d.private.Load() {
			break
		}
		runtime.Gosched()
	}
	e.post()
	e.limits.chunks += int64(len(chunks))
	return chunks
}

// waitBehind waits for the streams on which the blocks of a closed pool were allocated: they may not have reached that, nor what the pool itself has queued on the
// blocks. Streams that fail are not waited for. The lock is released meanwhile.
func (e *Engine) waitBehind() {
	if e.core.driver == nil || len(e.core.driver.behind) == 0 {
		return
	}
	streams := e.core.driver.behind
	e.core.driver.behind = nil
	fences := fencesOf{line: e.memory.Timeline, fences: &e.streams.fences}
	e.activity.visit(&e.poolLock, func() {
		defer fences.release()
		_ = fences.record(streams)
		for _, fence := range fences.list {
			_ = fences.line.Sync(fence)
		}
	})
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
