package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	template "github.com/poolgen/poolgen/templates/bump"
)

// newCore returns a core with its parameters.
func newCore() *Core {
	c := new(Core)
	c.Set(&bump.Params{Granule: template.Unit})
	return c
}
