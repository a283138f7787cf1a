package strips

import (
	cold "github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/templates/bump"
)

// newCore returns a core with its parameters.
func newCore() *Core {
	c := new(Core)
	c.Set(&cold.Params{Granule: bump.Unit})
	return c
}
