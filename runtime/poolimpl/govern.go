package poolimpl

// GiveEmpty returns empty chunks of so many bytes or, if the pool has less that it may give, all: never so many that it holds less than its guarantee, and none from a
// pool without a lock, which only its user may call. to names who needs them, for the event.
func (e *Engine) GiveEmpty(bytes int64, to string) int64 {
	if !e.config.Locked {
		return 0
	}
	return e.trimFor(bytes, to)
}

// CallHooks calls the functions that OnReclaim has registered, each unless it is running.
func (e *Engine) CallHooks(bytes int64) { e.hooks.call(bytes) }
