package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Classes adds nothing: a heap has blocks of any size.
func (c *Core) Classes(*poolimpl.Classes) {}
