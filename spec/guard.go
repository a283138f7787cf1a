package spec

// maxGuardOneIn is the largest value of guard: one_in. If fewer blocks are guarded, it takes days until one is.
const maxGuardOneIn = 1 << 30

// readGuard reads which share of the blocks is guarded.
func (c *poolCheck) readGuard(k *Key, n *node) bool {
	if n.kind == scalarNode && n.value == "none" {
		return true
	}
	values, ok := c.block(n, GuardSection, k.Name)
	if !ok {
		return false
	}
	of := values["one_in"]
	if of == nil {
		c.fail(codeMissing, n, "write "+k.Name+": "+k.Example+", or "+k.Name+": none", "guard needs one_in")
		return false
	}
	c.p.Guard, ok = c.number(of, keyNamed(GuardSection, "one_in"))
	return ok
}
