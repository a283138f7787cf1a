package facade

import "github.com/dave/jennifer/jen"

// registeredMethods are the methods of pools whose chunks libraries may know.
func (p *pool) registeredMethods() []method {
	if !p.Spec.Registered {
		return nil
	}
	return []method{{
		name: "RegisteredPool", doc: "RegisteredPool makes the pool a poolrt.Registered, for Attach of package nccl." +
			choose(p.Can.EachDevice, "\nIt is that of the current device: On chooses that of another one.", ""),
		results: []jen.Code{jen.Any()},
		body:    func(*pool) []jen.Code { return []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call())} },
	}}
}
