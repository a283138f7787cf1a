package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Classes // the condition of the declaration below

// Classes adds nothing: a heap has blocks of any size.
//
//poolgen:if feature.Classes
func (c *Core) Classes(*poolimpl.Classes) {}

// ClassAt returns 0: no block is of a class.
func ClassAt(*Core, uint64) uint64 { return 0 }
