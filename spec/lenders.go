package spec

import (
	"fmt"
	"slices"
	"strings"
)

// checkLenders checks the rungs that name another pool: that pool must exist and hand out the same
// kind of blocks, and pools must not borrow in a circle.
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

// cannotLend says why blocks of one pool cannot replace those of another.
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
	}
	for _, p := range []*Pool{lender, borrower} {
		if !p.Frees() {
			return string(p.Suballocator) + " frees no single block"
		}
	}
	return ""
}

// alignmentText describes the alignment of the blocks of a pool, as far as it is known.
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
