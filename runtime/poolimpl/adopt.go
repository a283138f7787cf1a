package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Import makes a pool that was not used one whose blocks lie in the memory of another process. Such blocks are opened, by Adopt, and not allocated. as
// turns the pool's own Binder into the one that finds that memory; the Source that it binds closes the blocks that are freed, and is asked for no
// chunks. The limits and the ladder of the pool file are those of the other process, and do not hold here; a limit among the options bounds the bytes
// that are open at a time. A pool that is in use is refused with [poolrt.ErrLive]. A pool that could not be imported is closed. Package cuda calls Import
// for shareable pools.
func (e *Engine) Import(as func(Binder) (Binder, error), options ...poolrt.Option) error {
	if err := e.imported(as); err != nil {
		return err
	}
	err := e.Open(options...)
	if err != nil {
		err = errors.Join(err, e.Close(func() {})) // it has no chunks, so the core has nothing to forget
	}
	return err
}

// imported gives the pool a Config of its own.
func (e *Engine) imported(as func(Binder) (Binder, error)) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.opened || e.activity.binding || e.life.closed || e.memory.Source != nil || e.config.Binder == nil {
		err := e.newError("import", poolrt.ErrLive)
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
	own.Limit, own.SoftLimit, own.Prime = poolrt.NoLimit, 0, 0
	e.config = &own
	e.limits.limit, e.limits.bound = own.Limit, own.Limit
	return nil
}

// errNotImported refuses to open blocks in a pool whose memory is its own.
var errNotImported = &causedBy{poolrt.ErrUnsupported, errors.New("blocks are opened in an imported pool; here they are allocated")}

// errNotAllocated refuses to allocate blocks in an imported pool.
var errNotAllocated = &causedBy{poolrt.ErrUnsupported, errors.New("blocks of an imported pool are opened, not allocated")}

// Adopt makes a block of the other process a block of this imported pool, until it is freed. open finds the block, with the lock released: the chunk's
// address is the block's, and the Source's Free is called with the chunk when the block is freed. One block is opened at a time; other callers wait.
// A block that would exceed the limit is refused with [poolrt.ErrLimit], or [poolrt.ErrTooLarge] where no free could help. Package cuda calls Adopt for
// shareable pools.
func (e *Engine) Adopt(bytes uint64, open func(pool any) (Chunk, error)) (Block, error) {
	b, err := e.adopt(bytes, open)
	if err != nil {
		return Block{}, err
	}
	e.observed.alloc(e, Call{}, b, bytes, nil)
	return Block{foundBlock: b}, nil
}

func (e *Engine) adopt(bytes uint64, open func(pool any) (Chunk, error)) (foundBlock, error) {
	e.lock()
	defer e.unlockAndNotify()
	if !e.life.closed && e.config.Imported {
		_, _ = e.poll() // blocks whose streams have passed them can be opened again
		_, _ = e.retryUnreturned()
	}
	for e.limits.growing > 0 && e.waitIdle(request{}) {
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
		err = e.limits.claimExactly(e.config.Budget, int64(bytes))
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
