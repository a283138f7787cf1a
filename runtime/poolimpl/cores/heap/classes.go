package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Classes adds nothing: a heap has blocks of any size.
func (c *Core) Classes(*poolimpl.Classes) {}

// ClassAt returns 0: no block is of a class.
func (c *Core) ClassAt(uint64) uint64 { return 0 }
