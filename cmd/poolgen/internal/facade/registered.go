package facade

// registeredMethods are the methods of pools whose chunks libraries may know.
func (p *pool) registeredMethods() []method {
	if !p.Spec.Registered {
		return nil
	}
	return []method{p.engineMethod("RegisteredPool", "makes the pool a poolrt.Registered, for Attach of package nccl.", "another one")}
}
