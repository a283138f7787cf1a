package fixed

import (
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Handles // the condition of the declarations below

// A handle is the number of a block in its 32 low bits, and above it the number of the life of the block that the handle stands for. [Core.Common]
// keeps the numbers.

// Handle returns the handle of the live block at an offset of the chunk. The caller owns the block, and need not hold the lock. Handle is inlined.
//
//poolgen:if feature.Handles
func (c *Core) Handle(off uint64) uint64 {
	i := off / blockSize
	return i | uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(c.Generations.Load()), i*4)))<<32
}

// Fits reports whether the block of a handle is live. The caller need not hold the lock. Fits is inlined, also into a caller that is inlined itself; with a
// function for the generation of a block, it would not be.
//
//poolgen:if feature.Handles
func (c *Core) Fits(h uint64) bool {
	return uint32(h) < c.Aged.Load() && uint64(atomic.LoadUint32((*uint32)(unsafe.Add(unsafe.Pointer(c.Generations.Load()), uint64(uint32(h))*4)))) == h>>32
}

// HandleOffset returns the offset of the block of a handle in the chunk.
//
//poolgen:if feature.Handles
func (c *Core) HandleOffset(h uint64) uint64 { return uint64(uint32(h)) * blockSize }

// FreeHandle frees the block of a handle. If the handle is stale, FreeHandle changes nothing and reports false; so it does for a block in its last life, which
// is left to FreeLast of [Core.Common], as is what FreeFast would leave.
//
//poolgen:if feature.Handles
func (c *Core) FreeHandle(h uint64) bool {
	next, i, life := c.Near, uint64(uint32(h)), h>>32
	if i >= uint64(len(next)) || next[i] != fixed.Used || uint64(c.Gens[i]) != life || life == fixed.Lives || c.Returned == c.Due {
		return false
	}
	poolimpl.StoreRelaxed(&c.Gens[i], uint32(life)+1)
	next[i], c.List.Head = c.List.Head, uint32(i)
	c.Returned++
	return true
}
