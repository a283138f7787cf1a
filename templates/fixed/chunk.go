package fixed

import "github.com/poolgen/poolgen/runtime"

// chunk is the state of one chunk. Its blocks up to len(next) are carved: live, or on the list; the others are fresh.
type chunk struct {
	head   index // first block of the list; none when it is empty
	base   uint64
	next   []index // per carved block: its successor on the list, or used
	blocks uint64  // carved and fresh
	//poolgen:if !single
	live uint64 // while the chunk is not the current one
}

// carve puts n fresh blocks on the list, which is empty, or as many as there are, and returns their number. The side array
// doubles on the way, so each entry is copied once on average, but never has more entries than the chunk has blocks.
func (ch *chunk) carve(n uint64) uint64 {
	old := uint64(len(ch.next))
	n = min(n, ch.blocks-old)
	if n == 0 {
		return 0
	}
	end := old + n
	if end > uint64(cap(ch.next)) {
		ch.next = append(make([]index, 0, min(max(2*old, end, fewest), ch.blocks)), ch.next...)
	}
	for i := old + 1; i < end; i++ {
		ch.next = append(ch.next, index(i))
	}
	ch.next, ch.head = append(ch.next, none), index(old)
	return n
}

// hasFresh reports whether there are blocks to carve.
func (ch *chunk) hasFresh() bool { return uint64(len(ch.next)) < ch.blocks }

// give puts the block at off on the list, if it is a live one.
func (ch *chunk) give(off uint64) bool {
	i := off / blockSize
	if i >= uint64(len(ch.next)) || off%blockSize != 0 || ch.next[i] != used {
		return false
	}
	ch.next[i], ch.head = ch.head, index(i)
	return true
}

// refusal says why the block at off, which is not live, cannot be freed.
func (ch *chunk) refusal(off uint64) runtime.Verdict {
	if off%blockSize == 0 && off/blockSize < ch.blocks {
		return runtime.Double
	}
	return runtime.Foreign
}
