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

// makeweight lists empty chunks that come to n bytes or more, as few as can be, or all if they do not.
func (e *Engine) makeweight(n int64) (due []uint32) {
	if n <= 0 {
		return nil
	}
	var empty []uint32 // by rising size
	for slot := range e.chunks.list {
		if e.empty(uint32(slot)) {
			empty = append(empty, uint32(slot))
		}
	}
	bytes := func(slot uint32) int64 { return e.chunks.list[slot].Size }
	slices.SortStableFunc(empty, func(a, b uint32) int { return cmp.Compare(bytes(a), bytes(b)) })
	for n > 0 && len(empty) > 0 {
		at, _ := slices.BinarySearchFunc(empty, n, func(slot uint32, n int64) int { return cmp.Compare(bytes(slot), n) })
		at = min(at, len(empty)-1)
		due = append(due, empty[at])
		n -= bytes(empty[at])
		empty = slices.Delete(empty, at, at+1)
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
