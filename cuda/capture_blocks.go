package cuda

import (
	"errors"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// AllocCaptured allocates a block on a stream that is being captured, for generated pools. It reports false, and does nothing, on any other stream.
func AllocCaptured(e *poolimpl.Engine, s Stream, n int, item, align uint64) (b poolimpl.Block, captured bool, err error) {
	c, at, captured := s.capture()
	if !captured {
		return b, false, nil
	}
	if c == nil {
		return b, true, e.Refuse(poolimpl.AllocApart)
	}
	m := c.memory.of(e)
	if m == nil {
		c.mu.Unlock()
		return b, true, e.Refuse(poolimpl.AllocApart)
	}
	b, err = c.alloc(m, at, n, item, align)
	if err == nil {
		err = c.clear(m, s, b, uint64(n)*item)
	}
	return b, true, err
}

// alloc takes a block that is free for a stream, or grows the memory. The capture is locked; alloc unlocks it, as hooks and other pools may be called.
func (c *capture) alloc(m *poolimpl.GraphMemory, at position, n int, item, align uint64) (b poolimpl.Block, err error) {
	for {
		b, ok, err := c.take(m, at, n, item, align)
		if ok || err != nil {
			c.mu.Unlock()
			return b, err
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

// clear clears a block, if the pool does so at each allocation: this becomes a node of the graph.
func (c *capture) clear(m *poolimpl.GraphMemory, s Stream, b poolimpl.Block, bytes uint64) error {
	err := m.Clear(s.Key(), b.Addr, bytes)
	if err != nil {
		_, _ = FreeCaptured(m.Pool(), s, b.Addr, bytes)
	}
	return err
}

// FreeCaptured frees a block on a stream that is being captured, for generated pools. It reports false, and does nothing, on any other stream.
func FreeCaptured(e *poolimpl.Engine, s Stream, addr, bytes uint64) (captured bool, err error) {
	c, at, captured := s.capture()
	switch {
	case !captured:
		return false, nil
	case c == nil:
		return true, e.Refuse(poolimpl.FreeApart)
	}
	defer c.mu.Unlock()
	block := borrowedBlock{e, addr}
	m, lender := c.memory.of(e), c.borrowed[block]
	if lender != nil {
		m = c.memory.of(lender)
	}
	held := false
	if m != nil {
		held, err = m.Free(at.point(), addr, bytes)
	}
	if !held {
		return true, e.Refuse(poolimpl.FreeApart)
	}
	if err == nil {
		delete(c.borrowed, block)
	}
	return true, err
}
