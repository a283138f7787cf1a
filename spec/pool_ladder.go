package spec

import (
	"fmt"
	"slices"
	"strings"
)

// readLadder reads on_exhausted. Whether a named pool exists, and whether it fits, is checked once all
// pools are known.
func (c *poolCheck) readLadder(k *Key, n *node) bool {
	items, ok := c.list(n, k.Name, k.Example)
	if ok && len(items) == 0 {
		c.fail(codeLadder, n, "write on_exhausted: [error]", "on_exhausted has no rung")
		return false
	}
	seen := make(map[Rung]*node)
	for i, item := range items {
		rung, good := c.readRung(k, item)
		if !good {
			ok = false
			continue
		}
		switch first := seen[rung]; {
		case first != nil:
			d := c.fail(codeLadder, item, "remove one of them", "on_exhausted has the rung %s twice", item.value)
			c.noteAt(d, first, "first listed here")
			ok = false
		case rung.Kind == RungError && i < len(items)-1:
			c.fail(codeLadder, item, "move error to the end", "the rung error ends the ladder, and others come after it")
			ok = false
		}
		seen[rung] = item
		c.p.OnExhausted = append(c.p.OnExhausted, rung)
		c.rungs = append(c.rungs, item)
	}
	return ok
}

func (c *poolCheck) readRung(k *Key, n *node) (Rung, bool) {
	if n.kind == mapNode && len(n.pairs) == 1 && n.pairs[0].key.value == "pool" {
		c.fail(codeUnknownValue, n, "write it without a space: pool:"+n.pairs[0].value.value, "the rung pool names its pool after a colon")
		return Rung{}, false
	}
	if n.kind == mapNode && len(n.pairs) == 1 && slices.Contains(k.Values, n.pairs[0].key.value) {
		rung := n.pairs[0]
		help := "write the word alone: " + rung.key.value
		if rung.key.value == string(RungWait) && rung.value.kind == scalarNode {
			help += "; how long it waits is a key of the pool, wait_timeout: " + rung.value.value
		}
		c.fail(codeKind, n, help, "a rung is a single value, and this is %s", n.kind)
		return Rung{}, false
	}
	text, ok := c.scalar(n, "a rung")
	if !ok {
		return Rung{}, false
	}
	if name, is := strings.CutPrefix(text, "pool:"); is && isIdentifier(name) {
		return Rung{Kind: RungPool, Pool: name}, true
	}
	if slices.Contains(k.Values, text) && !strings.HasPrefix(text, "pool:") {
		return Rung{Kind: RungKind(text)}, true
	}
	c.fail(codeUnknownValue, n, choiceHelp(&Key{Name: "a rung", Values: k.Values}, text), "rung %s is not known", quote(text))
	return Rung{}, false
}

// checkRungs refuses rungs that can do nothing in this pool.
func (c *poolCheck) checkRungs() {
	p := c.p
	for i, rung := range p.OnExhausted {
		if i >= len(c.rungs) {
			return // the default ladder
		}
		why, help := "", ""
		switch {
		case rung.Kind == RungPoll && !p.Streams():
			why, help = "ordering "+string(p.Ordering)+" has no pending frees to poll", "remove poll, or set ordering: stream"
			if !p.Allocator.NeedsDriver() || p.Suballocator == Bump {
				help = "remove poll"
			}
		case rung.Kind == RungDriver && !p.Allocator.NeedsDriver():
			why, help = "allocator "+string(p.Allocator)+" has no driver to ask", "remove driver"
		case rung.Kind == RungPool && p.Allocator == NoAllocator:
			why, help = "numbers stay with the pool that tracks them", "remove the rung, and track more numbers"
		case rung.Kind == RungTrim && (p.Allocator == NoAllocator || p.Suballocator == NoSuballocator):
			why, help = "the pool keeps no empty chunks to give back", "remove trim"
		case rung.Kind == RungWait && !canWait(p):
			why, help = "concurrency none has no other goroutine that could free while this one waits", "remove wait, or set concurrency: mutex"
		default:
			continue
		}
		c.fail(codeRungIdle, c.rungs[i], help, "the rung %s can do nothing here: %s", rung.Kind, why)
	}
}

