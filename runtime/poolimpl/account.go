package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// failure is the error of an allocation and what the error leads to: one allocation of Go memory, as the lock is held.
type failure struct {
	err      poolrt.PoolError
	account  poolrt.Account
	attempts []poolrt.Attempt
	first    [1]poolrt.Attempt // the memory of attempts, if that is enough
}

// add adds an attempt of the ladder.
func (f *failure) add(a poolrt.Attempt) {
	if f.attempts == nil {
		f.attempts = f.first[:0]
	}
	f.attempts = append(f.attempts, a)
}

// account describes what the reserved memory is used for.
func (e *Engine) account(a *poolrt.Account, r request, u Usage) {
	*a = poolrt.Account{
		Chunks: e.allocations(u), Blocks: int64(u.Live), Rounding: int64(u.Occupied - u.LiveBytes), Cached: int64(u.Cached),
		Pending: e.order.pendingFrees(), Budget: (*Budget)(e.budget.Budget()).Info(),
	}
	a.Free = e.limits.reserved - int64(u.Occupied)
	for _, p := range a.Pending {
		a.Free -= p.Bytes
	}
	a.Free = max(a.Free, 0) // other goroutines use a shared core while it counts
	if e.memory.Source == nil || e.lacksChunk(r) {
		return
	}
	a.Empty = bytesOf(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit)))
	if page := e.memory.page(); page > 0 {
		a.Pages = (e.limits.held() - a.Empty) / page
		a.Pinned = max(a.Free-a.Empty, 0)
		a.Addresses = e.chunks.bytes()
	}
}

// drainHelps reports whether frees are pending, and the pool could hold a request beside its live blocks.
func (e *Engine) drainHelps(r request) bool {
	return e.streams.pending() > 0 && r.bytes <= uint64(e.limits.bound)-min(e.usage().Occupied, uint64(e.limits.bound))
}
