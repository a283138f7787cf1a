package spec

// readFallback reads the allocators to try next. They must have the same Go types, and nothing may follow one that always works.
func (c *poolCheck) readFallback(k *Key, n *node) bool {
	words, at, ok := c.readWords(k, n, codeFallback)
	if !ok || c.formOnly {
		return ok
	}
	for i, word := range words {
		a := Allocator(word)
		switch {
		case a == c.p.Allocator && len(c.p.Others) == 0:
			c.fail(codeFallback, at[i], "remove it", "fallback %s is the allocator of the pool", a)
		case a.Memory() != c.p.Allocator.Memory():
			c.fail(codeFallback, at[i], "use "+enumerate(sameMemory(c.p.Allocator), "or"), "fallback %s hands out other Go types than allocator %s", a, c.p.Allocator)
		case c.p.ByDriver() && !a.FromDriverPool():
			c.fail(codeFallback, at[i], "remove it, or use ordering: stream", "fallback %s has no memory pool of the driver, which ordering driver needs", a)
		case i < len(words)-1 && a == Host:
			c.fail(codeFallback, at[i], "move host to the end", "fallback host always works, so what comes after it is never tried")
		default:
			c.p.Fallback = append(c.p.Fallback, a)
			continue
		}
		ok = false
	}
	return ok
}

// sameMemory lists the other allocators that a pool can fall back to without a change of its Go types.
func sameMemory(a Allocator) []string {
	var out []string
	for _, word := range keyNamed(PoolSection, "fallback").Values {
		if b := Allocator(word); b != a && b.Memory() == a.Memory() {
			out = append(out, word)
		}
	}
	return out
}
