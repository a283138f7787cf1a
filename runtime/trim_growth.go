package runtime

import "slices"

// excess is how many bytes the pool would hold for a request beyond the most that it ever held, and may give back before by the policy TrimPolicy.Growth. It is
// 0 where there is no such policy, and when the source has taken nothing back for this request already.
func (e *Engine) excess(r request, size int64) int64 {
	policy := e.config.Trim
	if policy == nil || !policy.Growth || r.prime || r.refused || size > NoLimit-e.held() {
		return 0
	}
	return max(min(e.held()+size-e.figures.peakReserved, e.held()-policy.Keep), 0)
}

// trimBeforeGrowth gives empty chunks back before a chunk comes that would make the pool hold more than ever: of no use for the request, they are as good as fragmentation.
// It reports whether it released the lock, for the caller to look again.
func (e *Engine) trimBeforeGrowth(r *request) bool {
	_, size := e.chunkSizes(*r)
	due := e.pickEmpty(e.excess(*r, size))
	if len(due) == 0 {
		return false
	}
	released, _ := e.releaseChunks(due)
	r.refused = released == 0
	return true
}

// pickEmpty lists empty chunks that come to n bytes or more: the largest ones and, for what is then missing, the smallest that does. It is all if they do not
// come to as much. Cost: a look at each chunk at most, which is little beside giving some back.
func (e *Engine) pickEmpty(n int64) (due []uint32) {
	smaller := e.chunks.bySize
	for n > 0 {
		at := e.nearest(smaller, n)
		if at < 0 {
			break
		}
		due = append(due, smaller[at].slot)
		n -= smaller[at].size
		smaller = smaller[:at] // what is behind it is due, or not empty
	}
	return due
}

// nearest returns the place of the smallest empty chunk of at least n bytes, or of the largest if there is none; -1 if no chunk is empty.
func (e *Engine) nearest(all []sizedSlot, n int64) int {
	empty := func(r sizedSlot) bool { return e.empty(r.slot) }
	from := min(e.chunks.searchBySize(sizedSlot{size: n}), len(all))
	if k := slices.IndexFunc(all[from:], empty); k >= 0 {
		return from + k
	}
	for at, r := range slices.Backward(all[:from]) {
		if empty(r) {
			return at
		}
	}
	return -1
}

// trimPagesBeforeGrowth is swap for a pool with pages, which need bytes of them in a gap: those that are free elsewhere go, as many as come. What the suballocator keeps
// for itself goes before the pool grows.
func (e *Engine) trimPagesBeforeGrowth(r *request, gap Extent, need int64) bool {
	n := e.excess(*r, need)
	if n <= 0 {
		return false
	}
	due, short := e.freePagesOutside(gap, n)
	if short > 0 && e.core.Flush() {
		return true // the request may be served by what was kept
	}
	if len(due) == 0 {
		return false
	}
	released, _ := e.unmap(due)
	r.refused = released == 0
	return true
}
