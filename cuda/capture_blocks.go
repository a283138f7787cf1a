package cuda

import (
	"errors"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// AllocCaptured allocates a block on a stream that is being captured, for generated pools. It reports false, and does nothing, on any other stream.
func AllocCaptured(e *poolimpl.Engine, s Stream, n int, item, align uint64) (b poolimpl.Block, captured bool, err error) {
	c, at, captured, err := s.capture()
	switch {
	case err != nil:
		return b, true, e.RefuseFor(poolimpl.AllocApart, err)
	case !captured:
		return b, false, nil
	case c == nil:
		return b, true, e.Refuse(poolimpl.AllocApart)
	}
	m := c.memory.of(e)
	if m == nil {
		c.mu.Unlock()
		return b, true, e.Refuse(poolimpl.AllocApart)
	}
	if b, err = c.alloc(m, at, n, item, align); err != nil {
		return b, true, err
	}
	if err = m.Clear(s.Key(), b.Addr, uint64(n)*item); err != nil { // a node of the graph, if the pool clears blocks
		c.mu.Lock()
		_, _ = c.free(e, at, b.Addr, uint64(n)*item)
		c.mu.Unlock()
		return poolimpl.Block{}, true, e.RefuseFor(poolimpl.AllocApart, err)
	}
	return b, true, nil
}

// alloc takes a block that is free for a stream, or grows the memory. The capture is locked; alloc unlocks it, as hooks and other pools may be called.
func (c *capture) alloc(m *poolimpl.GraphMemory, at position, n int, item, align uint64) (b poolimpl.Block, err error) {
	for {
		b, ok, err := c.take(m, at, n, item, align)
		if ok {
			c.mu.Unlock()
			return b, nil
		}
		if err != nil {
			c.mu.Unlock()
			return b, m.Pool().RefuseFor(poolimpl.AllocApart, err)
		}
		p := poolimpl.Point{Before: slices.Clone(at.point().Before)} // others add to it
		c.mu.Unlock()
		if err = m.Grow(p, n, item, align); err != nil {
			return c.borrow(m, at, n, item, align, err)
		}
		c.mu.Lock()
	}
}

// take takes a block that is free for a stream. It asks the driver what comes before only if no block is known to be free, and one might be.
func (c *capture) take(m *poolimpl.GraphMemory, at position, n int, item, align uint64) (b poolimpl.Block, ok bool, err error) {
	if b, ok = m.Take(at.point(), n, item, align); ok {
		return b, true, nil
	}
	if !m.MayTake(n, item, align) {
		return b, false, nil
	}
	if err = c.walk(at); err != nil {
		return b, false, err
	}
	b, ok = m.Take(at.point(), n, item, align)
	return b, ok, nil
}

// borrow is the rung pool: it allocates the block in the memory that another pool has for the capture. err is what the pool itself has failed with.
func (c *capture) borrow(m *poolimpl.GraphMemory, at position, n int, item, align uint64, err error) (poolimpl.Block, error) {
	if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrOutOfMemory) {
		return poolimpl.Block{}, err
	}
	for _, lender := range m.Pool().Lenders(int(c.device)) {
		other := c.memory.of(lender)
		if other == nil {
			continue
		}
		c.mu.Lock()
		b, failed := c.alloc(other, at, n, item, align)
		if failed == nil {
			c.mu.Lock()
			c.borrowed[borrowedBlock{m.Pool(), b.Addr}] = lender
			c.mu.Unlock()
			return b, nil
		}
	}
	return poolimpl.Block{}, err
}

// FreeCaptured frees a block on a stream that is being captured, for generated pools. It reports false, and does nothing, on any other stream.
func FreeCaptured(e *poolimpl.Engine, s Stream, addr, bytes uint64) (captured bool, err error) {
	c, at, captured, err := s.capture()
	switch {
	case err != nil:
		return true, e.RefuseFor(poolimpl.FreeApart, err)
	case !captured:
		return false, nil
	case c == nil:
		return true, e.Refuse(poolimpl.FreeApart)
	}
	defer c.mu.Unlock()
	held, err := c.free(e, at, addr, bytes)
	if !held {
		return true, e.Refuse(poolimpl.FreeApart)
	}
	return true, err
}

// free frees a block of the capture, which is locked. It reports false if it has no such block.
func (c *capture) free(e *poolimpl.Engine, at position, addr, bytes uint64) (held bool, err error) {
	block := borrowedBlock{e, addr}
	m, lender := c.memory.of(e), c.borrowed[block]
	if lender != nil {
		m = c.memory.of(lender)
	}
	if m != nil {
		held, err = m.Free(at.point(), addr, bytes)
	}
	if held && err == nil {
		delete(c.borrowed, block)
	}
	return held, err
}
