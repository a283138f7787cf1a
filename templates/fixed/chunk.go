package fixed

import "github.com/poolgen/poolgen/runtime"

// chunk is the state of one chunk. As many of its blocks as the list has entries are carved, which means live or on the list; the others
// are fresh.
type chunk struct {
	list   List
	base   uint64
	blocks uint64
	//poolgen:if !single
	live uint64 // while the chunk is not the current one
}

// carve puts n fresh blocks on the list, which is empty, or as many as there are, and returns their number. The side array
// doubles on the way, so each entry is copied once on average, but it never has more room than the chunk has blocks.
func (ch *chunk) carve(n uint64) uint64 {
	next := ch.list.next
	old := uint64(len(next))
	n = min(n, ch.blocks-old)
	if n == 0 {
		return 0
	}
	end := old + n
	if end > uint64(cap(next)) {
		next = append(make([]index, 0, min(max(2*old, end, fewest), ch.blocks)), next...)
	}
	for i := old + 1; i < end; i++ {
		next = append(next, index(i))
	}
	ch.list = List{head: index(old), next: append(next, none)}
	return n
}

// hasFresh reports whether there are blocks to carve.
func (ch *chunk) hasFresh() bool { return uint64(len(ch.list.next)) < ch.blocks }

// hasFreed reports whether the list has blocks.
func (ch *chunk) hasFreed() bool { return uint64(ch.list.head) < uint64(len(ch.list.next)) }

// refusal says why the block at off, which is not live, cannot be freed.
func (ch *chunk) refusal(off uint64) runtime.Verdict {
	if number(off) < ch.blocks {
		return runtime.Double
	}
	return runtime.Foreign
}
