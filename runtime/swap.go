package runtime

import (
	"cmp"
	"slices"
)

// excess is how many bytes the pool would hold for a request beyond the most that it ever held, and may give back before by the policy TrimPolicy.Growth. It is
// 0 where there is no such policy.
func (e *Engine) excess(r request, size int64) int64 {
	policy := e.config.Trim
	if policy == nil || !policy.Growth || r.prime || size > NoLimit-e.held() {
		return 0
	}
	return max(min(e.held()+size-e.peakReserved, e.held()-policy.Keep), 0)
}

// swap gives empty chunks back before a chunk comes that would make the pool hold more than ever: of no use for the request, they are as good as fragmentation.
// It reports whether any went; the lock was released meanwhile.
func (e *Engine) swap(r request) bool {
	_, size := e.chunkSizes(r)
	due := e.makeweight(e.excess(r, size))
	released, _ := e.release(due)
	return released > 0
}

// makeweight lists empty chunks that come to n bytes or more: the smallest one that does, else the largest ones, or all if they do not.
func (e *Engine) makeweight(n int64) (due []uint32) {
	if n <= 0 {
		return nil
	}
	best, least := -1, NoLimit
	for slot := range e.chunks.list {
		if size := e.chunks.list[slot].Size; size >= n && size < least && e.empty(uint32(slot)) {
			best, least = slot, size
		}
	}
	if best >= 0 {
		return []uint32{uint32(best)}
	}
	for slot := range e.chunks.list {
		if e.empty(uint32(slot)) {
			due = append(due, uint32(slot))
		}
	}
	slices.SortStableFunc(due, func(a, b uint32) int { return cmp.Compare(e.chunks.list[b].Size, e.chunks.list[a].Size) })
	for i, slot := range due {
		if n -= e.chunks.list[slot].Size; n <= 0 {
			return due[:i+1]
		}
	}
	return due
}

// swapPages is swap for a pool with pages, which need bytes of them in a gap: those that are free elsewhere go, as many as come. What the suballocator keeps
// for itself goes before the pool grows.
func (e *Engine) swapPages(r request, gap Extent, need int64) bool {
	n := e.excess(r, need)
	if n <= 0 {
		return false
	}
	due, short := e.spareBeside(gap, n)
	if short > 0 && e.core.Flush() {
		return true // the request may be served by what was kept
	}
	released, _ := e.unmap(due)
	return released > 0
}
