// Package shards gives each processor a suballocator of its own, in package [shards]. It names the suballocator; nothing else depends on the pool.
//
// [shards]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/shards
package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	core "github.com/poolgen/poolgen/templates/classes"
)

// Core is one suballocator for each processor. Its parameters are in the configuration of the pool.
type Core struct{ shards.Core }

// Set sets the parameters.
func (c *Core) Set(params any) {
	c.SetShards(params.(*shards.Params), func() shards.Behind { return c.Behind() })
}

// Behind returns an empty suballocator of one processor, without parameters.
func (c *Core) Behind() *core.Core { return new(core.Core) }
