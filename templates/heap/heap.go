// Package heap has nothing that depends on the pool: all of the suballocator is in package [heap].
//
// [heap]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/heap
package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Rounds // the condition of the methods below

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ heap.Core }

// DeferRounded is Defer, and returns bytes: requests are not rounded up to a few lengths.
//
//poolgen:if feature.Rounds
func (c *Core) DeferRounded(addr, bytes uint64) (rounded uint64, v poolimpl.Verdict) {
	return bytes, c.Defer(addr, bytes)
}

// Rounded returns bytes.
//
//poolgen:if feature.Rounds
func (c *Core) Rounded(bytes uint64) uint64 { return bytes }

// AllocOn is AllocFast for a stream.
//
//poolgen:if feature.Rounds
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) { return c.AllocFast(bytes) }

// Break splits the live block at addr into up to count blocks of stride bytes, of which those stay live that live(k) names.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	c.Core.Break(addr, stride, count, live)
}

// Around returns the size of the live block at addr, and how many bytes are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) { return c.Core.Around(addr) }

// ClassAt returns 0: no block is of a class.
func ClassAt(*Core, uint64) uint64 { return 0 }
