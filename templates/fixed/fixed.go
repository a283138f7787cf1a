// Package fixed has the fast path of package [fixed]: what depends on the size of a block, and is inlined into the functions of the pool.
//
// [fixed]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed
package fixed

import (
	"math/bits"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator, with the fast path for blocks of this size. Its zero value is empty. It is not safe for concurrent use.
type Core fixed.Core

// Common returns the suballocator with all that it can do for blocks of any size.
func (c *Core) Common() *fixed.Core { return (*fixed.Core)(c) }

// AllocFast hands out the block that was freed last, of those at hand. It reports false if there is none; Alloc of [Core.Common] may find a block. AllocFast is
// inlined, also into a caller that is inlined itself.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	l := &c.List
	if h := uint64(l.Head); h < uint64(len(l.Next)) {
		l.Head, l.Next[h] = l.Next[h], fixed.Used
		c.Handed++
		slot = c.Slot
		off, ok = h*blockSize, true
	}
	return slot, off, ok
}

// FreeFast frees the block that starts at addr if it is live and near: of one of the chunks whose blocks are handed out next. Otherwise it changes nothing and
// reports false; Free of [Core.Common] frees any block. FreeFast is inlined.
func (c *Core) FreeFast(addr uint64) bool {
	i, next := number(addr-c.Base), c.Near
	if i < uint64(len(next)) && next[i] == fixed.Used && c.Returned != c.Due {
		if feature.Handles {
			if !fixed.Age(c.Gens, i) {
				return false
			}
		}
		next[i], c.List.Head = c.List.Head, uint32(i) // before the count, so that the head is loaded once
		c.Returned++
		return true
	}
	return false
}

// number returns off / blockSize if a block can start at off, otherwise at least the largest number of blocks of a chunk, so one comparison
// decides. A rotation divides by the power of two in blockSize and moves the remainder to the top.
func number(off uint64) uint64 {
	n := bits.RotateLeft64(off, -bits.TrailingZeros64(blockSize))
	return n/odd | -(n % odd)
}

// odd is blockSize without its factors of two.
const odd = blockSize / (blockSize &^ (blockSize - 1))
