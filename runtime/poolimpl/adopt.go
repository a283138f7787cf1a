package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Import turns a pool that has not been used into an imported pool: its blocks lie in the memory of another process. They are opened by Adopt, not allocated.
// as returns the Binder that finds this memory, given the pool's own Binder. The Source that it binds closes the blocks that are freed; the pool never
// requests a chunk from it. The limits and the ladder of the pool file are those of the other process and do not apply here. A limit among the options bounds
// the bytes that are open at a time. Import refuses a pool that is in use with [poolrt.ErrLive]. If opening the pool fails, Import closes it. Package cuda
// calls Import for shareable pools.
func (e *Engine) Import(as func(Binder) (Binder, error), options ...poolrt.Option) error {
	if err := e.imported(as); err != nil {
		return err
	}
	err := e.Open(options...)
	if err != nil {
		err = errors.Join(err, e.Close(func() {})) // the pool has no chunks, so the core has nothing to reset
	}
	return err
}

// imported gives the pool a Config of its own. The caller does not hold e.mu.
func (e *Engine) imported(as func(Binder) (Binder, error)) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.opened || e.activity.binding || e.life.closed || e.memory.Source != nil || e.config.Binder == nil {
		err := e.newError("import", poolrt.ErrLive)
		err.Detail = "a pool can be imported only before its first use"
		return err
	}
	b, err := as(e.config.Binder)
	if err != nil {
		return e.newError("import", err)
	}
	own := *e.config
	own.Imported, own.Binder = true, b
	own.Budget, own.Ladder, own.Trim = nil, nil, nil
	own.Guarantee = 0
	own.Limit, own.MaxLimit, own.SoftLimit, own.Prime = poolrt.NoLimit, 0, 0, 0
	e.begin(&own)
	e.life.allocator = "" // that of the other process
	return nil
}

// errNotImported refuses to open blocks in a pool that allocates its memory.
var errNotImported = &causedBy{poolrt.ErrUnsupported, errors.New("blocks are opened in an imported pool; here they are allocated")}

// errNotAllocated refuses to allocate blocks in an imported pool.
var errNotAllocated = &causedBy{poolrt.ErrUnsupported, errors.New("blocks of an imported pool are opened, not allocated")}

// Adopt opens a block of the other process as a block of this imported pool, until it is freed. open finds the block and is called with the lock released:
// the address of its chunk is the address of the block, and freeing the block calls the Source's Free with the chunk. One block is opened at a time; other
// callers wait. A block that would exceed the limit is refused with [poolrt.ErrLimit], or with [poolrt.ErrTooLarge] if no free could help. Package cuda calls
// Adopt for shareable pools.
func (e *Engine) Adopt(bytes uint64, open func(pool any) (Chunk, error)) (Block, error) {
	k := keeper{err: errPanic}
	defer k.end(e, request{bytes: bytes})
	func() {
		e.lock()
		defer e.unlockAndNotify()
		k.block, k.err = e.adopt(bytes, open)
	}()
	b, err := k.keep()
	if err != nil {
		return Block{}, err
	}
	e.observed.alloc(e, Call{}, b, bytes, nil)
	return Block{foundBlock: b}, nil
}

// adopt is Adopt without observing the block.
func (e *Engine) adopt(bytes uint64, open func(pool any) (Chunk, error)) (foundBlock, error) {
	if !e.life.closed && e.config.Imported {
		_, _ = e.order.poll() // blocks that their streams have passed can be opened again
		_, _ = e.retryUnreturned()
	}
	for e.limits.growing > 0 && e.activity.waitIdle(request{}) {
	}
	var err error
	switch {
	case e.life.closed:
		err = poolrt.ErrClosed
	case !e.config.Imported:
		err = errNotImported
	case int64(bytes) <= 0:
		err = poolrt.ErrBadSize
	default:
		err = e.limits.claimExactly(e.budget, int64(bytes))
	}
	if err != nil {
		refused := e.newError("open", err)
		refused.Request = int64(bytes)
		return foundBlock{}, refused
	}
	pool := e.memory.Driver
	var c Chunk
	err = e.withClaim(int64(bytes), func() (err error) {
		c, err = open(pool)
		return err
	})
	if err != nil {
		return foundBlock{}, e.newError("open", err)
	}
	c.Size = int64(bytes)
	return e.addDirect(c, bytes), nil
}
