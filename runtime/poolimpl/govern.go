package poolimpl

// GiveEmpty returns empty chunks of so many bytes or, if the pool has less that it may give, all: never so many that it holds less than its guarantee, and none from a
// pool without a lock, which only its user may call. to names who needs them, for the event.
func (e *Engine) GiveEmpty(bytes int64, to string) int64 {
	if !e.config.Locked {
		return 0
	}
	return e.trimFor(bytes, to, false)
}

// CallHooks calls the functions that OnReclaim has registered, each unless it is running. It returns the bytes that went back meanwhile. to names who needs them, for
// the event. It does nothing in a pool without a lock, as they would free blocks beside its user.
func (e *Engine) CallHooks(bytes int64, to string) (released int64) {
	if !e.config.Locked {
		return 0
	}
	before := e.returnedBytes()
	e.hooks.call(bytes)
	released = e.returnedBytes() - before
	e.noteGiven(released, to)
	return released
}

// returnedBytes returns the bytes that the source has got back so far. The caller does not hold e.mu.
func (e *Engine) returnedBytes() int64 {
	e.lock()
	defer e.unlock()
	return e.limits.released
}
