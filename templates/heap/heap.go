// Package heap has nothing that depends on the pool: all of the suballocator is in package [heap].
//
// [heap]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/heap
package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Rounds && !feature.Sharded // the condition of the methods below: slabs have their own

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ heap.Core }

// DeferRounded is Defer, and returns bytes: requests are not rounded up to a few lengths.
//
//poolgen:if feature.Rounds && !feature.Sharded
func (c *Core) DeferRounded(addr, bytes uint64) (rounded uint64, v poolimpl.Verdict) {
	return bytes, c.Defer(addr, bytes)
}

// Rounded returns bytes.
//
//poolgen:if feature.Rounds && !feature.Sharded
func (c *Core) Rounded(bytes uint64) uint64 { return bytes }

// AllocOn is AllocFast for a stream.
//
//poolgen:if feature.Rounds && !feature.Sharded
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) { return c.AllocFast(bytes) }