// checkLenders checks the rungs that name another pool: it must exist and hand out the same kind of
// blocks, and borrowing must not go in a circle.
func (f *checker) checkLenders() {
	byName := make(map[string]*poolCheck)
	var known []string
	for _, c := range f.pools {
		f.unread["pools"] = f.unread["pools"] || c.p.Name == ""
		if c.p.Name != "" && byName[c.p.Name] == nil {
			byName[c.p.Name] = c
			known = append(known, c.p.Name)
		}
	}
	for _, c := range f.pools {
		for i, rung := range c.p.OnExhausted {
			if rung.Kind != RungPool || i >= len(c.rungs) {
				continue
			}
			switch lender := byName[rung.Pool]; {
			case lender == nil && f.unread["pools"]:
			case lender == nil:
				c.fail(codeLender, c.rungs[i], lenderHelp(rung.Pool, c.p.Name, known), "on_exhausted borrows from pool %s, which is not in this file", quote(rung.Pool))
			case lender != c && !c.broken && !lender.broken:
				if why := cannotLend(lender.p, c.p); why != "" {
					d := c.fail(codeLenderDiffers, c.rungs[i], "borrow from a pool with the same item, form, kind of memory and concurrency",
						"on_exhausted cannot borrow from pool %q: %s", rung.Pool, why)
					c.noteAt(d, lender.nameNode, "the other pool")
				}
			}
		}
	}
	f.checkCircles(byName)
}

// lenderHelp proposes other pools of the file.
func lenderHelp(word, own string, known []string) string {
	var others []string
	for _, name := range known {
		if name != own {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return "remove the rung, or add a pool of that name"
	}
	return didYouMean(word, others)
}

// cannotLend says why blocks of one pool cannot stand in for those of another.
func cannotLend(lender, borrower *Pool) string {
	switch {
	case lender.Allocator.Memory() != borrower.Allocator.Memory():
		return "its memory is of kind " + string(lender.Allocator.Memory()) + ", and this pool's of kind " + string(borrower.Allocator.Memory())
	case lender.ItemForm() != borrower.ItemForm():
		return "one of the two hands out single items, the other any number of them"
	case lender.Item.Type != borrower.Item.Type || lender.Item.Import != borrower.Item.Import:
		return "its item is " + itemText(lender) + ", and this pool's is " + itemText(borrower)
	case lender.BlockSize != borrower.BlockSize:
		return "its block_size is " + FormatSize(lender.BlockSize) + ", and this pool's is " + FormatSize(borrower.BlockSize)
	case max(lender.Alignment, lender.Item.Align) < borrower.Alignment:
		return "its alignment is " + alignmentText(lender) + ", and this pool promises " + FormatSize(borrower.Alignment)
	case lender.Concurrency == Unlocked && borrower.Concurrency != Unlocked:
		return "it has concurrency none, and this pool " + string(borrower.Concurrency)
	case lender.Device.Kind == NumberedDevice && borrower.Device.Kind == NumberedDevice && lender.Device.Index != borrower.Device.Index:
		return fmt.Sprintf("it is on device %d, and this pool on device %d", lender.Device.Index, borrower.Device.Index)
	case lender.Suballocator == Bump || borrower.Suballocator == Bump:
		return "bump frees no single block"
	}
	return ""
}

// alignmentText is the alignment of the blocks of a pool, as far as it is known.
func alignmentText(p *Pool) string {
	if least := max(p.Alignment, p.Item.Align); least > 0 {
		return FormatSize(least)
	}
	return "that of the item"
}

// checkCircles reports each rung that closes a circle of borrowing. Each pool is visited once.
func (f *checker) checkCircles(byName map[string]*poolCheck) {
	const visiting, done = 1, 2
	state := make(map[*poolCheck]int)
	var path []string
	var visit func(c *poolCheck)
	visit = func(c *poolCheck) {
		state[c] = visiting
		path = append(path, c.p.Name)
		for i, rung := range c.p.OnExhausted {
			lender := byName[rung.Pool]
			if rung.Kind != RungPool || lender == nil || i >= len(c.rungs) {
				continue
			}
			switch state[lender] {
			case 0:
				visit(lender)
			case visiting:
				circle := path[slices.Index(path, lender.p.Name):]
				d := c.fail(codeCircle, c.rungs[i], "remove one of the rungs", "pools borrow in a circle: %s", strings.Join(append(circle[:len(circle):len(circle)], lender.p.Name), " -> "))
				for _, name := range circle[:min(len(circle)-1, maxNotes)] {
					byName[name].noteRungs(d, circle)
				}
			}
		}
		path = path[:len(path)-1]
		state[c] = done
	}
	for _, c := range f.pools {
		if state[c] == 0 && byName[c.p.Name] == c {
			visit(c)
		}
	}
}

// noteRungs notes the rungs of a pool that name pools of a circle.
func (c *poolCheck) noteRungs(d *Diagnostic, circle []string) {
	for i, rung := range c.p.OnExhausted {
		if rung.Kind == RungPool && i < len(c.rungs) && slices.Contains(circle, rung.Pool) {
			c.noteAt(d, c.rungs[i], "pool "+quote(c.p.Name)+" borrows here")
		}
	}
}
