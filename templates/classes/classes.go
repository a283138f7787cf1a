// Package classes has nothing that depends on the pool: all of the suballocator is in package [classes].
//
// [classes]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/classes
package classes

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ classes.Core }

// Break splits the live block at addr into up to count blocks of stride bytes, of which those stay live that live(k) names.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	c.Core.Break(addr, stride, count, live)
}

// Around returns the size of the live block at addr, and how many bytes are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) { return c.Core.Around(addr) }

// ClassAt returns the size of the class of the live block at addr, 0 if the block is of no class.
func ClassAt(c *Core, addr uint64) uint64 { return c.Core.ClassAt(addr) }
