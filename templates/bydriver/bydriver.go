// Package bydriver is the suballocator of pools whose blocks are all allocated and freed by the driver, in the order of streams. There is no memory to
// divide: it is a table of the live blocks, which counts them and checks their frees.
package bydriver

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Core is the suballocator. The zero value has no blocks. It is safe for concurrent use.
type Core struct{ poolimpl.DriverBlocks }

// Common returns what the engine calls.
func (c *Core) Common() *Core { return c }
