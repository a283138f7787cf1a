package spec

// readAllocator reads one allocator, or a list of those that a running program may choose from. All of a list hand out the same Go types.
func (c *poolCheck) readAllocator(k *Key, n *node) bool {
	if n.kind != listNode {
		word, ok := c.choice(n, k)
		if ok {
			c.p.Allocator = Allocator(word)
		}
		return ok
	}
	words, at, ok := c.readWords(k, n, codeAllocators)
	if !ok {
		return false
	}
	if len(words) == 1 {
		c.fail(codeKind, n, "write allocator: "+words[0]+", or add those that a program may choose in its place", "allocator lists %s alone, which leaves no choice", words[0])
		return false
	}
	first := Allocator(words[0])
	var others []Allocator
	for i, word := range words[1:] {
		if a := Allocator(word); a.Memory() == first.Memory() {
			others = append(others, a)
			continue
		}
		d := c.fail(codeAllocators, at[i+1], listableHelp(first), "allocator %s hands out other Go types than allocator %s", word, first)
		c.noteAt(d, at[0], "the first of the list")
		ok = false
	}
	if ok {
		c.p.Allocator, c.p.Others = first, others
	}
	return ok
}

// listableHelp says what can be listed with an allocator.
func listableHelp(first Allocator) string {
	if list := interchangeable(first); len(list) > 0 {
		return "use " + oneOf(list)
	}
	return "write allocator: " + string(first) + " alone, as no other one has such blocks"
}

// interchangeable lists the other allocators that hand out the same Go types.
func interchangeable(a Allocator) (list []Allocator) {
	for _, b := range Allocators() {
		if b != a && b.Memory() == a.Memory() {
			list = append(list, b)
		}
	}
	return list
}

// allocatorText prints the value of the key allocator.
func allocatorText(p *Pool) string {
	if len(p.Others) == 0 {
		return string(p.Allocator)
	}
	return listText(p.Allocators())
}
