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
	return spec.Diagnostics{plan.Finding(spec.CodeFault, p.Place(key), "", fmt.Sprintf("pool %q: %s: %s", p.Name, key, e.Msg))}
}

// taken returns the finding that a pool would declare a name of the user's.
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
	return spec.Diagnostics{plan.Finding(spec.CodeCollision, p.Place(key), "give one of the two another name",
		fmt.Sprintf("pool %q: it would declare %s, which is the name of %s", p.Name, name, what))}
}

// broken reports a fault of poolgen itself.
func broken(plan *spec.Plan, where string, err error) spec.Diagnostics {
	return spec.Diagnostics{plan.Finding(spec.CodeFault, spec.Position{}, "this is a fault of poolgen: please report it with the pool file",
		fmt.Sprintf("poolgen cannot generate %s: %v", where, err))}
}
