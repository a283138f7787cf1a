package runtime

import (
	"cmp"
	"slices"
)

// account is the pool's. The lock is held. It costs a pass over the chunks and over what is pending.
func (e *Engine) account(u Usage) *Account {
	a := &Account{
		Chunks: e.limits.chunks, Blocks: int64(u.Live), Rounding: int64(u.Occupied - u.LiveBytes), Cached: int64(u.Cached),
		Pending: e.pendingByStream(), Budget: e.config.Budget.info(),
	}
	a.Free = e.limits.reserved - int64(u.Occupied)
	for _, p := range a.Pending {
		a.Free -= p.Bytes
	}
	a.Free = max(a.Free, 0) // a shared pool counts while others go on
	return a
}

// pendingByStream adds up what streams have not come past.
func (e *Engine) pendingByStream() []PendingFrees {
	var all []PendingFrees
	count := func(s Stream, blocks, bytes int64) {
		at := slices.IndexFunc(all, func(p PendingFrees) bool { return p.Stream == s.ID && p.Device == s.Device })
		if at < 0 {
			at = len(all)
			all = append(all, PendingFrees{Stream: s.ID, Device: s.Device})
		}
		all[at].Blocks += blocks
		all[at].Bytes += bytes
	}
	e.streams.queues.each(func(s Stream, bytes uint64) { count(s, 1, int64(bytes)) })
	for i := range e.streams.inFlight {
		f := &e.streams.inFlight[i]
		bytes := int64(0)
		for _, r := range f.ranges {
			bytes += int64(r.Size)
		}
		count(f.stream, int64(f.frees), bytes)
	}
	for _, f := range e.foreign.pending {
		if f.lender != nil {
			f.bytes = 0 // they are in no memory of this pool
		}
		count(f.stream, 1, int64(f.bytes))
	}
	slices.SortFunc(all, func(a, b PendingFrees) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Stream, b.Stream))
	})
	return all
}
