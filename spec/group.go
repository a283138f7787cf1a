package spec

import (
	"go/token"
	"slices"
	"strings"
)

// GroupName returns the name of the variable with the group of the package's own pools, which is exported if one of them is. Packages with two such
// pools or more have it.
func (p *Plan) GroupName() string {
	if slices.ContainsFunc(p.OwnPools(), func(pool *Pool) bool { return token.IsExported(pool.Name) }) {
		return "Pools"
	}
	return "pools"
}

// Owns reports whether the package has a variable of a pool: if it has package functions or exports, or if other pools borrow from it.
func (p *Plan) Owns(pool *Pool) bool {
	return pool.PackageFunctions || len(pool.Exports) > 0 || p.Lends(pool.Name)
}

// OwnPools lists the pools that the package has a variable of.
func (p *Plan) OwnPools() []*Pool {
	var own []*Pool
	for i := range p.Pools {
		if pool := &p.Pools[i]; p.Owns(pool) {
			own = append(own, pool)
		}
	}
	return own
}

// Lends reports whether other pools borrow from a pool.
func (p *Plan) Lends(name string) bool {
	return slices.ContainsFunc(p.Pools, func(other Pool) bool { return slices.Contains(other.OnExhausted, Rung{Kind: RungPool, Pool: name}) })
}

// checkGroup refuses pool files and hand-written declarations that have another use for the name of the group.
func (f *checker) checkGroup() {
	own, group := f.plan.OwnPools(), f.plan.GroupName()
	if len(own) < 2 {
		return
	}
	for _, c := range f.pools {
		if what := c.calls(group); what != "" {
			c.fail(codeCollision, c.nameNode, "give "+what+" another name", "the package gets a variable %s, which is the name of %s", group, what)
			return
		}
	}
	second := f.pools[slices.IndexFunc(f.pools, func(c *poolCheck) bool { return c.p.Name == own[1].Name })]
	if imp := f.imports[group]; imp != nil {
		d := second.fail(codeCollision, second.nameNode, "rename the qualifier", "with this pool the package gets a variable %s, which is the name of an import", group)
		second.noteAt(d, imp.key, "imported here")
	} else if at := f.env.Decls[group]; at != "" {
		d := second.fail(codeDeclared, second.nameNode, "rename the declaration, or set output to a directory of its own",
			"with this pool the package gets a variable %s, which the output directory declares already", group)
		d.Notes = append(d.Notes, Note{Message: group + " is declared here: " + at})
	}
}

// calls says what of the pool is declared by hand under a name, in the package of the output; "" if nothing is.
func (c *poolCheck) calls(name string) string {
	switch item := c.p.Item; {
	case item.Kind == ItemUser && item.Qualifier == "" && item.Type[strings.LastIndexByte(item.Type, ']')+1:] == name:
		return "the item type"
	case c.p.AllocFunc == name || c.p.FreeFunc == name:
		return "the pool's function"
	}
	return ""
}
