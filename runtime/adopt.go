package runtime

import "errors"

// Import makes a pool that was not used one whose blocks lie in the memory of another process: they are opened, by Adopt, and not allocated. as
// makes, of the pool's own Binder, the one that finds that memory. The source that it binds is asked for nothing; it closes the blocks that
// are freed. Of what the pool file says, the limits and the ladder are those of the other process and hold nothing here; a limit among the
// options bounds the bytes that are open at a time. A pool that could not be imported is closed. Package cuda's functions for shareable pools call it.
func (e *Engine) Import(as func(Binder) (Binder, error), options ...Option) error {
	if err := e.imported(as); err != nil {
		return err
	}
	err := e.Open(options...)
	if err != nil {
		err = errors.Join(err, e.Close(func() {})) // it has no chunks, so the core has nothing to forget
	}
	return err
}

// imported gives the pool a description of its own.
func (e *Engine) imported(as func(Binder) (Binder, error)) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.opened || e.activity.binding || e.life.closed || e.memory.Source != nil || e.config.Binder == nil {
		err := e.newError("import", ErrLive)
		err.Detail = "the pool is in use already"
		return err
	}
	b, err := as(e.config.Binder)
	if err != nil {
		return e.newError("import", err)
	}
	own := *e.config
	own.Imported, own.Binder = true, b
	own.Budget, own.Ladder, own.Trim = nil, nil, nil
	own.Limit, own.SoftLimit, own.Prime = NoLimit, 0, 0
	e.config = &own
	e.limits.limit, e.limits.bound = own.Limit, own.Limit
	return nil
}

// errNotImported refuses to open blocks in a pool that has memory of its own.
var errNotImported = &causedBy{ErrUnsupported, errors.New("blocks are opened in an imported pool; here they are allocated")}

// errNotAllocated refuses to allocate them in an imported one.
var errNotAllocated = &causedBy{ErrUnsupported, errors.New("blocks of an imported pool are opened, not allocated")}

// Adopt makes a block of the other process one of this imported pool, until it is freed. open finds the block, with the lock released: the
// chunk's address is the block's, and the source's Free is called with the chunk when the block is freed. One block is opened at a time.
// Package cuda's functions for shareable pools call it.
func (e *Engine) Adopt(bytes uint64, open func(pool any) (Chunk, error)) (Block, error) {
	b, err := e.adopt(bytes, open)
	if err == nil {
		e.observeAlloc(Call{}, b, bytes, nil)
	}
	return b, err
}

func (e *Engine) adopt(bytes uint64, open func(pool any) (Chunk, error)) (Block, error) {
	e.lock()
	defer e.unlockAndNotify()
	if !e.life.closed && e.config.Imported {
		_, _ = e.poll() // what streams have passed can be opened again
		_, _ = e.retryUnreturned()
	}
	for e.limits.growing > 0 && e.waitIdle() {
	}
	if err := e.adoptable(int64(bytes)); err != nil {
		refused := e.newError("open", err)
		refused.Request = int64(bytes)
		return Block{}, refused
	}
	e.limits.growing = int64(bytes)
	pool := e.memory.Driver
	var c Chunk
	err := e.withClaim(int64(bytes), func() (err error) {
		c, err = open(pool)
		return err
	})
	if err != nil {
		return Block{}, e.newError("open", err)
	}
	c.Size = int64(bytes)
	return e.addDirect(c, bytes), nil
}

// adoptable says why no block of that many bytes can be opened now.
func (e *Engine) adoptable(bytes int64) error {
	switch {
	case e.life.closed:
		return ErrClosed
	case !e.config.Imported:
		return errNotImported
	case bytes <= 0:
		return ErrBadSize
	case bytes > e.limits.limit:
		return ErrTooLarge
	case e.limits.growing > 0 || bytes > e.limits.bound-e.limits.reserved:
		return ErrLimit
	}
	return nil
}
