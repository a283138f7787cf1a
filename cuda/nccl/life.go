package nccl

import "github.com/poolgen/poolgen/cuda/internal/abi"

// use calls f for a rank that has not ended, with the context of its device current.
func (c *Comm) use(op string, f func() abi.NCCLResult) error {
	return c.unlessEnded(op, func() error { return c.call(op, f) })
}

// unlessEnded calls f for a rank that does not end meanwhile.
func (c *Comm) unlessEnded(op string, f func() error) error {
	c.uses.RLock()
	defer c.uses.RUnlock()
	if c.ended.Load() {
		return c.closed(op)
	}
	return f()
}

// call calls f with the context of the rank's device current.
func (c *Comm) call(op string, f func() abi.NCCLResult) error {
	return on(c.device, func() error { return c.result(f(), op) })
}

// result returns the error of a call for the rank, nil if it has none.
func (c *Comm) result(r abi.NCCLResult, op string) error {
	if r == abi.NCCLSuccess {
		return nil
	}
	return failure(c.lib, r, op, c.rank, "")
}

// closed returns the error of a call for a rank that has ended.
func (c *Comm) closed(op string) error {
	return &Error{Op: op, Code: ResultInvalidUsage, Rank: c.rank, Detail: "the rank was closed or aborted", text: "invalid usage", closed: true}
}

// Close ends the rank: it deregisters the chunks of attached pools, waits for calls under way, and frees what the rank has. Work on streams should be done. The second
// Close does nothing. If deregistering fails, the rank stays, and Close can be called again.
func (c *Comm) Close() error {
	c.pools.mu.Lock()
	defer c.pools.mu.Unlock()
	if c.ended.Load() {
		return nil
	}
	if err := c.detachAll(); err != nil {
		return err
	}
	c.uses.Lock()
	defer c.uses.Unlock()
	if c.ended.Swap(true) || c.borrowed {
		return nil
	}
	return c.call("CommDestroy", func() abi.NCCLResult { return c.lib.CommDestroy(c.handle) })
}

// Abort ends the rank and all work that it has begun, also while calls of it wait: it is for a rank that will not come to an end by itself, because another is gone. Memory
// is then no longer registered. An adopted rank is aborted by its owner.
func (c *Comm) Abort() error {
	const op = "CommAbort"
	if c.borrowed {
		return refuse(op, c.rank, "the rank belongs to another binding")
	}
	if c.ended.Swap(true) {
		return nil
	}
	err := c.call(op, func() abi.NCCLResult { return c.lib.CommAbort(c.handle) })
	c.pools.mu.Lock()
	defer c.pools.mu.Unlock()
	_ = c.detachAll() // there is nothing to deregister: it does not fail
	return err
}

// AsyncError returns what has gone wrong in work that the rank has begun, nil as long as nothing has. After an error the rank can only be aborted.
func (c *Comm) AsyncError() error {
	const op = "CommGetAsyncError"
	var found abi.NCCLResult
	if err := c.use(op, func() (r abi.NCCLResult) {
		found, r = c.lib.CommGetAsyncError(c.handle)
		return r
	}); err != nil {
		return err
	}
	if found == abi.NCCLSuccess {
		return nil
	}
	return failure(c.lib, found, op, c.rank, "work on a stream")
}
