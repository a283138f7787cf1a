// Package slabs has slabs in front of one suballocator for each processor, in package [slabs]. It names the suballocator; nothing else depends on the
// pool.
//
// [slabs]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs
package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs"
	core "github.com/poolgen/poolgen/templates/classes"
)

// Core is slabs in front of one suballocator for each processor. Its parameters are in the configuration of the pool.
type Core struct{ slabs.Core }

// Set sets the parameters.
func (c *Core) Set(params any) {
	c.SetSlabs(params.(*slabs.Params), func() shards.Behind { return c.Behind() })
}

// Behind returns an empty suballocator of one processor, without parameters.
func (c *Core) Behind() *core.Core { return new(core.Core) }
