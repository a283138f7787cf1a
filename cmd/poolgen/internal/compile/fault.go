package compile

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// explainError turns an error of the specialiser into a finding at the line whose value caused it.
func explainError(plan *spec.Plan, p *spec.Pool, err error) spec.Diagnostics {
	var e *specialize.Error
	switch {
	case !errors.As(err, &e):
		return broken(plan, p.Name, err)
	case e.Taken != "":
		return taken(plan, p, e.Taken)
	}
	key := lower.KeyOf(e.Param)
	if key == "" {
		return broken(plan, p.Name, err)
	}
	return spec.Diagnostics{{
		Code: spec.CodeFault, File: plan.File, Pos: place(p, key),
		Message: fmt.Sprintf("pool %q: %s: %s", p.Name, key, e.Msg),
	}}
}

// taken says that a pool would declare a name that something of the user's has.
func taken(plan *spec.Plan, p *spec.Pool, name string) spec.Diagnostics {
	key, what := "item", "its item type"
	switch name {
	case p.Item.Qualifier:
		what = "an import"
	case p.AllocFunc:
		key, what = "alloc", "a function that it is given"
	case p.FreeFunc:
		key, what = "free", "a function that it is given"
	}
	return spec.Diagnostics{{
		Code: spec.CodeCollision, File: plan.File, Pos: place(p, key), Help: "give one of the two another name",
		Message: fmt.Sprintf("pool %q: it would declare %s, which is the name of %s", p.Name, name, what),
	}}
}

// place is where the pool file sets a key of the pool, or else where the pool is.
func place(p *spec.Pool, key string) spec.Position {
	for _, v := range p.Values {
		if v.Key == key && v.Pos != (spec.Position{}) {
			return v.Pos
		}
	}
	return p.Pos
}

// broken reports a fault of poolgen itself.
func broken(plan *spec.Plan, where string, err error) spec.Diagnostics {
	return spec.Diagnostics{{
		Code: spec.CodeFault, File: plan.File,
		Message: fmt.Sprintf("poolgen cannot generate %s: %v", where, err),
		Help:    "this is a fault of poolgen: please report it with the pool file",
	}}
}
