// Package bump has little that depends on the pool: all of the suballocator is in package [bump].
//
// [bump]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/bump
package bump

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"

// marks: Release frees all blocks since a mark, which makes sense only if one goroutine at a time allocates.
//
//poolgen:param
const marks = true

const _ = marks // the condition of the declarations below

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ bump.Core }

// Mark is a point in the order of allocations, for [Core.Release].
//
//poolgen:if marks
type Mark bump.Mark

// Mark returns a mark for [Core.Release].
//
//poolgen:if marks
func (c *Core) Mark() Mark { return Mark(c.Core.Mark()) }

// Release frees all blocks allocated since m, and reports whether m is valid.
//
//poolgen:if marks
func (c *Core) Release(m Mark) bool { return c.Core.Release(bump.Mark(m)) }
