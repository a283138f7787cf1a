package fixed

import (
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// A handle is the number of a block in its 32 low bits, and above it the generation of the block: the number of the life that the handle stands for, counted
// from 1, so 0 is no handle. A generation ends when the block is freed. It is kept for as long as the pool exists, also when the chunk is returned, so a handle
// never fits a later life. A block whose lives are used up is retired: it is not handed out again, and its chunk stays. All chunks lie in the range, or there is one
// chunk; and there are no streams.

// Lives is the number of lives of a block. The generation of a retired block is one more: no handle has that.
const Lives = 1<<32 - 2

// Age ends a life of a live block, which gens has the number of. It reports false if that is the last life: [Core.retire] ends that one.
func Age(gens []uint32, i uint64) bool {
	g := &gens[i]
	if *g == Lives {
		return false
	}
	poolimpl.StoreRelaxed(g, *g+1) // whether a handle fits is read without the lock
	return true
}

// retire ends the last life of a live block.
func (c *Core) retire(ch *chunk, i uint64) {
	poolimpl.StoreRelaxed(&c.Gens[i], Lives+1)
	ch.span.next[i] = retired
	c.retired++
}

// ages returns room for the generations of n blocks, those with the lowest numbers, of which there are at most so many. Those of earlier chunks are kept.
func (c *Core) ages(n, most uint64) []uint32 {
	known := unsafe.Slice(c.Generations.Load(), c.Aged.Load())
	if uint64(len(known)) < n {
		more := make([]uint32, min(max(n, 2*uint64(len(known)), 64), most))
		for i := copy(more, known); i < len(more); i++ {
			more[i] = 1
		}
		known = more
		c.Generations.Store(&known[0])
		c.Aged.Store(uint32(len(more))) // after the pointer, for those who read without the lock
	}
	return known
}

// Judge returns the verdict on a free of the block of a handle: Freed if the block is live. On a stale handle it is Double, and Foreign if the pool has not
// handed out the handle.
func (c *Core) Judge(h uint64) poolimpl.Verdict {
	next, gens, i, life := c.List.Next, c.ages(0, 0), uint64(uint32(h)), h>>32 // the list has no generations while there is no chunk
	switch {
	case i >= uint64(len(gens)) || life == 0 || life > uint64(gens[i]):
		return poolimpl.Foreign
	case i >= uint64(len(next)) || next[i] != Used || uint64(gens[i]) != life:
		return poolimpl.Double
	}
	return poolimpl.Freed
}

// FreeLast frees the block of a handle, whatever life it is in, with the verdict of [Core.Judge].
func (c *Core) FreeLast(h uint64) (slot uint32, v poolimpl.Verdict) {
	if v = c.Judge(h); v != poolimpl.Freed {
		return 0, v
	}
	return c.Free(c.span.base+uint64(uint32(h))*c.params.BlockSize, c.params.ItemBytes)
}
