// Package binned has nothing that depends on the pool: all of the suballocator is in package [binned].
//
// [binned]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/binned
package binned

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/binned"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ binned.Core }

// Break splits the live block at addr, which is in no slab, into up to count blocks of stride bytes, of which those stay live that live(k) names.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	c.Core.Break(addr, stride, count, live)
}

// Around returns the size of the live block at addr, which is in no slab, and how many bytes are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) { return c.Core.Around(addr) }

// ClassAt returns 0 for a live block that is in no slab.
func ClassAt(*Core, uint64) uint64 { return 0 }
