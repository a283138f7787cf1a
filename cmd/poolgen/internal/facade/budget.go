package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/spec"
)

// budgetMethods are the methods of pools about what they share with others.
func (p *pool) budgetMethods() []method {
	ranked := func(p *pool) bool { return p.Budget != nil || p.Spec.Priority != poolimpl.UsualPriority }
	hooked := func(p *pool) bool { return p.Spec.Reclaims(spec.ReclaimHook) }
	return []method{
		{name: "Budget", when: func(p *pool) bool { return p.Budget != nil },
			doc:     "Budget returns the limit that the pool shares with others, which can be changed there; nil if an option has taken the pool out of any.",
			results: []jen.Code{jen.Op("*").Qual(lower.RuntimePath, "Budget")}},
		{name: "Priority", when: ranked,
			doc:     "Priority returns who gives memory back first when others need it, in the budget and in groups: the pool with the lowest.",
			results: []jen.Code{jen.Int()}},
		{name: "OnReclaim", when: hooked,
			doc: "OnReclaim has free called when another pool of the budget lacks so many bytes and no chunk is empty, until stop is called. It frees\n" +
				"blocks of this pool if it can. It runs on the goroutine in need and holds no lock, so it may use pools; it is not called while it runs.",
			params: []jen.Code{jen.Id("free").Func().Params(jen.Id("bytes").Int64())}, results: []jen.Code{jen.Id("stop").Func().Params()}, call: []jen.Code{jen.Id("free")}},
	}
}
