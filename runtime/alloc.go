package runtime

import (
	"context"
	"errors"
	"fmt"
	"unsafe"
)

// Block is a block that the slow path found: Ptr in memory that Go code can address, Addr everywhere.
type Block struct {
	Ptr  unsafe.Pointer
	Addr uint64
}

// request is an allocation on its way through the slow path.
type request struct {
	op    string
	bytes uint64
	align uint64
	ctx   context.Context // nil: as the ladder says
}

// Alloc finds a block when the fast path could not: it grows the pool, then climbs the ladder. The caller holds no lock.
func (e *Engine) Alloc(bytes, align uint64) (Block, error) {
	return e.alloc(request{op: "alloc", bytes: bytes, align: align})
}

// AllocContext is Alloc with the ladder's rung wait lasting until ctx ends. In a pool without a lock nobody else
// could free a block meanwhile, so it does not wait.
func (e *Engine) AllocContext(ctx context.Context, bytes, align uint64) (Block, error) {
	return e.alloc(request{op: "alloc", bytes: bytes, align: align, ctx: ctx})
}

func (e *Engine) alloc(r request) (Block, error) {
	e.lock()
	defer e.finish()
	e.openLazily()
	e.trimIdle()
	err := e.check(r)
	if err != nil {
		return Block{}, e.fail(r, err)
	}
	b, err := e.obtain(r)
	if err == nil {
		return b, nil
	}
	if b, err = e.climb(r, err); err != nil {
		return Block{}, e.fail(r, err)
	}
	return b, nil
}

// check refuses what no waiting and growing could serve.
func (e *Engine) check(r request) error {
	need := e.core.Need(r.bytes, r.align)
	switch {
	case e.closed:
		return ErrClosed
	case e.badItem != nil:
		return e.badItem
	case need == 0, need > uint64(e.config.ChunkSize) && !e.config.Oversize,
		need > uint64(e.limit), need > uint64(e.config.Budget.ceiling()):
		return ErrTooLarge
	}
	return nil
}

// try takes a block from the chunks that are there.
func (e *Engine) try(r request) (Block, bool) {
	slot, off, ok := e.core.Alloc(r.bytes, r.align)
	if !ok {
		return Block{}, false
	}
	b := Block{Addr: e.chunks.list[slot].Addr + off}
	if base := e.bases[slot]; base != nil {
		b.Ptr = unsafe.Add(base, uintptr(off))
	}
	return b, true
}

// obtain takes a block, growing the pool as long as that helps. At the limit it makes use of what is cached.
func (e *Engine) obtain(r request) (Block, error) {
	for {
		if e.closed {
			return Block{}, ErrClosed
		}
		if b, ok := e.try(r); ok {
			return b, nil
		}
		if e.growing && e.settle() {
			continue
		}
		err := e.grow(r)
		switch {
		case err == nil:
		case e.settle():
		case e.core.Flush():
		default:
			return Block{}, err
		}
	}
}

// BadCount is the failure of an allocation of n items that no pool could make.
func (e *Engine) BadCount(n int) error {
	return e.misuse(ErrBadSize, "%d items; a block has at least one, and its bytes fit an int", n)
}

// BadAlignment is the failure of an allocation with an alignment that no pool could keep.
func (e *Engine) BadAlignment(align int) error {
	return e.misuse(ErrBadAlignment, "%d is no power of two from 1 to the chunk size %d", align, e.config.ChunkSize)
}

func (e *Engine) misuse(err error, format string, args ...any) error {
	e.lock()
	defer e.finish()
	p := e.newError("alloc", err)
	if e.closed {
		p.Err = ErrClosed
	}
	p.Detail = fmt.Sprintf(format, args...)
	e.failures++
	e.note(EventFailure, 0, p)
	return p
}

// fail counts a failed allocation and wraps its reason.
func (e *Engine) fail(r request, err error) error {
	e.failures++
	p := e.newError(r.op, err)
	p.Request = int64(r.bytes)
	e.note(EventFailure, p.Request, p)
	return p
}

// newError wraps a reason with the figures of the moment. An error from beneath that is none of ours becomes the cause of
// ErrOutOfMemory.
func (e *Engine) newError(op string, err error) *PoolError {
	u := e.usage()
	p := &PoolError{
		Pool: e.name, Op: op, Err: err,
		Live: int64(u.LiveBytes), Reserved: e.reserved, Limit: e.limit, LargestFree: int64(u.LargestFree),
	}
	var c *causedBy
	if errors.As(err, &c) {
		p.Err, p.Cause = c.err, c.cause
	}
	return p
}

// causedBy carries one of the package's errors together with what lies beneath it, up to newError.
type causedBy struct{ err, cause error }

func (c *causedBy) Error() string { return c.err.Error() + ": " + c.cause.Error() }
