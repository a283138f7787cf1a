package strict

import "github.com/poolgen/poolgen/templates/feature"

const _ = feature.Indexed // the condition of the declarations below

// Number returns the number of the block that starts at an offset of the chunk. If none can start there, the number is that of no block.
//
//poolgen:if feature.Indexed
func (c *Core) Number(off uint64) uint64 { return number(off) }

// Offset returns the offset of the block with a number in the chunk.
//
//poolgen:if feature.Indexed
func (c *Core) Offset(n uint64) uint64 { return n * blockSize }

// Blocks returns how many blocks a chunk of a size has.
//
//poolgen:if feature.Indexed
func (c *Core) Blocks(size uint64) uint64 { return size / blockSize }
