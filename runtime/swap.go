package runtime

import "slices"

// excess is how many bytes the pool would hold for a request beyond the most that it ever held, and may give back before by the policy TrimPolicy.Growth. It is
// 0 where there is no such policy, and when the source has taken nothing back for this request already.
func (e *Engine) excess(r request, size int64) int64 {
	policy := e.config.Trim
	if policy == nil || !policy.Growth || r.prime || r.refused || size > NoLimit-e.held() {
		return 0
	}
	return max(min(e.held()+size-e.peakReserved, e.held()-policy.Keep), 0)
}

// swap gives empty chunks back before a chunk comes that would make the pool hold more than ever: of no use for the request, they are as good as fragmentation.
// It reports whether it released the lock, for the caller to look again.
func (e *Engine) swap(r *request) bool {
	_, size := e.chunkSizes(*r)
	due := e.makeweight(e.excess(*r, size))
	if len(due) == 0 {
		return false
	}
	released, _ := e.release(due)
	r.refused = released == 0
	return true
}

// makeweight lists empty chunks that come to n bytes or more: the largest ones and, for what is then missing, the smallest that does. It is all if they do not
// come to as much. Cost: a look at each chunk at most, which is little beside giving some back.
func (e *Engine) makeweight(n int64) (due []uint32) {
	rest := e.chunks.ranked
	for n > 0 {
		at := e.nearest(rest, n)
		if at < 0 {
			break
		}
		due = append(due, rest[at].slot)
		n -= rest[at].size
		rest = rest[:at] // what is behind it is due, or not empty
	}
	return due
}

// nearest returns the place of the smallest empty chunk of at least n bytes, or of the largest if there is none; -1 if no chunk is empty.
func (e *Engine) nearest(all []ranked, n int64) int {
	empty := func(r ranked) bool { return e.empty(r.slot) }
	from := min(e.chunks.rank(ranked{size: n}), len(all))
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

// swapPages is swap for a pool with pages, which need bytes of them in a gap: those that are free elsewhere go, as many as come. What the suballocator keeps
// for itself goes before the pool grows.
func (e *Engine) swapPages(r *request, gap Extent, need int64) bool {
	n := e.excess(*r, need)
	if n <= 0 {
		return false
	}
	due, short := e.spareBeside(gap, n)
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
