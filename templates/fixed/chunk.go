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
